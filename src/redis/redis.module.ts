import { Global, Inject, Injectable, Module, type OnApplicationShutdown } from '@nestjs/common';
import {
  type IRateLimiterStoreOptions,
  type RateLimiterAbstract,
  RateLimiterRedis,
} from 'rate-limiter-flexible';
import { Config } from '../config/config.js';
import { MemoryCounter } from './memory-counter.js';
import { RedisConnection } from './redis-connection.js';

type CounterOptions = Pick<IRateLimiterStoreOptions, 'points' | 'duration'> & { readonly keyPrefix: string };

/** Makes rate counters: shared by all instances where there is a Redis. */
@Injectable()
export class SharedCounters implements OnApplicationShutdown {
  private readonly inMemory: MemoryCounter[] = [];

  constructor(@Inject(RedisConnection) private readonly redis: RedisConnection | null) {}

  /** @param otherwise counts where there is no Redis, and while it is away */
  counter<Otherwise extends RateLimiterAbstract>(
    options: CounterOptions,
    otherwise: Otherwise,
  ): Otherwise | RateLimiterRedis {
    if (otherwise instanceof MemoryCounter) this.inMemory.push(otherwise);
    if (!this.redis) return otherwise;
    return new RateLimiterRedis({
      ...options,
      storeClient: this.redis.client,
      rejectIfRedisNotReady: true,
      insuranceLimiter: otherwise,
    });
  }

  onApplicationShutdown(): void {
    for (const counter of this.inMemory) counter.clear();
  }
}

/** Where instances count together: Redis, where `REDIS_URL` names one. Without it the connection is null. */
@Global()
@Module({
  providers: [
    { provide: RedisConnection, inject: [Config], useFactory: ({ redis }: Config) => openRedis(redis.url) },
    SharedCounters,
  ],
  exports: [RedisConnection, SharedCounters],
})
export class RedisModule implements OnApplicationShutdown {
  constructor(@Inject(RedisConnection) private readonly redis: RedisConnection | null) {}

  onApplicationShutdown(): void {
    this.redis?.close();
  }
}

async function openRedis(url: string | undefined): Promise<RedisConnection | null> {
  if (url === undefined) return null;
  const { BoundedRedis } = await import('./bounded-redis.js');
  const redis = new RedisConnection(url, BoundedRedis);
  await redis.open();
  return redis;
}
