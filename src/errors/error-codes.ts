/** Of the table, the codes of orders: documented only where the installation takes them. */
export const ORDER_ERROR_CODES = {
  balance_short: {
    status: 402,
    meaning: 'The balance is less than the order costs; the message has the cents. Nothing was held.',
  },
  mandate_required: {
    status: 403,
    meaning:
      'No mandate of the account lets this program do it: a person makes one at /profile/mandates, or does it.',
  },
  account_frozen: {
    status: 403,
    meaning: 'A card payment of the account is disputed; the operator can help. Nothing was held.',
  },
  price_changed: {
    status: 409,
    meaning: 'The price has moved since the quote; `quote` beside the error has a new one. Nothing was held.',
  },
  quote_expired: {
    status: 409,
    meaning: 'The quote is older than 15 minutes, or its registrant has changed; ask for a new one.',
  },
  name_not_available: {
    status: 409,
    meaning: 'The registry says that the name is not free. Nothing was held.',
  },
  order_closed: { status: 409, meaning: 'The order is past the state in which this can be done.' },
  not_eligible: { status: 422, meaning: 'The registrant may not have this name; the message has the rule.' },
  not_orderable: {
    status: 422,
    meaning: 'No registrar here takes this suffix or term; the message says what is sold.',
  },
  registrar_unavailable: {
    status: 503,
    meaning: 'The registrar does not answer. Nothing was held; see Retry-After.',
  },
  payments_unavailable: {
    status: 503,
    meaning: 'The card provider does not answer. Nothing was charged; see Retry-After.',
  },
  ordering_stopped: { status: 503, meaning: 'No orders are taken now. Nothing was held; see Retry-After.' },
} as const satisfies Record<string, { status: number; meaning: string }>;

/**
 * THE error table: every value of `error.code`, its HTTP status and what the caller should make of it. The filter, the
 * OpenAPI documents and the README's table are made from it. (The specification leaves the values open.)
 */
export const ERROR_CODES = {
  ...ORDER_ERROR_CODES,
  domain_missing: { status: 400, meaning: 'The domain parameter is missing or empty.' },
  domain_invalid: {
    status: 400,
    meaning: 'The text is not a registrable .au name; the message says what was wrong.',
  },
  domain_suffix_unsupported: {
    status: 400,
    meaning: 'The name does not end in one of the six suffixes served.',
  },
  domain_not_registrable: {
    status: 400,
    meaning:
      'A sub-domain, a bare suffix, a URL or the like; the message gives the registrable name where there is one.',
  },
  invalid_parameter: {
    status: 400,
    meaning: 'A parameter is wrong or unknown; the message names it and the rule.',
  },
  bad_request: {
    status: 400,
    meaning:
      'The request could not be read: broken JSON, bad percent-encoding and the like. With status 412: a condition ' +
      '(If-Match, If-Unmodified-Since) does not hold.',
  },
  key_required: {
    status: 401,
    meaning:
      'This needs an API key, sent as "Authorization: Bearer KEY". The message names the tier that would do, ' +
      'or says that there are no keys here.',
  },
  key_invalid: {
    status: 401,
    meaning: 'The Authorization header holds no key that works: unknown, revoked, expired or malformed.',
  },
  tier_required: {
    status: 403,
    meaning: "The account's tier does not include this; the message names the tier that would do.",
  },
  scope_required: { status: 403, meaning: 'The key lacks a scope; the message names it.' },
  link_invalid: {
    status: 403,
    meaning: 'The link to a file is over, or is not one to this file; make another.',
  },
  host_not_allowed: {
    status: 403,
    meaning:
      'The Host or Origin header names a host that the tool server does not answer to; see MCP_ALLOWED_HOSTS ' +
      'and MCP_ALLOWED_ORIGINS.',
  },
  network_blocked: {
    status: 403,
    meaning: 'The operator refuses requests from this network for a time; the message says until when.',
  },
  not_found: { status: 404, meaning: 'There is nothing at this address.' },
  method_not_allowed: {
    status: 405,
    meaning: 'The address exists, but not for this method; see the Allow header.',
  },
  request_timeout: { status: 408, meaning: 'The request did not arrive in time.' },
  limit_reached: { status: 409, meaning: 'There are as many as there can be; the message says how many.' },
  idempotency_conflict: {
    status: 409,
    meaning: 'The Idempotency-Key was used for another request.',
  },
  host_not_proven: {
    status: 409,
    meaning: 'The host of the webhook did not show that it is yours; the message says what came.',
  },
  webhook_disabled: { status: 409, meaning: 'The webhook is switched off.' },
  gone: {
    status: 410,
    meaning: 'What the cursor would go on with is no longer kept; the message says how to begin again.',
  },
  body_too_large: { status: 413, meaning: 'The body is larger than the service reads.' },
  unsupported_media_type: {
    status: 415,
    meaning: 'The body has a type or an encoding that the service does not read.',
  },
  range_not_satisfiable: {
    status: 416,
    meaning:
      'The Range header asks for bytes behind the end of the file; Content-Range says how many it has.',
  },
  expectation_failed: {
    status: 417,
    meaning: 'The Expect header asks for something other than 100-continue.',
  },
  headers_too_large: { status: 431, meaning: 'The headers are larger than the service reads.' },
  budget_exhausted: {
    status: 429,
    meaning:
      'The record budget is spent, or reserved by requests under way; Retry-After says when to return.',
  },
  too_many_requests: {
    status: 429,
    meaning: 'Too many requests in this minute, whatever they cost; see Retry-After.',
  },
  internal_error: { status: 500, meaning: 'A fault of ours; retry with backoff and quote the request id.' },
  bad_gateway: {
    status: 502,
    meaning:
      'Said by the balancer in front (deploy/haproxy.cfg): the instance that worked on the request ended. Ask again.',
  },
  registry_unavailable: {
    status: 503,
    meaning:
      'No registry answered, so the state of the name is unknown. Nothing was charged; see Retry-After.',
  },
  database_unavailable: {
    status: 503,
    meaning:
      'The database is away, or what this needs is locked for too long; retry with backoff. Nothing was charged.',
  },
  not_ready: {
    status: 503,
    meaning: 'The service is starting or stopping, or no instance is ready; see Retry-After.',
  },
  overloaded: {
    status: 503,
    meaning: 'More requests came than can be answered in time. Nothing was charged; see Retry-After.',
  },
  gateway_timeout: {
    status: 504,
    meaning: 'Said by the balancer in front: the service did not answer in time. Ask again.',
  },
} as const satisfies Record<string, { status: number; meaning: string }>;

export type ErrorCode = keyof typeof ERROR_CODES;

/**
 * Of a condition that does not hold. Its code is the one it had while its status was 400: the only failure whose status
 * is not that of its code.
 */
export const FAILED_CONDITION = {
  code: 'bad_request',
  status: 412,
  message: 'A condition of the request does not hold: If-Match or If-Unmodified-Since names another version.',
} as const;

/** The failures of a route for keys with a scope. */
export const ACCOUNT_FAILURES = [
  'key_required',
  'key_invalid',
  'scope_required',
  'invalid_parameter',
] as const satisfies ErrorCode[];

/** The failures of a name that the caller gives. */
export const NAME_FAILURES = [
  'domain_missing',
  'domain_invalid',
  'domain_suffix_unsupported',
  'domain_not_registrable',
] as const satisfies ErrorCode[];

/** The error table as people read it, names of columns first; codes are marked as Markdown. */
export function errorRows(): string[][] {
  const codes = Object.entries(ERROR_CODES).filter(([code]) => !Object.hasOwn(ORDER_ERROR_CODES, code));
  const rows = codes.map(([code, { status, meaning }]) => [`\`${code}\``, String(status), meaning]);
  return [['Code', 'Status', 'Meaning'], ...rows];
}
