import { CallHandler, ExecutionContext, Injectable, NestInterceptor } from '@nestjs/common';
import type { Request, Response } from 'express';
import { createHash } from 'node:crypto';
import { type Observable, tap } from 'rxjs';

/**
 * Gives an answer that may be kept its ETag, by which Express tells a caller who has it already so (304). Express would give
 * one to every answer, also to those that are paid for and hold for a moment only, so that setting of it is off.
 */
@Injectable()
export class EntityTagInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler<unknown>): Observable<unknown> {
    const { method } = context.switchToHttp().getRequest<Request>();
    if (method !== 'GET' && method !== 'HEAD') return next.handle();
    const response = context.switchToHttp().getResponse<Response>();
    return next.handle().pipe(
      tap((body) => {
        // A handler that answers by itself has no body here.
        if (body !== undefined && response.get('Cache-Control') !== 'no-store')
          response.set('ETag', entityTagOf(body));
      }),
    );
  }
}

/** Weak, because one answer has several encodings on the wire. */
export function entityTagOf(body: unknown): string {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return `W/"${createHash('sha1').update(text).digest('base64url')}"`;
}
