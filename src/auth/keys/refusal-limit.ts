import { Injectable } from '@nestjs/common';
import type { RateLimiterAbstract } from 'rate-limiter-flexible';
import { ApiError } from '../../errors/api-error.js';
import { MemoryCounter } from '../../redis/memory-counter.js';
import { SharedCounters } from '../../redis/shared-counters.js';
import { Tiers } from '../../tiers/tiers.js';

const WINDOW_SECONDS = 60;

/**
 * Bounds how often one address may show keys that nobody holds: as often as the demo tier may ask. The flood limit, which is
 * counted for callers, comes after the query that tells who calls. Counted where that is.
 */
@Injectable()
export class RefusalLimit {
  private readonly refusals: RateLimiterAbstract;
  private readonly max: number;

  constructor({ table }: Tiers, counters: SharedCounters) {
    this.max = table.demo.requestsPerMinute;
    const options = { keyPrefix: 'refusals', points: Number.MAX_SAFE_INTEGER, duration: WINDOW_SECONDS };
    this.refusals = counters.counter(options, new MemoryCounter(options));
  }

  /** @throws {ApiError} too_many_requests, with the time to wait */
  async assertFew(address: string): Promise<void> {
    const counted = await this.refusals.get(address);
    if (!counted || counted.consumedPoints < this.max) return;
    const seconds = Math.max(1, Math.ceil(counted.msBeforeNext / 1000));
    throw new ApiError(
      'too_many_requests',
      `More than ${this.max} requests of this minute held no key that works; the next one is looked at in ${seconds} s.`,
      { retryAfterSeconds: seconds },
    );
  }

  async count(address: string): Promise<void> {
    await this.refusals.penalty(address, 1);
  }
}
