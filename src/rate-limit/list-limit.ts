import { Injectable } from '@nestjs/common';
import type { RateLimiterAbstract } from 'rate-limiter-flexible';
import type { Caller } from '../auth/caller.js';
import { ApiError } from '../errors/api-error.js';
import { MemoryCounter } from '../redis/memory-counter.js';
import { SharedCounters } from '../redis/shared-counters.js';

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
