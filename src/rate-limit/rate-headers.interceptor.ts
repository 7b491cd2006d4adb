import { CallHandler, ExecutionContext, Injectable, NestInterceptor } from '@nestjs/common';
import type { Request, Response } from 'express';
import { type Observable, tap } from 'rxjs';
import { rateHeaders } from './rate-headers.js';
import { type Metered, Rate } from './rate.dto.js';

/** Repeats the `rate` of a metered answer in the headers, so that both always say the same. */
@Injectable()
export class RateHeadersInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler<unknown>): Observable<unknown> {
    const http = context.switchToHttp();
    return next.handle().pipe(
      tap((body) => {
        if (isMetered(body))
          setMeteredHeaders(http.getRequest<Request>(), http.getResponse<Response>(), body);
      }),
    );
  }
}

function isMetered(body: unknown): body is Metered {
  return typeof body === 'object' && body !== null && 'rate' in body && body.rate instanceof Rate;
}

/**
 * What is left, on an answer that is paid for and holds for this moment only: it is not kept and never becomes a 304, to
 * `If-None-Match: *` neither, which Express takes for a match whatever it answers.
 */
export function setMeteredHeaders(request: Request, response: Response, left: Metered): void {
  response.set({ ...rateHeaders(request.caller.tier, left), 'Cache-Control': 'no-store' });
  delete request.headers['if-none-match'];
}
