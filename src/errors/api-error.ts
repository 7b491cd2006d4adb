import { ERROR_CODES, type ErrorCode } from './error-codes.js';

/** A failure that the caller is told about. Status comes from the error table; `cause` goes to the log only. */
export class ApiError extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  /** @param options.headers extra response headers, such as Retry-After (seconds) */
  constructor(
    readonly code: ErrorCode,
    message: string,
    options: { headers?: Readonly<Record<string, string>>; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.status = ERROR_CODES[code].status;
    this.headers = options.headers ?? {};
  }
}
