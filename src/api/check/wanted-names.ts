import { createHash, randomBytes } from 'node:crypto';
import { type DomainName, judgeDomainName } from '../../domains/name/domain-name.js';
import type { RegistryAnswer } from '../../registry/answer.js';
import type { BulkName } from './bulk-check.repository.js';

/** Of a text that is no name, so much is sent back. */
const MAX_ECHO_LENGTH = 100;

/** A text that was asked for, and the name in it. */
export interface Wanted extends BulkName {
  readonly name: DomainName | null;
}

/** Each name once, in the order in which it came first. */
export function distinct(texts: readonly string[]): Wanted[] {
  const wanted = texts.map((text): Wanted => {
    const judged = judgeDomainName(text);
    if (judged.ok) return { domain: judged.domain.domain, name: judged.domain, answer: null, error: null };
    const { code, message } = judged;
    const domain = text.trim().slice(0, MAX_ECHO_LENGTH).replace(/\p{C}/gu, '?');
    return { domain, name: null, answer: null, error: { code, message } };
  });
  // A map keeps the first place of a key.
  return [...new Map(wanted.map((one) => [one.domain, one])).values()];
}

/** Attaches known answers; unpaid ones are left out. */
export function fill(
  { name, ...one }: Wanted,
  paid: ReadonlySet<DomainName>,
  known: ReadonlyMap<string, RegistryAnswer>,
): BulkName {
  if (!name) return one;
  return paid.has(name) ? { ...one, answer: known.get(one.domain) ?? null } : { ...one, error: LEFT_OUT };
}

export const LEFT_OUT = {
  code: 'budget_exhausted',
  message: 'What the budget had left was enough for the names before this one.',
} as const;

/** 32 random bytes, in base64url. */
export const BULK_TOKEN = /^[\w-]{43}$/;

export function mintBulkToken(): string {
  return randomBytes(32).toString('base64url');
}

/** The stored form: a reader of the table learns no tokens. */
export function hashBulkToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
