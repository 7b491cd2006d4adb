import type { NextFunction, Request, Response } from 'express';
import { randomUUID } from 'node:crypto';

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

const WELL_FORMED = /^[A-Za-z0-9._-]{1,64}$/;
const HEADER = 'X-Request-Id';

/** Gives every request an id: the caller's when it is well-formed, else a new one. Echoed in the header. */
export function requestId(request: Request, response: Response, next: NextFunction): void {
  const offered = request.get(HEADER);
  request.requestId = offered !== undefined && WELL_FORMED.test(offered) ? offered : randomUUID();
  response.setHeader(HEADER, request.requestId);
  next();
}
