import { Injectable } from '@nestjs/common';
import type { RateLimiterAbstract } from 'rate-limiter-flexible';
import { ApiError } from '../errors/api-error.js';
import { MemoryCounter } from '../redis/memory-counter.js';
import { SharedCounters } from '../redis/redis.module.js';
import type { Caller } from './caller.js';
import { Tiers } from '../config/tiers.js';

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
  async assertNotBlocked(address: string): Promise<void> {
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

const MINUTES = 10;

/** Bounds how many list pages somebody reads, which cost no records: people browse, and who wants all of it has an API and exports. */
@Injectable()
export class ListLimit {
  private readonly pages: RateLimiterAbstract;

  constructor(counters: SharedCounters) {
    const options = { keyPrefix: 'list_pages', points: Number.MAX_SAFE_INTEGER, duration: MINUTES * 60 };
    this.pages = counters.counter(options, new MemoryCounter(options));
  }

  /** @throws {ApiError} too_many_requests, with the time to wait */
  async count({ id, tier }: Caller): Promise<void> {
    const { consumedPoints, msBeforeNext } = await this.pages.penalty(id, 1);
    if (consumedPoints <= tier.listPages) return;
    const seconds = Math.max(1, Math.ceil(msBeforeNext / 1_000));
    throw new ApiError(
      'too_many_requests',
      `That was more than ${tier.listPages} pages in ${MINUTES} minutes; the next one is shown in ${Math.ceil(seconds / 60)} min.`,
      { retryAfterSeconds: seconds },
    );
  }
}
