import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Config } from '../config/config.js';
import { Clock } from '../db/database.js';
import { noAnswer, type NoAnswer, type RegistrySource, type Result, type Service } from './answer.js';
import { isJob, type Pace, type TurnAsker } from './fair-queue.js';
import { type Obstacles, TurnRepository } from './turn.repository.js';

/** A turn to ask: now, which is `at` by the dataset's clock. */
export interface Turn {
  readonly at: Date;
  readonly waited: boolean;
  /** Whether the circuit breaker is open, and the question is to find out whether it may close. */
  readonly probes: boolean;
}

/** How long a registry is left alone that says "too many" but not for how long. */
const PAUSE_SECONDS = 10;
/** Longest pause believed: a mistaken header must not silence the installation for years. */
const MAX_PAUSE_SECONDS = 3600;
/** Timers and clocks are never quite equal: so small a difference does not cost a place in the line. */
const SLACK_MS = 250;

/**
 * The one pace at which the whole installation asks, all instances and services together: registries ban by address,
 * and several instances behind one address are one client to them.
 */
@Injectable()
export class RegistryPace {
  private readonly pace: Pace;

  constructor(
    private readonly turns: TurnRepository,
    { registry }: Config,
    private readonly clock: Clock,
  ) {
    this.pace = registry;
  }

  /**
   * Waits in the installation's line for a turn, or refuses as soon as none can come in time.
   *
   * @param maxMs longest time to wait; a job's turn is there, or refused at once
   */
  async takeTurn(service: Service, by: TurnAsker, maxMs: number): Promise<Result<Turn>> {
    const id = isJob(by) ? by : randomUUID();
    const asked = await this.clock.now();
    const began = performance.now();
    for (let tries = 0; ; tries += 1) {
      const waited = tries > 0;
      const turn = await this.turns.takeTurn(service, this.pace, () => {
        const waitedMs = performance.now() - began;
        const leftMs = maxMs + SLACK_MS - waitedMs;
        const isLate = leftMs < 0 && !isJob(by);
        const wish = {
          id,
          by,
          maxWaitMs: isLate ? leftMs : Math.max(0, waited ? leftMs : leftMs - SLACK_MS),
        };
        return { wish, now: new Date(asked.getTime() + waitedMs) };
      });
      const obstacle = refusalOf(turn);
      if (obstacle) return obstacle;
      if (turn.granted) {
        const at = waited ? await this.clock.now() : asked;
        return { answered: true, at, waited, probes: turn.openMs !== null };
      }
      if (turn.retryMs === null) return refuse('no_turn', turn.waitMs);
      await sleep(turn.retryMs);
    }
  }

  /**
   * Leaves the source alone, on all instances.
   *
   * @param seconds what its Retry-After said, if it said anything
   * @returns the seconds it really is left alone
   */
  async pause(source: RegistrySource, seconds = PAUSE_SECONDS): Promise<number> {
    const bounded = Math.min(Math.max(1, seconds), MAX_PAUSE_SECONDS);
    await this.turns.pause(source, bounded, await this.clock.now());
    return bounded;
  }
}

function refusalOf({ openMs, pausedMs }: Obstacles): NoAnswer | null {
  if (openMs !== null && openMs > 0) return refuse('circuit_open', openMs);
  return pausedMs === null ? null : refuse('paused', pausedMs);
}

function refuse(reason: 'no_turn' | 'paused' | 'circuit_open', milliseconds: number): NoAnswer {
  return noAnswer(reason, 'not asked', milliseconds / 1000);
}
