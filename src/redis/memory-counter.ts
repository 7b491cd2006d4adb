import { type IRateLimiterOptions, RateLimiterMemory } from 'rate-limiter-flexible';
import { makeRoom } from '../validation/caches.js';

/** Of one kind of count; a key with its timer takes about half a kilobyte. */
const MAX_KEYS = 50_000;

/**
 * Counts in the memory of this process, with a bounded number of keys: a caller with many addresses would
 * otherwise fill it. Beyond that, the least recently used keys are forgotten and start from zero.
 */
export class MemoryCounter extends RateLimiterMemory {
  /** In the order of their last use. */
  private readonly keys = new Set<string>();

  constructor(
    options: IRateLimiterOptions,
    private readonly maxKeys = MAX_KEYS,
  ) {
    super(options);
  }

  override consume(
    ...[key, ...rest]: Parameters<RateLimiterMemory['consume']>
  ): ReturnType<RateLimiterMemory['consume']> {
    this.use(String(key));
    return super.consume(key, ...rest);
  }

  override penalty(
    ...[key, ...rest]: Parameters<RateLimiterMemory['penalty']>
  ): ReturnType<RateLimiterMemory['penalty']> {
    this.use(String(key));
    return super.penalty(key, ...rest);
  }

  /** Ends the timers of all keys. */
  clear(): void {
    for (const key of this.keys) void this.delete(key);
    this.keys.clear();
  }

  private use(key: string): void {
    this.keys.delete(key);
    for (const oldest of makeRoom(this.keys, this.maxKeys)) void this.delete(oldest);
    this.keys.add(key);
  }
}
