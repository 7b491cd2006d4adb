import { applyDecorators } from '@nestjs/common';
import { ApiResponse } from '@nestjs/swagger';
import { ERROR_CODES, type ErrorCode } from './error-codes.js';
import { errorExamples } from './error-examples.js';
import { ErrorBody } from './error.dto.js';

const SECONDS = { type: 'integer', minimum: 1 } as const;
/** The header, as the OpenAPI documents describe it wherever it stands. */
export const RETRY_AFTER = {
  'Retry-After': { description: 'Seconds to wait before trying again.', schema: SECONDS },
};

/** What can be wrong with any request, whatever the operation. */
const OF_ANY_REQUEST: ErrorCode[] = [
  'bad_request',
  'request_timeout',
  'body_too_large',
  'unsupported_media_type',
  'expectation_failed',
  'headers_too_large',
];

/** Documents the failures of an operation from the error table: one response a status, with the codes it may carry. */
export function ApiFailures(...codes: ErrorCode[]): MethodDecorator {
  const all = [...new Set<ErrorCode>([...codes, ...OF_ANY_REQUEST])];
  const statuses = [...new Set(all.map((code) => ERROR_CODES[code].status))].sort();
  return applyDecorators(...statuses.map((status) => failure(status, all)));
}

function failure(status: number, codes: ErrorCode[]): MethodDecorator {
  const own = codes.filter((code) => ERROR_CODES[code].status === status);
  if (own.length === 0) throw new Error(`no error code has status ${status}`);
  return ApiResponse({
    status,
    description: own.map((code) => `\`${code}\`: ${ERROR_CODES[code].meaning}`).join(' '),
    type: ErrorBody,
    headers: status === 429 || status === 503 ? RETRY_AFTER : undefined,
    examples: errorExamples(own),
  });
}
