import { Injectable } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import { Config } from '../config/config.js';
import { Clock } from '../database/clock.js';
import type { RegistrySource } from './registry-lookup.js';
import { type Pace, RegistryRepository } from './registry.repository.js';

export type Turn =
  | { readonly granted: true; readonly waited: boolean }
  | { readonly granted: false; readonly reason: 'no_turn' | 'paused'; readonly retryAfterSeconds: number };

/** For whoever does not wait; retryAfterSeconds is not rounded, so that no part of the pace is lost by coming back late. */
export type SpareTurn = { readonly granted: true } | Extract<Turn, { granted: false }>;

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

  /** Waits for the installation's next turn, or refuses at once when it does not come within `maxWaitMs`. */
  async takeTurn(source: RegistrySource, maxWaitMs: number): Promise<Turn> {
    const turn = await this.repository.takeTurn(source, this.pace, maxWaitMs, await this.clock.now());
    if (turn.pausedMs !== null) return refuse('paused', turn.pausedMs);
    if (!turn.granted) return refuse('no_turn', turn.waitMs);
    if (turn.waitMs <= 0) return { granted: true, waited: false };

    await sleep(turn.waitMs);
    // The registry may have asked for a pause while this turn was waited for.
    const pausedMs = await this.repository.readPause(source, await this.clock.now());
    return pausedMs === null ? { granted: true, waited: true } : refuse('paused', pausedMs);
  }

  /**
   * Takes a turn that nobody misses: one that has come, and after which another is left for a caller (where only one fits into
   * the bucket, callers wait for one turn at most).
   */
  async takeSpareTurn(source: RegistrySource): Promise<SpareTurn> {
    const reserve = Math.min(1, this.pace.burst - 1);
    const turn = await this.repository.takeTurn(source, this.pace, 0, await this.clock.now(), reserve);
    if (turn.granted) return { granted: true };
    const milliseconds = turn.pausedMs ?? turn.waitMs;
    return {
      granted: false,
      reason: turn.pausedMs === null ? 'no_turn' : 'paused',
      retryAfterSeconds: milliseconds / 1000,
    };
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

function refuse(reason: 'no_turn' | 'paused', milliseconds: number): Turn {
  return { granted: false, reason, retryAfterSeconds: Math.max(1, Math.ceil(milliseconds / 1000)) };
}
