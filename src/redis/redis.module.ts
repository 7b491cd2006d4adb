import { Global, Inject, Injectable, Module, type OnApplicationShutdown, Logger } from '@nestjs/common';
import {
  type IRateLimiterStoreOptions,
  type RateLimiterAbstract,
  RateLimiterRedis,
} from 'rate-limiter-flexible';
import { Config } from '../config/config.js';
import { MemoryCounter } from './memory-counter.js';
import { OutageLogger } from '../errors/outage.js';
import type { BoundedRedis } from './bounded-redis.js';

/** The Redis or Valkey in which all instances count together. Counters have a fallback while it is away. */
export class RedisConnection {
  readonly client: BoundedRedis;
  private readonly outage = new OutageLogger(
    new Logger('Redis'),
    'Redis does not count, PostgreSQL and each instance do',
  );
  private lastError: unknown = 'the connection was closed';
  private startedAtMs: number | null = null;
  private learning = Promise.resolve();
  private isClosing = false;

  /** @param Client loaded by then: an installation without Redis does not pay for it */
  constructor(url: string, Client: typeof BoundedRedis) {
    this.client = new Client(url, (command, refusal) => this.heard(command, refusal));
    this.client.on('error', (error) => (this.lastError = error));
    this.client.on('close', () => {
      this.startedAtMs = null;
      if (!this.isClosing) this.outage.begin(this.lastError);
    });
    this.client.on('ready', () => {
      this.learning = this.learnAge();
    });
  }

  /** Waits for the first attempt; others follow for as long as it takes. */
  async open(): Promise<void> {
    // What went wrong was said with the event.
    await this.client.connect().catch(() => undefined);
    await this.learning;
  }

  /**
   * How long the server has been running, at least, which is how far back its counts go: one that was started
   * again has lost some or all of them. Null while it is away.
   */
  get ageMs(): number | null {
    return this.startedAtMs === null ? null : performance.now() - this.startedAtMs;
  }

  close(): void {
    this.isClosing = true;
    this.client.disconnect();
    // A server that hangs would not take part in an orderly end. Before the first attempt there is no stream.
    (this.client.stream as BoundedRedis['stream'] | undefined)?.destroy();
  }

  private async learnAge(): Promise<void> {
    const askedAt = performance.now();
    const info = await this.client.info('server').catch((error: unknown) => this.outage.begin(error));
    const [, seconds] = /uptime_in_seconds:(\d+)/.exec(info ?? '') ?? [];
    if (seconds === undefined || this.client.status !== 'ready') return;
    this.startedAtMs = askedAt - Number(seconds) * 1000;
    this.outage.end();
  }

  private heard(command: string, refusal: Error | null): void {
    if (refusal) this.outage.begin(refusal);
    else if (COUNTING.has(command)) this.outage.end();
  }
}

/** What works only where Redis takes writes: reading goes on in a server that is full. */
const COUNTING = new Set(['eval', 'evalsha']);

type CounterOptions = Pick<IRateLimiterStoreOptions, 'points' | 'duration'> & { readonly keyPrefix: string };

/** Makes rate counters: shared by all instances where there is a Redis. */
@Injectable()
export class SharedCounters implements OnApplicationShutdown {
  private readonly inMemory: MemoryCounter[] = [];

  constructor(@Inject(RedisConnection) private readonly redis: RedisConnection | null) {}

  /** A counter without a limit, in memory where there is no Redis. @param seconds length of its window */
  tally(keyPrefix: string, seconds: number): RateLimiterAbstract {
    const options = { keyPrefix, points: Number.MAX_SAFE_INTEGER, duration: seconds };
    return this.counter(options, new MemoryCounter(options));
  }

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
