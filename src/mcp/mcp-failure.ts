import { type CallToolResult, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { Logger } from '@nestjs/common';
import { SUFFIXES } from '../domains/schema/domain.js';
import { ApiError } from '../errors/api-error.js';
import type { ErrorCode } from '../errors/error-codes.js';
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

/** The tool that failed: its name, and what to call instead where it knows better than the general advice. */
interface FailedTool {
  readonly name: string;
  readonly instead?: Advice;
}

/** By code, what to call next and with which argument; `{tool}` is the tool that failed. */
export type Advice = Partial<Record<ErrorCode, string>>;

/**
 * A failure as the result of a tool. Text only: clients validate structuredContent with the output schema even when
 * isError is set.
 */
export function toolFailure(thrown: unknown, requestId: string, tool: FailedTool): CallToolResult {
  const text = JSON.stringify(describeFailure(thrown, requestId, tool));
  return { content: [{ type: 'text', text }], isError: true };
}

/** Resources and prompts have no error results. The tool with the same figures may do. */
const STATS_TOOL: FailedTool = { name: 'dataset_stats' };

export function protocolFailure(thrown: unknown, requestId: string): ProtocolError {
  const { message, ...rest } = describeFailure(thrown, requestId, STATS_TOOL);
  return new ProtocolError(ProtocolErrorCode.InternalError, message, rest);
}

function describeFailure(thrown: unknown, requestId: string, tool: FailedTool): McpFailure {
  const error = knownFailure(thrown) ?? unexpected(thrown);
  const isGone = thrown instanceof RequestEnded && thrown.isGone;
  if (error.status >= 500 && !isGone) log(error, requestId);
  return {
    code: error.code,
    message: error.message,
    what_next: whatNext(error, tool),
    ...(error.retryAfterSeconds !== undefined && { retry_after_seconds: error.retryAfterSeconds }),
    ...(error instanceof MeteredError && error.left),
    ...(error.status === 500 && { request_id: requestId }),
  };
}

/** Longest wait before an agent should tell its user: the window of the minute's budget. */
const MAX_WAIT_SECONDS = 60;

/** The next step, which always names a tool and its arguments: an agent without one gives up. */
export function whatNext(
  { code, retryAfterSeconds = 0 }: Pick<ApiError, 'code' | 'retryAfterSeconds'>,
  { name, instead = {} }: FailedTool,
): string {
  const isLong = code === 'budget_exhausted' && retryAfterSeconds > MAX_WAIT_SECONDS;
  const advice = isLong ? COME_BACK_LATER : (instead[code] ?? WHAT_NEXT[code] ?? CORRECT);
  return advice.replaceAll('{tool}', name);
}

const AGAIN = 'call {tool} again with the same arguments';
const SHARED = 'the budget is shared by all tools and the REST API.';
const COME_BACK_LATER =
  'Do not wait: tell the user that the budget is full again at quota.resets_at; dataset_stats, without ' +
  `arguments, is free. Do not try another name: ${SHARED}`;
const CORRECT = 'Correct the arguments of {tool} as the message says and call it again.';
const LATER = `Nothing was charged; ${AGAIN} after retry_after_seconds.`;

const WHAT_NEXT: Advice = {
  domain_missing: 'Call {tool} again with domain, one whole name such as coffeecart.com.au.',
  domain_invalid: 'Correct domain as the message says and call {tool} again; nothing was charged.',
  domain_suffix_unsupported: `Call {tool} again with a domain that ends in one of ${SUFFIXES.join(', ')}; nothing was charged.`,
  domain_not_registrable: 'Call {tool} again with domain, the registrable name alone; nothing was charged.',
  invalid_parameter:
    'Correct the argument that the message names and call {tool} again; nothing was charged.',
  tier_required:
    'Call {tool} again without the argument that the tier lacks (page, cursor, state, or a larger limit), and tell ' +
    'the user which tier would do.',
  scope_required:
    'Tell the user which scope the key lacks; check_domain with domain and suggest_domains with q need read alone.',
  key_required:
    'Tell the user that this needs a key; check_domain with domain and suggest_domains with q need none.',
  key_invalid: 'Tell the user that the key does not work; without one, call check_domain with domain.',
  not_found:
    'Call suggest_domains with q for names that there are, or check_domain with domain to ask the registry.',
  limit_reached: `Nothing was charged; ${AGAIN} in a minute, or tell the user.`,
  budget_exhausted: `Wait retry_after_seconds, then ${AGAIN}. Do not try another name meanwhile: ${SHARED}`,
  too_many_requests: `Wait retry_after_seconds, then ${AGAIN}.`,
  registry_unavailable: `The state of the name is unknown: call it neither available nor taken. ${LATER}`,
  database_unavailable: LATER,
  not_ready: LATER,
  overloaded: LATER,
  internal_error: `Later, ${AGAIN}, once; if it fails again, report request_id to the operator.`,
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
