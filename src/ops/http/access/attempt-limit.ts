import { Injectable } from '@nestjs/common';
import type { RateLimiterAbstract } from 'rate-limiter-flexible';
import { ApiError } from '../../../errors/api-error.js';
import { MemoryCounter } from '../../../redis/memory-counter.js';
import { SharedCounters } from '../../../redis/redis.module.js';

const QUARTER_HOUR = 900;
const MAX_WRONG_KEYS = 10;

/** Bounds how many wrong keys one network may show; a key that works from there waits as well. */
@Injectable()
export class OperatorAttempts {
  private readonly wrong: RateLimiterAbstract;

  constructor(counters: SharedCounters) {
    const options = { keyPrefix: 'operator_wrong', points: Number.MAX_SAFE_INTEGER, duration: QUARTER_HOUR };
    this.wrong = counters.counter(options, new MemoryCounter(options));
  }

  /** @throws {ApiError} too_many_requests, with the time to wait */
  async assertNotBlocked(place: string): Promise<void> {
    const counted = await this.wrong.get(place);
    if (!counted || counted.consumedPoints < MAX_WRONG_KEYS) return;
    const seconds = Math.max(1, Math.ceil(counted.msBeforeNext / 1_000));
    throw new ApiError(
      'too_many_requests',
      `${MAX_WRONG_KEYS} keys that do not work were shown from here; the next one is looked at in ${seconds} s.`,
      { retryAfterSeconds: seconds },
    );
  }

  async count(place: string): Promise<void> {
    await this.wrong.penalty(place, 1);
  }
}
