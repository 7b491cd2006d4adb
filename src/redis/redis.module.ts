import { Global, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { Config } from '../config/config.js';
import { RedisConnection } from './redis-connection.js';
import { SharedCounters } from './shared-counters.js';

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
