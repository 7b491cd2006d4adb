import { createHash, randomBytes } from 'node:crypto';

const TOKEN_BYTES = 24;

/** For a link that is mailed; what is kept of it is its hash. */
export function makeLinkToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

export function hashOfToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
