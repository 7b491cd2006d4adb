import { Injectable } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import { Config } from '../config/config.js';
import { Clock } from '../database/clock.js';
import {
  noAnswer,
  type NoAnswer,
  type RegistrySource,
  type Result,
  type Service,
} from './registry-lookup.js';
import { type Obstacles, type Pace, RegistryRepository } from './registry.repository.js';

/** A turn to ask: now, which is `at` by the dataset's clock. */
export interface Turn {
  readonly at: Date;
  readonly waited: boolean;
  /** Whether the circuit breaker is open, and the question is to find out whether it may close. */
  readonly probes: boolean;
}

/** Longest time to wait for a turn, in milliseconds; `spare`: not at all, and only for a turn that no caller misses. */
export type Wait = number | 'spare';

/** How long a registry is left alone that says "too many" but not for how long. */
const PAUSE_SECONDS = 10;
/** Longest pause believed: a mistaken header must not silence the installation for years. */
const MAX_PAUSE_SECONDS = 3600;

/**
 * The one pace at which the whole installation asks, all instances and services together: registries ban by address, and several
 * instances behind one address are one client to them.
 */
@Injectable()
export class RegistryPace {
  private readonly pace: Pace;

  constructor(
    private readonly repository: RegistryRepository,
    { registry }: Config,
    private readonly clock: Clock,
  ) {
    this.pace = registry;
  }

  /** Waits for the installation's next turn, or refuses at once when it does not come in time. */
  async takeTurn(service: Service, wait: Wait): Promise<Result<Turn>> {
    // A spare turn leaves another one in the bucket; where only one fits into it, callers wait for one turn at most.
    const reserve = wait === 'spare' ? Math.min(1, this.pace.burst - 1) : 0;
    const maxWaitMs = wait === 'spare' ? 0 : wait;
    const asked = await this.clock.now();
    const turn = await this.repository.takeTurn(service, this.pace, { maxWaitMs, reserve, now: asked });
    const obstacle = refusalOf(turn);
    if (obstacle) return obstacle;
    if (!turn.granted) return refuse('no_turn', turn.waitMs);
    if (turn.waitMs <= 0) return turnOf(asked, false, turn);

    await sleep(turn.waitMs);
    const at = await this.clock.now();
    // While this turn was waited for, the registry may have asked for a pause, or the breaker may have opened.
    const obstacles = await this.repository.readObstacles(service, at);
    return refusalOf(obstacles) ?? turnOf(at, true, obstacles);
  }

  /**
   * Leaves the source alone, on all instances.
   *
   * @param seconds what its Retry-After said, if it said anything
   * @returns the seconds it really is left alone
   */
  async pause(source: RegistrySource, seconds = PAUSE_SECONDS): Promise<number> {
    const bounded = Math.min(Math.max(1, seconds), MAX_PAUSE_SECONDS);
    await this.repository.pause(source, bounded, await this.clock.now());
    return bounded;
  }
}

function turnOf(at: Date, waited: boolean, { openMs }: Obstacles): Result<Turn> {
  return { answered: true, at, waited, probes: openMs !== null };
}

function refusalOf({ openMs, pausedMs }: Obstacles): NoAnswer | null {
  if (openMs !== null && openMs > 0) return refuse('circuit_open', openMs);
  return pausedMs === null ? null : refuse('paused', pausedMs);
}

function refuse(reason: 'no_turn' | 'paused' | 'circuit_open', milliseconds: number): NoAnswer {
  return noAnswer(reason, 'not asked', milliseconds / 1000);
}
