import type { OpenAPIObject } from '@nestjs/swagger';
import type { ErrorCode } from '../errors/error-codes.js';
import { RATE_RESPONSE_HEADERS } from '../rate-limit/rate-headers.js';
import { mapOperations, type Operation } from './operations.js';

type Response = Exclude<NonNullable<Operation['responses'][string]>, { $ref: string }>;
type Headers = NonNullable<Response['headers']>;

/** What no controller says because it holds everywhere: the headers of every answer, and where a 304 is one. */
export function withResponseHeaders(document: OpenAPIObject): OpenAPIObject {
  return mapOperations(document, (operation, method) => ({
    ...operation,
    responses: describeAll(method, operation.responses as Record<string, Response>),
  }));
}

function describeAll(method: string, responses: Record<string, Response>): Record<string, Response> {
  // As setMeteredHeaders has it: an answer that says what is left of a budget is never exchanged for a 304.
  const isRepeatable = method === 'get' && !('RateLimit' in (responses[200]?.headers ?? {}));
  const isMetered = names(responses[429], 'budget_exhausted');
  const all = { ...responses, ...(isRepeatable && { 304: NOT_MODIFIED }) };
  return Object.fromEntries(
    Object.entries(all).map(([status, response]) => [
      status,
      {
        ...response,
        headers: {
          ...REQUEST_ID,
          ...(isRepeatable && status === '200' && ETAG),
          ...(status === '401' && CHALLENGE),
          ...(isMetered && knowsTheBudget(response) && RATE_RESPONSE_HEADERS),
          ...response.headers,
        },
      },
    ]),
  );
}

/** A failure of metered work says what is left, except while the database is away. */
function knowsTheBudget(response: Response): boolean {
  const codes: ErrorCode[] = ['budget_exhausted', 'registry_unavailable', 'not_found'];
  return codes.some((code) => names(response, code));
}

function names(response: Response | undefined, code: ErrorCode): boolean {
  return response?.description.includes(`\`${code}\``) ?? false;
}

const REQUEST_ID: Headers = {
  'X-Request-Id': {
    description: 'The id of this request, also in the log: the one that was sent, or a new one.',
    schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,64}$' },
  },
};

const ETAG: Headers = {
  ETag: { description: 'Send it as If-None-Match to be told of changes only.', schema: { type: 'string' } },
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
