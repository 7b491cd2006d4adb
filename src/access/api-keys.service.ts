import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { ProcessTimers } from '../work/process-timers.js';
import { Clock } from '../db/database.js';
import { ApiKeyCache } from './api-key-cache.js';
import { mintApiKey, type MintedKey } from './api-key.js';
import { type ApiKey, ApiKeyRepository, isReplaceable, type NewApiKey } from './api-key.repository.js';

const WRITE_EVERY_MS = 5_000;
/** Keys used within five seconds; further ones are recorded at their next use. */
const MAX_USES = 10_000;

/** Records the use of keys in batches, so that no request waits for it. */
@Injectable()
export class KeyUse implements OnApplicationShutdown {
  private readonly logger = new Logger(KeyUse.name);
  private uses = new Map<string, Date>();

  constructor(
    private readonly keys: ApiKeyRepository,
    timers: ProcessTimers,
  ) {
    timers.every(WRITE_EVERY_MS, () => this.write());
  }

  note(keyId: string, at: Date): void {
    if (this.uses.size < MAX_USES || this.uses.has(keyId)) this.uses.set(keyId, at);
  }

  /** Keys whose use is not stored yet. */
  get size(): number {
    return this.uses.size;
  }

  async write(): Promise<void> {
    if (this.uses.size === 0) return;
    const uses = this.uses;
    this.uses = new Map();
    try {
      await this.keys.recordUse(uses);
    } catch (error) {
      // Only shown to the owner; the key's next use corrects it.
      this.logger.warn(`The last use of ${uses.size} keys was not written: ${String(error)}`);
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await this.write();
  }
}

/** Working keys of one account. */
export const MAX_WORKING_KEYS = 20;
const MAX_LISTED_KEYS = 100;

/** A new key with its text. */
export interface IssuedKey {
  readonly text: MintedKey['text'];
  readonly key: ApiKey;
}

/** Why an operation on keys is refused. */
export type KeyRefusal = 'no_account' | 'submitted_before' | 'too_many' | 'not_replaceable' | 'no_key';

export class KeyRefused extends Error {
  constructor(readonly refusal: KeyRefusal) {
    super(`The keys of the account were not changed: ${refusal}`);
  }
}

/** An account's operations on its keys. All but listing may throw {@link KeyRefused}. */
@Injectable()
export class ApiKeysService {
  constructor(
    private readonly keys: ApiKeyRepository,
    private readonly keyCache: ApiKeyCache,
    private readonly uses: KeyUse,
    private readonly clock: Clock,
  ) {}

  async listKeys(accountId: string): Promise<ApiKey[]> {
    // Includes this instance's latest uses; those of other instances are a few seconds late at most.
    await this.uses.write();
    return this.keys.listKeys(accountId, MAX_LISTED_KEYS);
  }

  async createKey(key: NewApiKey): Promise<IssuedKey> {
    return this.issue(key, MAX_WORKING_KEYS);
  }

  /**
   * Makes a key like this one, which keeps working until `until`, so that programs can change over.
   *
   * @param submission see {@link NewApiKey}
   */
  async replaceKey(accountId: string, keyId: string, submission: string, until: Date): Promise<IssuedKey> {
    const now = await this.clock.now();
    const { name, kind, scopes, networks, createdAt, expiresAt } = await this.findReplaceableKey(
      accountId,
      keyId,
      now,
    );
    const lifetimeMs = expiresAt && expiresAt.getTime() - createdAt.getTime();
    const key = {
      accountId,
      name,
      kind,
      scopes,
      networks,
      submission,
      expiresAt: lifetimeMs === null ? null : new Date(now.getTime() + lifetimeMs),
      replaces: { keyId, until, endsNow: until <= now },
    };
    // One more than usual, so that an account at the limit can replace a key.
    const issued = await this.issue(key, MAX_WORKING_KEYS + 1);
    await this.keyCache.invalidate();
    return issued;
  }

  async renameKey(accountId: string, keyId: string, name: string): Promise<void> {
    if (!(await this.keys.renameKey(accountId, keyId, name))) throw new KeyRefused('no_key');
  }

  async revokeKey(accountId: string, keyId: string): Promise<void> {
    if (!(await this.keys.revokeKey(accountId, keyId))) throw new KeyRefused('no_key');
    await this.keyCache.invalidate();
  }

  private async issue(newKey: NewApiKey, maxWorking: number): Promise<IssuedKey> {
    const minted = mintApiKey(newKey.kind);
    const key = await this.keys.insertKey(newKey, minted, maxWorking);
    if (typeof key === 'string') throw new KeyRefused(key);
    return { text: minted.text, key };
  }

  private async findReplaceableKey(accountId: string, keyId: string, now: Date): Promise<ApiKey> {
    const key = await this.keys.findKey(accountId, keyId);
    if (!key) throw new KeyRefused('no_key');
    if (!isReplaceable(key, now)) throw new KeyRefused('not_replaceable');
    return key;
  }
}
