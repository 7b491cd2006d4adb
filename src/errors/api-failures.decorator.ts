import { applyDecorators, type Type } from '@nestjs/common';
import { ApiHeader, ApiResponse, ApiSchema } from '@nestjs/swagger';
import { ERROR_CODES, type ErrorCode, FAILED_CONDITION } from './error-codes.js';
import { one, oneOf, shape, text } from '../validation/shape.js';

const EXAMPLE_REQUEST_ID = '8b0a3c1e-6f5d-4f0e-9a51-0c8f1c7b2a4d';

@ApiSchema({ description: 'What went wrong.' })
export class ErrorDetail extends shape({
  code: oneOf(Object.keys(ERROR_CODES), 'Stable, machine-readable code.', 'invalid_parameter'),
  message: text('What was wrong and what to change.', 'limit must be an integer from 1 to 50'),
  request_id: text(
    'The id of this request, also in the X-Request-Id header and in the log.',
    EXAMPLE_REQUEST_ID,
  ),
}) {}

@ApiSchema({ name: 'Error', description: 'The body of every failure.' })
export class ErrorBody extends shape({
  error: one(ErrorDetail),
}) {}

const SECONDS = { type: 'integer', minimum: 1 } as const;
/** The header, as the OpenAPI documents describe it wherever it stands. */
export const RETRY_AFTER = {
  'Retry-After': { description: 'Seconds to wait before trying again.', schema: SECONDS },
};

/** The failures of any request, at every operation. */
const OF_ANY_REQUEST: readonly ErrorCode[] = [
  'invalid_parameter',
  'bad_request',
  'request_timeout',
  'body_too_large',
  'unsupported_media_type',
  'expectation_failed',
  'headers_too_large',
  'too_many_requests',
  'internal_error',
  'database_unavailable',
  'overloaded',
  'network_blocked',
];

/**
 * Documents the failures of an operation from the error table, those of any request included: one response a status,
 * with the codes it may carry.
 */
export function ApiFailures(...codes: ErrorCode[]): MethodDecorator {
  return ApiFailuresAs({}, ...codes);
}

/** The same, where the bodies of some statuses have more than the error. */
export function ApiFailuresAs(
  bodies: Readonly<Record<number, Type<ErrorBody>>>,
  ...codes: ErrorCode[]
): MethodDecorator {
  const all = [...new Set([...codes, ...OF_ANY_REQUEST])];
  const statuses = [...new Set(all.map((code) => ERROR_CODES[code].status))].sort();
  return applyDecorators(...statuses.map((status) => failure(status, all, bodies[status] ?? ErrorBody)));
}

function failure(status: number, codes: ErrorCode[], type: Type<ErrorBody>): MethodDecorator {
  const own = codes.filter((code) => ERROR_CODES[code].status === status);
  if (own.length === 0) throw new Error(`no error code has status ${status}`);
  return ApiResponse({
    status,
    description: own.map((code) => `\`${code}\`: ${ERROR_CODES[code].meaning}`).join(' '),
    type,
    headers: status === 429 || status === 503 ? RETRY_AFTER : undefined,
    examples: errorExamples(own),
  });
}

const CONDITION_MEANING = `\`${FAILED_CONDITION.code}\`: ${FAILED_CONDITION.message}`;
const FAILED_CONDITION_EXAMPLES = {
  [FAILED_CONDITION.code]: {
    summary: FAILED_CONDITION.message,
    value: {
      error: {
        code: FAILED_CONDITION.code,
        message: FAILED_CONDITION.message,
        request_id: EXAMPLE_REQUEST_ID,
      },
    },
  },
};

/** That a condition of a request may fail, as the OpenAPI documents describe it wherever there is an ETag. */
export const CONDITION_FAILURE = {
  description: CONDITION_MEANING,
  content: {
    'application/json': {
      schema: { $ref: '#/components/schemas/Error' },
      examples: FAILED_CONDITION_EXAMPLES,
    },
  },
};

/** Documents that a change is made to the version that If-Match names, and to no other one. */
export function ApiIfMatch(): MethodDecorator {
  return applyDecorators(
    ApiHeader({
      name: 'If-Match',
      required: false,
      description: 'The ETag of the GET at this address: what has changed since stays as it is, with 412.',
      schema: { type: 'string' },
    }),
    ApiResponse({ status: FAILED_CONDITION.status, ...CONDITION_FAILURE }),
  );
}

/** What the service has said, of each failure that a test brings about (test/errors/error-examples.e2e-spec.ts). */
export const SAID: Partial<Record<ErrorCode, string>> = {
  domain_missing: 'domain is missing; give one .au name such as coffeecart.com.au',
  domain_invalid: 'domain has an underscore in "coffee_cart"; use letters, digits and hyphens',
  domain_suffix_unsupported:
    'domain ends in com; this service covers com.au, net.au, org.au, id.au, asn.au and au',
  domain_not_registrable: 'domain is a sub-domain; the registrable name in it is coffeecart.com.au',
  invalid_parameter: 'limit must be an integer from 1 to 50',
  bad_request: 'The address has percent-encoding that cannot be decoded; write a percent sign itself as %25.',
  key_required:
    'This needs an API key. Send it as "Authorization: Bearer KEY"; keys are made at /profile/api-keys.',
  key_invalid:
    'The Authorization header holds no key that works. Send one as "Authorization: Bearer KEY"; keys are made ' +
    'and listed at /profile/api-keys.',
  tier_required: 'The tier member does not include pages after the first. The tier starter does.',
  scope_required: 'This needs a key with the scope webhooks; this one has read.',
  host_not_allowed:
    'The tool server does not answer to the Origin of this request; the operator can allow it in MCP_ALLOWED_ORIGINS.',
  not_found: 'nobody-knows-this.com.au is not in the dataset; /v1/domains/check asks the registry.',
  method_not_allowed: 'This address takes GET, HEAD, OPTIONS, not POST.',
  idempotency_conflict: 'This Idempotency-Key was used for another request; take a new one',
  webhook_disabled: 'This webhook is switched off; switch it on with "enabled": true',
  limit_reached: 'An account can have 20 webhooks; delete one first',
  gone:
    'The events that follow this cursor were deleted: they are kept for 25 months. Take a snapshot or read the names ' +
    'again, and begin with since at the time of that.',
  body_too_large: 'The body is larger than this service reads (16 kB).',
  unsupported_media_type: 'Send the body as JSON, with "Content-Type: application/json"',
  headers_too_large: 'The headers are larger than this service reads (16 kB).',
  budget_exhausted: 'The budget of 5 domain records a minute is spent; it is full again in 42 s.',
  too_many_requests: 'More than 60 requests in this minute; the next one is answered in 42 s.',
  registry_unavailable:
    'No registry answered, so the state of this name is unknown; please try again in 2 s.',
  internal_error: 'Something went wrong on our side; please try again and quote the request id.',
};

/** An example of this failure for the documents: a recorded message, or else its meaning. */
function errorExample(code: ErrorCode): ErrorBody {
  return {
    error: { code, message: SAID[code] ?? ERROR_CODES[code].meaning, request_id: EXAMPLE_REQUEST_ID },
  };
}

/** The same of several, by their codes, as a media type has them. */
export function errorExamples(
  codes: readonly ErrorCode[],
): Record<string, { summary: string; value: ErrorBody }> {
  return Object.fromEntries(
    codes.map((code) => [code, { summary: ERROR_CODES[code].meaning, value: errorExample(code) }]),
  );
}
