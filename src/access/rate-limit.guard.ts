import { ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import {
  InjectThrottlerOptions,
  InjectThrottlerStorage,
  ThrottlerGuard,
  type ThrottlerModuleOptions,
  type ThrottlerRequest,
  ThrottlerStorage,
} from '@nestjs/throttler';
import type { Request, Response } from 'express';
import type { RateLimiterAbstract } from 'rate-limiter-flexible';
import { timeOfDatabase } from '../db/database-time.js';
import { CostsRecords, requirementsOf } from './requirements.js';
import { ApiError } from '../errors/api-error.js';
import { SharedCounters } from '../redis/redis.module.js';
import { LIMITS } from './limits.js';
import { RecordBudget } from './record-budget.js';
import { requestHeaders } from './rate.dto.js';

/**
 * Both limits of a tier, before any work. The flood limit counts requests a minute over all endpoints and at any
 * cost; a batch to the tool server is one request, with a limit of its own, and addresses without a controller (404,
 * documents) are not counted. The record budget: a caller known to have none left is refused here; services spend
 * records (RecordBudget).
 */
@Injectable()
export class RateLimitGuard extends ThrottlerGuard {
  constructor(
    @InjectThrottlerOptions() options: ThrottlerModuleOptions,
    @InjectThrottlerStorage() storage: ThrottlerStorage,
    reflector: Reflector,
    private readonly budget: RecordBudget,
  ) {
    super(options, storage, reflector);
  }

  // One count for all routes; the throttler's own key includes the route.
  protected override async handleRequest({
    context,
    limit,
    ttl,
    blockDuration,
    throttler,
  }: ThrottlerRequest): Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request>();
    const response = context.switchToHttp().getResponse<Response>();
    const { id, tier } = request.caller;
    const hits = await this.storageService.increment(
      id,
      ttl,
      limit,
      blockDuration,
      throttler.name ?? 'default',
    );
    const resetInSeconds = hits.timeToExpire;
    request.requestsLeft = { limit, remaining: Math.max(0, limit - hits.totalHits), resetInSeconds };
    if (hits.isBlocked) {
      response.set(requestHeaders(tier, request.requestsLeft));
      throw new ApiError(
        'too_many_requests',
        `More than ${limit} requests in this minute; the next one is answered in ${resetInSeconds} s.`,
        { retryAfterSeconds: resetInSeconds },
      );
    }
    // A wrong key gets its own error, not one about the budget of the address.
    if (this.costsRecords(context) && !request.keyProblem) this.budget.assertLeft(request.caller);
    return true;
  }

  private costsRecords(context: ExecutionContext): boolean {
    return requirementsOf(this.reflector, context)(CostsRecords) ?? false;
  }
}

/** The tier's flood limit, for the throttler. */
export function requestsPerMinute(context: ExecutionContext): number {
  return context.switchToHttp().getRequest<Request>().caller.tier[LIMITS.requests.most];
}

type Hits = Awaited<ReturnType<ThrottlerStorage['increment']>>;

/**
 * Counts requests for the flood limit in fixed windows aligned to the clock, so that the wait ends with the window (the
 * throttler's own storage blocks for another full window). In Redis or in memory, since it must refuse a flood before
 * the flood reaches the database.
 */
@Injectable()
export class RateLimitStorage implements ThrottlerStorage {
  private readonly counter: RateLimiterAbstract;

  /** Milliseconds since 1970. Tests assign another one. */
  nowMs: () => number = () => timeOfDatabase().getTime();

  constructor(counters: SharedCounters) {
    this.counter = counters.tally('requests', LIMITS.requests.seconds);
  }

  /** @param ttl length of the window in milliseconds */
  async increment(key: string, ttl: number, limit: number): Promise<Hits> {
    const now = this.nowMs();
    const windowNumber = Math.floor(now / ttl);
    const timeToExpire = Math.max(1, Math.ceil(((windowNumber + 1) * ttl - now) / 1000));
    const { consumedPoints } = await this.counter.penalty(`${key}|${windowNumber}`, 1, {
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
