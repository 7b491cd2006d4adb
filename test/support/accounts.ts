import { randomUUID } from 'node:crypto';
import { type KeyKind, mintApiKey, type Scope } from '../../src/access/api-key.js';
import type { Database } from '../../src/db/database.js';
import type { TierName } from '../../src/config/tiers.js';

/** The environment of a service with customers. */
export const WITH_KEYS = { AUTH: 'on', AUTH_SECRET: 'a-secret-of-the-tests-0123456789abcdef' };
/** What ORDERS=on needs. */
export const ORDER_SECRET_KEY = Buffer.alloc(32, 9).toString('base64');
/** And with exports. */
export const WITH_EXPORTS = { ...WITH_KEYS, EXPORTS: 'on' };
/** And with webhooks, whose receivers may be on this machine. */
export const WITH_WEBHOOKS = {
  ...WITH_KEYS,
  WEBHOOKS: 'on',
  WEBHOOK_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
  WEBHOOK_ALLOW_LOOPBACK: 'on',
  // Whose the receivers are is known; the pace is what webhook-proofs.e2e-spec.ts is about.
  WEBHOOK_UNPROVEN_PACE_SECONDS: '0',
};

export interface KeySeed {
  accountId: string;
  tier: TierName;
  kind: KeyKind;
  scopes: Scope[];
  expiresAt: Date | null;
  name: string;
}

export interface TestKey {
  readonly id: string;
  readonly accountId: string;
  readonly text: string;
  /** The Authorization header. */
  readonly bearer: string;
}

/** Makes an account without a password: for tests of keys. @returns its id */
export async function addAccount(database: Database, tier: TierName = 'member'): Promise<string> {
  const [row] = await database.query<{ id: string }>(
    `INSERT INTO account (email, email_verified, name, tier) VALUES ($1, true, 'Test', $2) RETURNING id`,
    [`${randomUUID()}@example.com`, tier],
  );
  if (!row) throw new Error('an inserted account has a row');
  return row.id;
}

/** Makes a key, of an account of its own unless one is named. */
export async function addKey(database: Database, seed: Partial<KeySeed> = {}): Promise<TestKey> {
  const { kind = 'live', scopes = ['read'], expiresAt = null, name = 'Test' } = seed;
  const accountId = seed.accountId ?? (await addAccount(database, seed.tier));
  const minted = mintApiKey(kind);
  // By itself, for the schema of the last release too.
  const [key] = await database.query<{ id: string }>(
    `INSERT INTO api_key (account_id, name, kind, scopes, expires_at, submission, hash, start, tail)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING id`,
    [accountId, name, kind, scopes, expiresAt, randomUUID(), minted.hash, minted.start, minted.tail],
  );
  if (!key) throw new Error('an inserted key has a row');
  return { id: key.id, accountId, text: minted.text, bearer: `Bearer ${minted.text}` };
}
