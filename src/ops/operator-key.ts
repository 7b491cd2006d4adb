import { randomInt } from 'node:crypto';
import { hashApiKey } from '../access/api-key.js';
import type { OperatorKey } from '../config/parsers.js';
import { isSame } from '../validation/proofs.js';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 62^43 is 256 bits. */
const SECRET_LENGTH = 43;
const PREFIX = 'dau_operator_';

/** A new key; its text is not stored. */
export interface MintedOperatorKey {
  readonly text: string;
  /** SHA-256 in hexadecimal digits; one round is right for 256 random bits, as for API keys. */
  readonly hash: string;
}

export function mintOperatorKey(): MintedOperatorKey {
  const secret = Array.from({ length: SECRET_LENGTH }, () => BASE62[randomInt(BASE62.length)]).join('');
  const text = PREFIX + secret;
  return { text, hash: hashApiKey(text).toString('hex') };
}

/** Compares with every key, in constant time. @returns null: no key matches */
export function findOperatorKey(text: string, keys: readonly OperatorKey[]): OperatorKey | null {
  const hash = hashApiKey(text);
  let found: OperatorKey | null = null;
  for (const key of keys) if (isSame(hash, Buffer.from(key.hash, 'hex'))) found = key;
  return found;
}
