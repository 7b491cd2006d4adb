import { createHash, randomBytes } from 'node:crypto';

/** 32 random bytes, in base64url. */
export const BULK_TOKEN = /^[\w-]{43}$/;

export function mintBulkToken(): string {
  return randomBytes(32).toString('base64url');
}

/** As it is stored: whoever reads the table has no tokens. */
export function hashBulkToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
