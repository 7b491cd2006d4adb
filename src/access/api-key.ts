import { createHash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** `test` keys see what the account's tier sees, on the demo tier's budget, and spend nothing of the account's. */
export const KEY_KINDS = ['live', 'test'] as const;
export type KeyKind = (typeof KEY_KINDS)[number];

/** What a key may be used for. */
export const SCOPES = ['read', 'webhooks', 'export'] as const;
/** Of orders, where the installation takes them. */
export const ORDER_SCOPES = ['orders:read', 'orders:quote', 'orders:place'] as const;
export const ALL_SCOPES = [...SCOPES, ...ORDER_SCOPES] as const;
export type Scope = (typeof ALL_SCOPES)[number];

/** The scopes that a key of this kind works with: a test key places no orders. */
export function scopesOf(kind: SecretKind, scopes: readonly Scope[]): readonly Scope[] {
  return kind === 'test' ? scopes.filter((scope) => scope !== 'orders:place') : scopes;
}

/**
 * Every kind of secret we issue: keys, and the access and refresh tokens of connected apps. All have one form, so that
 * the checks of addresses and logs recognise each of them.
 */
const SECRET_KINDS = [...KEY_KINDS, 'oauth', 'refresh'] as const;
export type SecretKind = (typeof SECRET_KINDS)[number];

/** A new key: its text exists nowhere else but with its owner. */
export interface MintedKey {
  readonly text: string;
  readonly hash: Buffer;
  /** First and last characters, by which the owner recognises the key; more than 128 bits stay hidden. */
  readonly start: string;
  readonly tail: string;
}

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 62^30 is 178 bits. */
const SECRET_LENGTH = 30;
/** 62^6 holds every CRC-32. */
const CHECKSUM_LENGTH = 6;
const SHOWN_OF_SECRET = 4;
const SHOWN_OF_END = 4;

/** A prefix such as `dau_live_`, 30 random characters and a checksum of 6; leak scanners recognise it. */
export function mintApiKey(kind: SecretKind): MintedKey {
  const prefix = `dau_${kind}_`;
  const secret = Array.from({ length: SECRET_LENGTH }, () => BASE62[randomInt(BASE62.length)]).join('');
  const text = prefix + secret + checksumOf(prefix + secret);
  return {
    text,
    hash: hashApiKey(text),
    start: text.slice(0, prefix.length + SHOWN_OF_SECRET),
    tail: text.slice(-SHOWN_OF_END),
  };
}

const SHAPE = new RegExp(`dau_(?:${SECRET_KINDS.join('|')})_[0-9A-Za-z]{${SECRET_LENGTH + CHECKSUM_LENGTH}}`);
const WHOLE = new RegExp(`^${SHAPE.source}$`);

/** Whether the text has the form of a key. Catches typing errors and invented keys without a query. */
export function isApiKey(text: string): boolean {
  if (!WHOLE.test(text)) return false;
  return checksumOf(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH);
}

/**
 * The stored form of a key. One round of SHA-256 is enough for 178 random bits; a slow hash, as for passwords, would
 * let callers exhaust the CPU.
 */
export function hashApiKey(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** Whether the text contains a key, or most of one. */
export function holdsApiKey(text: string): boolean {
  return PART.test(text);
}

/** An address with its ASCII decoded, since `dau%5Flive%5F…` is a key as well. */
export function decodeAscii(address: string): string {
  return address.replace(/%([0-7][\da-f])/gi, (_, code: string) => String.fromCharCode(parseInt(code, 16)));
}

/** The text without the secret part of any key in it. */
export function maskApiKeys(text: string): string {
  return text.includes('dau_') ? text.replace(PARTS, '$1[key]') : text;
}

// A truncated key, or one with an extra character, is still a secret.
const MIN_SECRET_SEEN = 12;
// An operator's key is masked as well.
const PART = new RegExp(`(dau_(?:${SECRET_KINDS.join('|')}|operator)_)[0-9A-Za-z]{${MIN_SECRET_SEEN},}`);
const PARTS = new RegExp(PART.source, 'g');

function checksumOf(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let place = 0; place < CHECKSUM_LENGTH; place += 1) {
    digits = BASE62.charAt(rest % BASE62.length) + digits;
    rest = Math.floor(rest / BASE62.length);
  }
  return digits;
}
