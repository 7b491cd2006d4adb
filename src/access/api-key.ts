import { createHash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** `test` keys see what the account's tier sees, on the demo tier's budget, and spend nothing of the account's. */
export const KEY_KINDS = ['live', 'test'] as const;
export type KeyKind = (typeof KEY_KINDS)[number];

/** What a key may be used for. */
export const SCOPES = ['read', 'webhooks', 'export'] as const;
export type Scope = (typeof SCOPES)[number];

/**
 * Every kind of secret that is handed out: keys, and the access and refresh tokens of apps that an account has connected. All have
 * one form, so that none of them passes where another would be seen: in an address, in a log.
 */
const SECRET_KINDS = [...KEY_KINDS, 'oauth', 'refresh'] as const;
export type SecretKind = (typeof SECRET_KINDS)[number];

/** A key that was just made: the only moment at which its text exists outside its owner's hands. */
export interface MintedKey {
  readonly text: string;
  readonly hash: Buffer;
  /** First and last characters, for the owner to tell keys apart; more than 128 bits stay unseen. */
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

/** `dau_live_`, `dau_test_` and so on, 30 random characters and 6 of checksum: recognisable to people and to leak scanners. */
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

/** Whether the text can be a key at all. Typing errors and made-up keys are caught here, without a query. */
export function isApiKey(text: string): boolean {
  if (!WHOLE.test(text)) return false;
  return checksumOf(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH);
}

/**
 * What is stored instead of the key. One round of SHA-256 is right for 178 random bits, which nobody can guess through;
 * slow hashes are for passwords, and here would let anybody keep the service busy.
 */
export function hashApiKey(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** Whether a key, or most of one, stands somewhere in the text. */
export function holdsApiKey(text: string): boolean {
  return PART.test(text);
}

/** An address with its ASCII decoded, for looking whether a key stands in it: `dau%5Flive%5F…` is one as well. */
export function decodeAscii(address: string): string {
  return address.replace(/%([0-7][\da-f])/gi, (_, code: string) => String.fromCharCode(parseInt(code, 16)));
}

/** The text without the secret part of any key in it. */
export function maskApiKeys(text: string): string {
  return text.includes('dau_') ? text.replace(PARTS, '$1[key]') : text;
}

// A key cut short or with a character too many is still somebody's secret.
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
