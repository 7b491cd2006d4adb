import { randomInt } from 'node:crypto';
import { hashApiKey } from '../access/api-key.js';
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

/** Compares with every key, in constant time. @returns the name of its holder; null: no key matches */
export function holderOf(
  text: string,
  keys: readonly { readonly name: string; readonly hash: string }[],
): string | null {
  const hash = hashApiKey(text);
  let holder: string | null = null;
  for (const { name, hash: known } of keys) if (isSame(hash, Buffer.from(known, 'hex'))) holder = name;
  return holder;
}
