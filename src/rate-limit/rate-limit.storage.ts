import { Injectable } from '@nestjs/common';
import type { ThrottlerStorage } from '@nestjs/throttler';
import { RateLimiterMemory } from 'rate-limiter-flexible';

type Hits = Awaited<ReturnType<ThrottlerStorage['increment']>>;

/**
 * Counts requests for the flood limit, in fixed windows aligned to the clock, so that the time to wait is the time to
 * the next window (the throttler's own storage blocks for a further full window). In memory of each instance on
 * purpose: it must refuse a flood before the flood reaches the database.
 */
@Injectable()
export class RateLimitStorage implements ThrottlerStorage {
  private readonly counters = new RateLimiterMemory({ points: Number.MAX_SAFE_INTEGER, duration: 60 });

  /** @param ttl length of the window in milliseconds */
  async increment(key: string, ttl: number, limit: number): Promise<Hits> {
    const now = Date.now();
    const windowNumber = Math.floor(now / ttl);
    const timeToExpire = Math.max(1, Math.ceil(((windowNumber + 1) * ttl - now) / 1000));
    const { consumedPoints } = await this.counters.penalty(`${key}|${windowNumber}`, 1, {
      customDuration: timeToExpire + 1,
    });
    return {
      totalHits: consumedPoints,
      timeToExpire,
      isBlocked: consumedPoints > limit,
      timeToBlockExpire: timeToExpire,
    };
  }
}
