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
        if (!isMetered(body)) return;
        http.getResponse<Response>().set(rateHeaders(http.getRequest<Request>().caller.tier, body));
      }),
    );
  }
}

function isMetered(body: unknown): body is Metered {
  return typeof body === 'object' && body !== null && 'rate' in body && body.rate instanceof Rate;
}
