import { Inject, Injectable } from '@nestjs/common';
import {
  type IRateLimiterStoreOptions,
  type RateLimiterAbstract,
  RateLimiterRedis,
} from 'rate-limiter-flexible';
import { RedisConnection } from './redis-connection.js';

type CounterOptions = Pick<IRateLimiterStoreOptions, 'points' | 'duration'> & { readonly keyPrefix: string };

/** Makes the counters of what may be done so often: over all instances where there is a Redis. */
@Injectable()
export class SharedCounters {
  constructor(@Inject(RedisConnection) private readonly redis: RedisConnection | null) {}

  /** @param otherwise counts where there is no Redis, and while it is away */
  counter<Otherwise extends RateLimiterAbstract>(
    options: CounterOptions,
    otherwise: Otherwise,
  ): Otherwise | RateLimiterRedis {
    if (!this.redis) return otherwise;
    return new RateLimiterRedis({
      ...options,
      storeClient: this.redis.client,
      rejectIfRedisNotReady: true,
      insuranceLimiter: otherwise,
    });
  }
}
