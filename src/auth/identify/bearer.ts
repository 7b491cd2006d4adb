import type { IncomingMessage } from 'node:http';

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
