import type { NextFunction, Request, Response } from 'express';
import { ApiError } from '../api-error.js';

/** Refuses what Node would refuse with an empty body if it were left to it. */
export function refuseUnreadable(request: Request, _response: Response, next: NextFunction): void {
  if (request.httpVersion === '1.1' && request.headers.host === undefined)
    throw new ApiError('bad_request', 'HTTP/1.1 requests need a Host header.');
  const { expect } = request.headers;
  if (expect !== undefined && !/100-continue/i.test(expect))
    throw new ApiError('expectation_failed', 'The only expectation this service meets is 100-continue.');
  next();
}
