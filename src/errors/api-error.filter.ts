import { ArgumentsHost, Catch, ExceptionFilter, HttpException, Logger } from '@nestjs/common';
import type { Request, Response, RequestHandler } from 'express';
import { documentPath, prefixOf } from '../config/product.js';
import { isObject } from '../validation/unknown-values.js';
import { ApiError } from './api-error.js';
import { knownFailure, RequestEnded } from './database-failure.js';
import { BODY_TOO_LARGE } from './validation.pipe.js';
import { conditionFailed } from './conditions.js';
import { type ErrorCode, FAILED_CONDITION } from './error-codes.js';
import type { ErrorBody } from './api-failures.decorator.js';

declare global {
  // Express' own way to add to its Request; @types/express-serve-static-core declares the namespace.
  // eslint-disable-next-line @typescript-eslint/no-namespace
  namespace Express {
    interface Request {
      /** The methods that the address takes, once no route has taken the request. */
      addressMethods?: readonly string[];
    }
  }
}

/** Stands behind the routes, at the path of some of them, and notes which methods those take. */
export function methodsOfAddress(methods: ReadonlySet<string>): RequestHandler {
  return (request, _response, next) => {
    request.addressMethods = [...(request.addressMethods ?? []), ...methods];
    next();
  };
}

/**
 * The methods that are allowed at the address of a request that matched no route, so that a wrong method is
 * answered with 405 and Allow instead of 404 (RFC 9110, 15.5.6).
 *
 * @returns upper-case names; empty when the address is unknown
 */
function allowedMethods({ addressMethods = [] }: Request): string[] {
  const names = new Set(addressMethods);
  if (names.has('GET')) names.add('HEAD');
  if (names.size > 0) names.add('OPTIONS');
  return [...names].sort();
}

/**
 * Answers OPTIONS, behind the routes: with the methods that the address takes. A browser that asks before it
 * sends is let through to an address that is not there, for its page would not see the 404 otherwise.
 */
export const answerOptions: RequestHandler = (request, response, next) => {
  const methods = allowedMethods(request);
  const isPreflight = request.headers['access-control-request-method'] !== undefined;
  if (request.method === 'OPTIONS' && (methods.length > 0 || isPreflight)) {
    if (methods.length > 0) response.setHeader('Allow', methods.join(', '));
    response.status(204).end();
  } else next();
};

declare global {
  // eslint-disable-next-line @typescript-eslint/no-namespace
  namespace Express {
    interface Request {
      /** Of the failure that it was answered with, if it was. */
      errorCode?: ErrorCode;
    }
  }
}

/** Ends a HEAD request, for which nothing is worked out, with an empty 200. */
export class HeadOnly extends Error {}

/** The one place that turns a failure into a response: the specification's body, a code of the table, a request id. */
@Catch()
export class ApiErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger('Errors');

  catch(thrown: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<Request>();
    const response = host.switchToHttp().getResponse<Response>();
    // The caller is gone; the log says that the request was aborted.
    if (thrown instanceof RequestEnded && response.closed) return;
    if (thrown instanceof HeadOnly) {
      response.status(200).end();
      return;
    }
    const error = toApiError(thrown, request);
    request.errorCode = error.code;
    if (error.status >= 500) this.log(error, thrown, request);
    // A response under way cannot be changed any more; ending the connection is the only honest sign.
    if (response.headersSent) {
      response.destroy();
      return;
    }
    // Of the answer that was meant: a failure is nothing to keep, and nothing to compare with.
    response.removeHeader('ETag');
    this.write(error, request, response);
  }

  /** Overridden where people read the answer and not programs. */
  protected write(error: ApiError, request: Request, response: Response): void {
    const body: ErrorBody = {
      error: { code: error.code, message: error.message, request_id: request.requestId },
      ...error.more,
    };
    // Also where the answer would have been of another type, such as a chart.
    response.status(error.status).set(this.headersOf(error, request)).type('json');
    response.set('Cache-Control', 'no-store').json(body);
  }

  /** Overridden where there is more to say. */
  protected headersOf(error: ApiError, request: Request): Readonly<Record<string, string>> {
    return error.headersFor(request);
  }

  private log(error: ApiError, thrown: unknown, request: Request): void {
    const cause = error.cause ?? thrown;
    const stack = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
    const line = {
      request_id: request.requestId,
      code: error.code,
      method: request.method,
      path: request.path,
    };
    // Expected bad weather (503) is a warning; only our own faults are errors.
    if (error.status === 503) this.logger.warn({ ...line, cause: String(cause) });
    else this.logger.error({ ...line, stack });
  }
}

function toApiError(thrown: unknown, request: Request): ApiError {
  const known = knownFailure(thrown);
  if (known) return known;
  const status = statusOf(thrown);
  if (status === 404) return notFound(request);
  if (status === FAILED_CONDITION.status) return conditionFailed();
  if (status === 413) return new ApiError('body_too_large', BODY_TOO_LARGE);
  if (status === 415)
    return new ApiError(
      'unsupported_media_type',
      'Send the body as application/json in UTF-8, not compressed in an unknown way.',
    );
  if (status >= 400 && status < 500)
    return new ApiError('bad_request', badRequestMessage(thrown), { cause: thrown });
  return new ApiError(
    'internal_error',
    'Something went wrong on our side; please try again and quote the request id.',
    {
      cause: thrown,
    },
  );
}

export function nothingAt(path: string): ApiError {
  return new ApiError(
    'not_found',
    `There is nothing at this address; ${documentPath(prefixOf(path))} lists what there is.`,
  );
}

function notFound(request: Request): ApiError {
  const methods = allowedMethods(request);
  if (methods.length === 0) return nothingAt(request.path);
  return new ApiError(
    'method_not_allowed',
    `This address takes ${methods.join(', ')}, not ${request.method}.`,
    {
      headers: { Allow: methods.join(', ') },
    },
  );
}

function statusOf(thrown: unknown): number {
  if (thrown instanceof HttpException) return thrown.getStatus();
  // body-parser, the router and other Express parts throw errors that carry a status.
  if (thrown instanceof Error && 'status' in thrown && typeof thrown.status === 'number')
    return thrown.status;
  return 500;
}

function badRequestMessage(thrown: unknown): string {
  // Nest wraps what Express threw. Told by shape, not by class, so that errors of another realm count as well.
  const error = thrown instanceof HttpException ? thrown.cause : thrown;
  if (!isObject(error)) return 'The request could not be read.';
  if (error.type === 'entity.parse.failed') return 'The body is not valid JSON; send one object.';
  if (error.type === 'request.aborted') return 'The body ended before it was complete.';
  return 'The request could not be read.';
}
