import type { NextFunction, Request, Response } from 'express';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { VERSION } from '../config/product.js';
import { ApiError } from './api-error.js';

declare global {
  // Express' own way to add to its Request; @types/express-serve-static-core declares the namespace.
  // eslint-disable-next-line @typescript-eslint/no-namespace
  namespace Express {
    interface Request {
      /** The id of this request, in the X-Request-Id header, the error body and the log. */
      requestId: string;
    }
  }
}

// What looks like an API key was put into the wrong header, and is not to be repeated.
const WELL_FORMED = /^(?!.*dau_)[A-Za-z0-9._-]{1,64}$/;
const HEADER = 'X-Request-Id';

/** Gives every request an id, echoed in the header, and every answer the version of the contract. */
export function requestId(request: Request, response: Response, next: NextFunction): void {
  request.requestId = idOf(request);
  response.setHeader(HEADER, request.requestId);
  response.setHeader('API-Version', VERSION);
  next();
}

/** The id that the caller offers when it is well-formed, else a new one. */
export function idOf({ headers }: IncomingMessage): string {
  const offered = headers[HEADER.toLowerCase()];
  return typeof offered === 'string' && WELL_FORMED.test(offered) ? offered : randomUUID();
}

/**
 * Refuses what Node would refuse with an empty body if it were left to it, and what no two readers would decode
 * alike.
 */
export function refuseUnreadable(request: Request, _response: Response, next: NextFunction): void {
  if (request.httpVersion === '1.1' && request.headers.host === undefined)
    throw new ApiError('bad_request', 'HTTP/1.1 requests need a Host header.');
  // Node keeps the first one; a proxy in front may have gone by the last.
  if (countHosts(request) > 1)
    throw new ApiError('bad_request', 'The Host header is there more than once; send it once.');
  const { expect } = request.headers;
  if (expect !== undefined && !/100-continue/i.test(expect))
    throw new ApiError('expectation_failed', 'The only expectation this service meets is 100-continue.');
  if (request.url.includes('%') && !isDecodable(request.url))
    throw new ApiError('bad_request', BADLY_ENCODED);
  next();
}

function countHosts({ rawHeaders }: Request): number {
  // Names and values in turn.
  return rawHeaders.filter((name, place) => place % 2 === 0 && name.length === 4 && /^host$/i.test(name))
    .length;
}

const BADLY_ENCODED =
  'The address has percent-encoding that cannot be decoded; write a percent sign itself as %25.';

function isDecodable(address: string): boolean {
  try {
    decodeURIComponent(address);
    return true;
  } catch {
    return false;
  }
}
