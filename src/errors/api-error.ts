import type { Request } from 'express';
import { ERROR_CODES, type ErrorCode, FAILED_CONDITION } from './error-codes.js';

interface ApiErrorOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly retryAfterSeconds?: number | undefined;
  readonly cause?: unknown;
  /** Beside `error` in the body. */
  readonly more?: Readonly<Record<string, unknown>>;
  /** Instead of that of the code. */
  readonly status?: typeof FAILED_CONDITION.status;
}

/** A failure that the caller learns about. The status comes from the error table; `cause` goes to the log only. */
export class ApiError extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly retryAfterSeconds: number | undefined;
  readonly more: Readonly<Record<string, unknown>>;

  /**
   * @param options.retryAfterSeconds after which time the same request may do
   * @param options.headers extra response headers
   */
  constructor(
    readonly code: ErrorCode,
    message: string,
    options: ApiErrorOptions = {},
  ) {
    const { headers, retryAfterSeconds, cause, status, more = {} } = options;
    super(message, { cause });
    this.status = status ?? ERROR_CODES[code].status;
    this.retryAfterSeconds = retryAfterSeconds;
    this.more = more;
    this.headers = {
      ...headers,
      ...(retryAfterSeconds !== undefined && { 'Retry-After': String(retryAfterSeconds) }),
    };
  }

  /** The extra headers of the answer to this request. */
  headersFor(_request: Request): Readonly<Record<string, string>> {
    return this.headers;
  }
}
