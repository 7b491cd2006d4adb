import { Catch, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { Config } from '../config/config.js';
import type { ApiError } from '../errors/api-error.js';
import { ApiErrorFilter } from '../errors/api-error.filter.js';

/** The path of the one resource that there are access tokens for: the tool server. */
export const TOKEN_RESOURCE = 'mcp';

/** Where it says of itself who hands them out (RFC 9728, 3.1). */
export const RESOURCE_METADATA_PATH = `.well-known/oauth-protected-resource/${TOKEN_RESOURCE}`;

/** Adds to a challenge where the tokens that would do are to be had (RFC 9728, 5.1). */
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
    const metadata = `resource_metadata="${links.baseUrl}/${RESOURCE_METADATA_PATH}"`;
    return { ...headers, 'WWW-Authenticate': `${challenge}, ${metadata}` };
  }
}
