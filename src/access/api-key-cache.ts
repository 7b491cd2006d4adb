import { setTimeout as pause } from 'node:timers/promises';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { BoundedMap } from '../validation/caches.js';
import { ApiKeyRepository, type KeyHolder } from './api-key.repository.js';

/** How long what was read is relied on after the version was last seen unchanged: a revocation works within this time. */
export const TRUST_MS = 800;
const ASK_EVERY_MS = 300;
/** When nobody has used a key for so long, asking stops. */
const QUIET_MS = 30_000;

/**
 * Tells whether something read from the database is still true, without asking for it again. The database counts every
 * change in one version; what was read at the version that still held a moment ago is true.
 *
 * Unlike LISTEN, this cannot be deaf without knowing it: when the answers stop coming, for whatever reason, the trust
 * runs out by itself. It also works through connection poolers.
 */
export class VersionWatch {
  private newest = { version: -1, askedAt: Number.NEGATIVE_INFINITY };
  private usedAt = Number.NEGATIVE_INFINITY;
  private readonly stopping = new AbortController();
  private asking = false;

  constructor(private readonly readVersion: () => Promise<number>) {}

  /** Whether what was read at `version` is true as of {@link TRUST_MS} ago or less. */
  holds(version: number): boolean {
    this.usedAt = performance.now();
    if (!this.asking) void this.keepAsking();
    return version === this.newest.version && performance.now() - this.newest.askedAt < TRUST_MS;
  }

  /** Tells what a question that was asked at `askedAt` has shown, by performance.now(): that clock never steps. */
  observe(version: number, askedAt: number): void {
    const { newest } = this;
    if (version > newest.version || (version === newest.version && askedAt > newest.askedAt))
      this.newest = { version, askedAt };
  }

  /** Asks for the version now. */
  async refresh(): Promise<void> {
    const askedAt = performance.now();
    try {
      this.observe(await this.readVersion(), askedAt);
    } catch {
      // Trust runs out by itself then; the next look-up meets the same trouble and tells its caller.
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
  readonly version: number;
}

/**
 * Knows who holds a key. One indexed query at most, none for a key that was seen in the last seconds; a key that is
 * revoked, or an account that gets another tier, is noticed by every instance within TRUST_MS.
 */
@Injectable()
export class ApiKeyCache implements OnApplicationShutdown {
  private readonly known = new BoundedMap<string, Known>(MAX_KNOWN);
  private readonly watch: VersionWatch;

  constructor(private readonly keys: ApiKeyRepository) {
    this.watch = new VersionWatch(() => keys.readVersion());
  }

  /** The holder of a key that was seen a moment ago and still works; null when that takes a look-up to say. */
  get(hash: Buffer): KeyHolder | null {
    const id = idOf(hash);
    const known = this.known.get(id);
    if (!known || !this.watch.holds(known.version)) return null;
    this.known.set(id, known);
    return isInTime(known.holder) ? known.holder : null;
  }

  /** For after something was taken away here: this instance refuses it from the next request on, not within TRUST_MS. */
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
    // What was read carries the version that it was read at, so a change that happens meanwhile cannot be missed: the
    // version is then another one, and the entry is never trusted.
    const { holder, version } = await this.keys.findHolder(hash);
    this.watch.observe(version, askedAt);
    const id = idOf(hash);
    if (holder) this.known.set(id, { holder, version });
    else this.known.delete(id);
    return holder;
  }
}

function idOf(hash: Buffer): string {
  return hash.toString('base64');
}

function isInTime({ expiresAt }: KeyHolder): boolean {
  return expiresAt === null || expiresAt.getTime() > Date.now();
}
