import type { OpenAPIObject } from '@nestjs/swagger';
import { VERSION } from '../config/product.js';
import { CONDITION_FAILURE } from '../errors/api-failures.decorator.js';
import { ETAG } from '../errors/conditions.js';
import type { ErrorCode } from '../errors/error-codes.js';
import { RATE_RESPONSE_HEADERS } from '../access/rate.dto.js';
import { isObject } from '../validation/unknown-values.js';
import { mapOperations, type Operation } from './operations.js';

type Response = Exclude<NonNullable<Operation['responses'][string]>, { $ref: string }>;
type Headers = NonNullable<Response['headers']>;

/** What holds everywhere and no controller says: the headers of every answer, and where a 304 or a 412 is one. */
export function withResponseHeaders(document: OpenAPIObject): OpenAPIObject {
  const headers: Headers = {};
  const described = mapOperations(document, (operation, method) => {
    const answers = operation.responses as Record<string, Response>;
    const responses = describeAll(method, answers, document.components?.schemas ?? {});
    for (const response of Object.values(responses)) Object.assign(headers, response.headers);
    return { ...operation, responses: mapValues(responses, withReferences) };
  });
  return { ...described, components: { ...described.components, headers } };
}

/** A header means the same wherever it stands, so it is described once. */
function withReferences(response: Response): Response {
  const headers = mapValues(response.headers ?? {}, (_, name) => ({ $ref: `#/components/headers/${name}` }));
  return { ...response, headers };
}

function mapValues<From, To>(
  record: Record<string, From>,
  change: (value: From, name: string) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value, name)]));
}

function describeAll(
  method: string,
  responses: Record<string, Response>,
  schemas: object,
): Record<string, Response> {
  // An answer with the rest of a budget is never a 304 (setMeteredHeaders), except where its controller has an ETag.
  const said = responses[200]?.headers ?? {};
  const isRepeatable = method === 'get' && (!('RateLimit' in said) || 'ETag' in said);
  const isMetered = names(responses[429], 'budget_exhausted');
  const all: Record<string, Response> = {
    ...responses,
    ...(isRepeatable && { 304: NOT_MODIFIED, 412: CONDITION_FAILURE }),
  };
  return Object.fromEntries(
    Object.entries(all).map(([status, response]) => [
      status,
      {
        ...response,
        headers: {
          ...ALWAYS,
          ...(isRepeatable && status === '200' && ETAG),
          ...(method === 'get' && isPage(response, schemas) && NEXT),
          ...((status === '401' || names(response, 'scope_required')) && CHALLENGE),
          ...(names(response, 'too_many_requests') && FLOOD_HEADERS),
          ...(isMetered && knowsTheBudget(response) && RATE_RESPONSE_HEADERS),
          ...response.headers,
        },
      },
    ]),
  );
}

function isPage({ content }: Response, schemas: object): boolean {
  const [, name = ''] = /"#\/components\/schemas\/(\w+)"/.exec(JSON.stringify(content ?? {})) ?? [];
  const shape: unknown = new Map(Object.entries(schemas)).get(name);
  return isObject(shape) && isObject(shape.properties) && 'next_cursor' in shape.properties;
}

/** A failure of metered work has the rest of the budget in its headers, except while the database is away. */
function knowsTheBudget(response: Response): boolean {
  const codes: ErrorCode[] = ['budget_exhausted', 'registry_unavailable', 'not_found'];
  return codes.some((code) => names(response, code));
}

function names(response: Response | undefined, code: ErrorCode): boolean {
  return response?.description.includes(`\`${code}\``) ?? false;
}

const FLOOD_HEADERS: Headers = {
  'RateLimit-Policy': RATE_RESPONSE_HEADERS['RateLimit-Policy'],
  RateLimit: RATE_RESPONSE_HEADERS.RateLimit,
};

const ALWAYS: Headers = {
  'API-Version': {
    description: 'The version of the contract (see /changelog).',
    schema: { type: 'string' },
    example: VERSION,
  },
  'X-Request-Id': {
    description: 'The id of this request, also in the log: the one that was sent, or a new one.',
    schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,64}$' },
  },
};

const NEXT: Headers = {
  Link: {
    description: 'Where the next page is (`rel="next"`, RFC 8288); absent where nothing follows.',
    schema: { type: 'string' },
    example: '<https://bowerbird.example/api/v1/search?cursor=bWFkZS11cC1leGFtcGxl>; rel="next"',
  },
};

const CHALLENGE: Headers = {
  'WWW-Authenticate': {
    description: 'The scheme to use (RFC 6750).',
    schema: { type: 'string' },
    example: 'Bearer realm="bowerbird", error="invalid_token"',
  },
};

const NOT_MODIFIED: Response = {
  description: 'What If-None-Match names is still what would be answered.',
  headers: ETAG,
};
