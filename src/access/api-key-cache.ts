import { setTimeout as pause } from 'node:timers/promises';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { unscoped } from '../db/scope.js';
import { BoundedMap } from '../validation/caches.js';
import { ApiKeyRepository, type KeyHolder } from './api-key.repository.js';

/**
 * How long a cached key is trusted after the version was last confirmed: a revocation takes effect within this time.
 */
export const TRUST_MS = 800;
const ASK_EVERY_MS = 300;
/** The same where it is only recalled. */
const RECALL_MS = 10_000;
/** Polling stops after this time without a request that shows a key. */
const QUIET_MS = 30_000;

/**
 * Says whether a cached row is still valid without reading it again. The database counts every change in one version; a
 * row read at the current version is valid.
 *
 * Unlike LISTEN, polling cannot fail silently: without answers the cached rows expire. It also works through connection
 * poolers.
 */
export class VersionWatch {
  private newest = { version: -1, askedAt: Number.NEGATIVE_INFINITY };
  private usedAt = Number.NEGATIVE_INFINITY;
  private readonly stopping = new AbortController();
  private asking = false;

  constructor(private readonly readVersion: () => Promise<number>) {}

  /** Whether a row read at `version` was still valid {@link TRUST_MS} ago or later. */
  holds(version: number): boolean {
    this.usedAt = performance.now();
    if (!this.asking) void unscoped(() => this.keepAsking());
    return version === this.newest.version && performance.now() - this.newest.askedAt < TRUST_MS;
  }

  /** Whether it was valid a few seconds ago, for decisions that are made again later. */
  heldLately(version: number): boolean {
    return version === this.newest.version && performance.now() - this.newest.askedAt < RECALL_MS;
  }

  /** Takes in a version read at `askedAt`, by performance.now(), which never steps. */
  observe(version: number, askedAt: number): void {
    const { newest } = this;
    if (version > newest.version || (version === newest.version && askedAt > newest.askedAt))
      this.newest = { version, askedAt };
  }

  /** Reads the version now. */
  async refresh(): Promise<void> {
    const askedAt = performance.now();
    try {
      this.observe(await this.readVersion(), askedAt);
    } catch {
      // Cached rows expire by themselves; the next look-up reports the same failure to its caller.
    }
  }

  stop(): void {
    this.stopping.abort();
  }

  private async keepAsking(): Promise<void> {
    this.asking = true;
    while (!this.stopping.signal.aborted && performance.now() - this.usedAt < QUIET_MS) {
      await pause(ASK_EVERY_MS, undefined, { ref: false, signal: this.stopping.signal }).catch(
        () => undefined,
      );
      await this.refresh();
    }
    this.asking = false;
  }
}

/** Holders kept in memory; 10,000 are about 5 MB. */
const MAX_KNOWN = 10_000;

interface Known {
  readonly holder: KeyHolder;
  /** By performance.now(): the clock of the process may be wrong. Infinity: until it is revoked. */
  readonly endsAtMs: number;
  readonly version: number;
}

/**
 * The holders of keys. At most one indexed query, and none for a key used in the last seconds. Every instance notices a
 * revoked key or a changed tier within TRUST_MS.
 */
@Injectable()
export class ApiKeyCache implements OnApplicationShutdown {
  private readonly known = new BoundedMap<string, Known>(MAX_KNOWN);
  private readonly watch: VersionWatch;

  constructor(private readonly keys: ApiKeyRepository) {
    this.watch = new VersionWatch(() => keys.readVersion());
  }

  /** The holder of a cached key that is still valid; null if it takes a look-up. */
  get(hash: Buffer): KeyHolder | null {
    const id = idOf(hash);
    const known = this.known.get(id);
    if (!known || !this.watch.holds(known.version)) return null;
    this.known.set(id, known);
    return performance.now() < known.endsAtMs ? known.holder : null;
  }

  /** The holder as of a few seconds ago, so only for decisions that are made again later. */
  recall(hash: Buffer): KeyHolder | null {
    const known = this.known.get(idOf(hash));
    return known && this.watch.heldLately(known.version) ? known.holder : null;
  }

  /** After a revocation: this instance refuses the key from the next request on, not only within TRUST_MS. */
  async invalidate(): Promise<void> {
    await this.watch.refresh();
  }

  onApplicationShutdown(): void {
    this.watch.stop();
  }

  /**
   * The holder of the key with this hash, if it works now.
   *
   * @throws {DatabaseUnavailable}; an unknown key is never let through
   */
  async load(hash: Buffer): Promise<KeyHolder | null> {
    const askedAt = performance.now();
    // The entry carries the version it was read at. After a change during the read the versions differ, and the entry
    // is never trusted.
    const { holder, version } = await this.keys.findHolder(hash);
    this.watch.observe(version, askedAt);
    const id = idOf(hash);
    if (holder) this.known.set(id, { holder, version, endsAtMs: askedAt + (holder.leftMs ?? Infinity) });
    else this.known.delete(id);
    return holder;
  }
}

function idOf(hash: Buffer): string {
  return hash.toString('base64');
}
