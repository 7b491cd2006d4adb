import type { IncomingMessage } from 'node:http';
import { Catch, Injectable } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { Config } from '../config/config.js';
import { ApiErrorFilter } from '../errors/api-error.filter.js';
import { ApiError } from '../errors/api-error.js';
import { t } from '../texts/texts.js';
import { decodeAscii, holdsApiKey, type Scope } from './api-key.js';

/**
 * The text after `Bearer` in the one Authorization header.
 *
 * @returns undefined without the header, null if it is not a single bearer token
 */
export function bearerToken(request: IncomingMessage): string | null | undefined {
  if (request.headers.authorization === undefined) return undefined;
  // Node keeps the first of several, but a proxy in front may have checked another one.
  const [value = '', ...others] = request.headersDistinct.authorization ?? [];
  const match = others.length === 0 ? BEARER.exec(value) : null;
  return match?.[1] ?? null;
}

// RFC 9110, 11.1: the scheme in any case; RFC 6750, 2.1: the token's characters.
const BEARER = /^bearer +([A-Za-z0-9._~+/-]+=*)$/i;

/** For a request without a key. */
export function keyRequired(message: string): ApiError {
  return new ApiError('key_required', message, { headers: challenge() });
}

/** For a request with a key that does not work. */
export function keyInvalid(): ApiError {
  return new ApiError('key_invalid', KEY_INVALID, { headers: challenge(', error="invalid_token"') });
}

/** For a working key without the scope. */
export function scopeRequired(scope: Scope, own: readonly Scope[]): ApiError {
  const how = scope === 'orders:place' ? ` ${t.keys.noTestOrders}` : '';
  const message = `This needs a key with the scope ${scope}; this one has ${own.join(', ')}.${how}`;
  const problem = `, error="insufficient_scope", scope="${scope}"`;
  return new ApiError('scope_required', message, { headers: challenge(problem) });
}

// One text for unknown, revoked, expired and malformed keys, so that it does not reveal which keys exist.
const KEY_INVALID =
  'The Authorization header holds no key that works. Send one as "Authorization: Bearer KEY"; keys are made ' +
  'and listed at /profile/api-keys.';

/** The header that a 401 must carry (RFC 9110, 15.5.2), and the 403 of a key that lacks a scope (RFC 6750, 3). */
function challenge(problem = ''): { 'WWW-Authenticate': string } {
  return { 'WWW-Authenticate': `Bearer realm="bowerbird"${problem}` };
}

const KEY_PARAMETER = /[?&](?:api[-_]?key|access[-_]?token|authorization|bearer)=/i;

/**
 * Refuses a key in any address: addresses are stored in logs, histories and Referer headers, so a key in one is no
 * longer secret.
 */
export function refuseKeyInUrl({ originalUrl }: Request, _response: Response, next: NextFunction): void {
  const address = decodeAscii(originalUrl);
  if (holdsApiKey(address) || KEY_PARAMETER.test(address))
    throw new ApiError(
      'invalid_parameter',
      'A key does not belong in an address. Send it as "Authorization: Bearer KEY"; a key that was sent in ' +
        'an address should be revoked.',
    );
  next();
}

/** Paths of the tool server, the only resource with access tokens. A token for either works at both. */
export const TOKEN_RESOURCES = ['mcp', 'mcp/account'] as const;
/** The one that a token is for if its app names none. */
export const DEFAULT_TOKEN_RESOURCE = TOKEN_RESOURCES[0];

/** Its metadata, which names the authorization server (RFC 9728, 3.1), is here, followed by the resource's path. */
export const RESOURCE_METADATA_PATH = '.well-known/oauth-protected-resource';

/** Adds the address of the metadata to a challenge (RFC 9728, 5.1). */
@Catch()
@Injectable()
export class ResourceChallengeFilter extends ApiErrorFilter {
  constructor(private readonly config: Config) {
    super();
  }

  protected override headersOf(error: ApiError, request: Request): Readonly<Record<string, string>> {
    const headers = super.headersOf(error, request);
    const { auth, links } = this.config;
    const challenge = headers['WWW-Authenticate'];
    if (challenge === undefined || !auth.takesApps) return headers;
    const resource = TOKEN_RESOURCES.find((path) => request.path === `/${path}`) ?? DEFAULT_TOKEN_RESOURCE;
    const metadata = `resource_metadata="${links.baseUrl}/${RESOURCE_METADATA_PATH}/${resource}"`;
    return { ...headers, 'WWW-Authenticate': `${challenge}, ${metadata}` };
  }
}
