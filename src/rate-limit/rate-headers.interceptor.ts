import { CallHandler, ExecutionContext, Injectable, NestInterceptor } from '@nestjs/common';
import type { Request, Response } from 'express';
import { type Observable, tap } from 'rxjs';
import { MeteredError } from './budget/metered-error.js';
import { setMeteredHeaders } from './rate-headers.js';
import { type Metered, Rate } from './rate.dto.js';

/** Repeats in the headers what a metered answer, or a metered failure, says is left, so that both always say the same. */
@Injectable()
export class RateHeadersInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler<unknown>): Observable<unknown> {
    const http = context.switchToHttp();
    const tell = (left: Metered) =>
      setMeteredHeaders(http.getRequest<Request>(), http.getResponse<Response>(), left);
    return next.handle().pipe(
      tap({
        next: (body) => {
          if (isMetered(body)) tell(body);
        },
        error: (failure: unknown) => {
          if (failure instanceof MeteredError) tell(failure.left);
        },
      }),
    );
  }
}

function isMetered(body: unknown): body is Metered {
  return typeof body === 'object' && body !== null && 'rate' in body && body.rate instanceof Rate;
}
