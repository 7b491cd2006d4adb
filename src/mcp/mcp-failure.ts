import { type CallToolResult, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { Logger } from '@nestjs/common';
import { SUFFIXES } from '../domains/schema/domain.js';
import { ApiError } from '../errors/api-error.js';
import { ERROR_CODES, type ErrorCode } from '../errors/error-codes.js';
import { knownFailure, RequestEnded } from '../errors/database-failure.js';
import { MeteredError, type Quota, type Rate } from '../access/rate.dto.js';

/** A failure for an agent: the mistake, the next step and the time to wait. */
export interface McpFailure {
  code: ErrorCode;
  message: string;
  what_next: string;
  retry_after_seconds?: number;
  rate?: Rate;
  quota?: Quota;
  /** Only for our own faults: the log has the cause under this id. */
  request_id?: string;
}

/**
 * A failure as the result of a tool. Text only: clients validate structuredContent with the output schema even when
 * isError is set.
 */
export function toolFailure(thrown: unknown, requestId: string): CallToolResult {
  const text = JSON.stringify(describeFailure(thrown, requestId));
  return { content: [{ type: 'text', text }], isError: true };
}

/** The same for resources and prompts, which have no error results. */
export function protocolFailure(thrown: unknown, requestId: string): ProtocolError {
  const { message, ...rest } = describeFailure(thrown, requestId);
  return new ProtocolError(ProtocolErrorCode.InternalError, message, rest);
}

function describeFailure(thrown: unknown, requestId: string): McpFailure {
  const error = knownFailure(thrown) ?? unexpected(thrown);
  const isGone = thrown instanceof RequestEnded && thrown.isGone;
  if (error.status >= 500 && !isGone) log(error, requestId);
  return {
    code: error.code,
    message: error.message,
    what_next: whatNext(error),
    ...(error.retryAfterSeconds !== undefined && { retry_after_seconds: error.retryAfterSeconds }),
    ...(error instanceof MeteredError && error.left),
    ...(error.status === 500 && { request_id: requestId }),
  };
}

/** Longest wait before an agent should tell its user: the window of the minute's budget. */
const MAX_WAIT_SECONDS = 60;

function whatNext({ code, retryAfterSeconds = 0 }: ApiError): string {
  if (code === 'budget_exhausted' && retryAfterSeconds > MAX_WAIT_SECONDS) return COME_BACK_LATER;
  return WHAT_NEXT[code] ?? ERROR_CODES[code].meaning;
}

const SHARED = 'the budget is shared by all tools and the REST API.';
const COME_BACK_LATER =
  'Do not wait: tell the user that the budget is full again at quota.resets_at. ' +
  `Do not try another name: ${SHARED}`;

const WHAT_NEXT: Partial<Record<ErrorCode, string>> = {
  domain_missing: 'Call again with domain, one whole name such as coffeecart.com.au.',
  domain_invalid: 'Correct the name as the message says and call again; nothing was charged.',
  domain_suffix_unsupported: `Call again with a name that ends in one of ${SUFFIXES.join(', ')}; nothing was charged.`,
  domain_not_registrable: 'Call again with the registrable name alone; nothing was charged.',
  invalid_parameter: 'Correct the argument that the message names and call again; nothing was charged.',
  budget_exhausted: `Wait retry_after_seconds, then call again. Do not try another name meanwhile: ${SHARED}`,
  registry_unavailable:
    'The state of the name is unknown: call it neither available nor taken. ' +
    'Nothing was charged; call again after retry_after_seconds.',
  database_unavailable: 'Nothing was charged; call again after retry_after_seconds.',
  internal_error: 'Call once more later; if it fails again, report request_id to the operator.',
};

function unexpected(cause: unknown): ApiError {
  return new ApiError('internal_error', 'Something went wrong on our side.', { cause });
}

const logger = new Logger('Mcp');

// As in ApiErrorFilter: a 503 is a warning, our own fault an error with its stack.
function log({ status, code, cause, stack }: ApiError, requestId: string): void {
  const line = { request_id: requestId, code };
  if (status === 503) return logger.warn({ ...line, cause: String(cause) });
  logger.error({ ...line, stack: cause instanceof Error ? cause.stack : (stack ?? String(cause)) });
}
