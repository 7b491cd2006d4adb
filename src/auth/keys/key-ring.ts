import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { ApiKeyRepository, type KeyHolder } from './api-key.repository.js';
import { VersionWatch } from './version-watch.js';
import { BoundedMap } from '../../validation/bounded-map.js';

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
export class KeyRing implements OnApplicationShutdown {
  private readonly known = new BoundedMap<string, Known>(MAX_KNOWN);
  private readonly watch: VersionWatch;

  constructor(private readonly keys: ApiKeyRepository) {
    this.watch = new VersionWatch(() => keys.readVersion());
  }

  /** The holder of a key that was seen a moment ago and still works; null when that takes a look-up to say. */
  recall(hash: Buffer): KeyHolder | null {
    const id = idOf(hash);
    const known = this.known.get(id);
    if (!known || !this.watch.holds(known.version)) return null;
    this.known.set(id, known);
    return isInTime(known.holder) ? known.holder : null;
  }

  /** For after something was taken away here: this instance refuses it from the next request on, not within TRUST_MS. */
  async notice(): Promise<void> {
    await this.watch.look();
  }

  onApplicationShutdown(): void {
    this.watch.stop();
  }

  /**
   * The holder of the key with this hash, if it works now.
   *
   * @throws {DatabaseUnavailable}; an unknown key is never let through
   */
  async find(hash: Buffer): Promise<KeyHolder | null> {
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
