import { Injectable } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import { Config } from '../config/config.js';
import { Clock } from '../database/clock.js';
import { noAnswer, type RegistrySource, type Result } from './registry-lookup.js';
import { type Pace, RegistryRepository } from './registry.repository.js';

/** A turn to ask: now, which is `at` by the dataset's clock. */
export interface Turn {
  readonly at: Date;
  readonly waited: boolean;
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
  async takeTurn(source: RegistrySource, wait: Wait): Promise<Result<Turn>> {
    // A spare turn leaves another one in the bucket; where only one fits into it, callers wait for one turn at most.
    const reserve = wait === 'spare' ? Math.min(1, this.pace.burst - 1) : 0;
    const maxWaitMs = wait === 'spare' ? 0 : wait;
    const asked = await this.clock.now();
    const turn = await this.repository.takeTurn(source, this.pace, { maxWaitMs, reserve, now: asked });
    if (turn.pausedMs !== null) return refuse('paused', turn.pausedMs);
    if (!turn.granted) return refuse('no_turn', turn.waitMs);
    if (turn.waitMs <= 0) return { answered: true, at: asked, waited: false };

    await sleep(turn.waitMs);
    const at = await this.clock.now();
    // The registry may have asked for a pause while this turn was waited for.
    const pausedMs = await this.repository.readPause(source, at);
    return pausedMs === null ? { answered: true, at, waited: true } : refuse('paused', pausedMs);
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

function refuse(reason: 'no_turn' | 'paused', milliseconds: number): Result<Turn> {
  return noAnswer(reason, 'not asked', milliseconds / 1000);
}
