import type { IncomingMessage } from 'node:http';
import { ApiError } from '../../errors/api-error.js';
import type { Scope } from './api-key.js';

/**
 * The text after `Bearer` in the one Authorization header.
 *
 * @returns undefined when no header was sent, null when what was sent is no single bearer token
 */
export function bearerToken({ headers, headersDistinct }: IncomingMessage): string | null | undefined {
  if (headers.authorization === undefined) return undefined;
  // Node keeps the first of several; which of them a proxy in front has judged is anybody's guess.
  const [value = '', ...others] = headersDistinct.authorization ?? [];
  const match = others.length === 0 ? BEARER.exec(value) : null;
  return match?.[1] ?? null;
}

// RFC 9110, 11.1: the scheme in any case; RFC 6750, 2.1: the token's characters.
const BEARER = /^bearer +([A-Za-z0-9._~+/-]+=*)$/i;

/** The answer to whoever came without a key. */
export function keyRequired(message: string): ApiError {
  return new ApiError('key_required', message, { headers: challenge() });
}

/** The answer to whoever shows a key that does not work, or works no longer. */
export function keyInvalid(): ApiError {
  return new ApiError('key_invalid', KEY_INVALID, { headers: challenge(', error="invalid_token"') });
}

/** The answer to whoever shows a key that works, and not for this. */
export function scopeRequired(scope: Scope, own: readonly Scope[]): ApiError {
  const message = `This needs a key with the scope ${scope}; this one has ${own.join(', ')}.`;
  const problem = `, error="insufficient_scope", scope="${scope}"`;
  return new ApiError('scope_required', message, { headers: challenge(problem) });
}

// One text for unknown, revoked, expired and malformed keys: it tells nobody which keys there are.
const KEY_INVALID =
  'The Authorization header holds no key that works. Send one as "Authorization: Bearer KEY"; keys are made and listed at /profile/api-keys.';

/** The header that a 401 must carry (RFC 9110, 15.5.2), and the 403 of a key that lacks a scope (RFC 6750, 3). */
function challenge(problem = ''): { 'WWW-Authenticate': string } {
  return { 'WWW-Authenticate': `Bearer realm="bowerbird"${problem}` };
}
