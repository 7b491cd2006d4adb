import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Request } from 'express';
import type { Observable } from 'rxjs';
import { ApiError } from '../../../errors/api-error.js';
import { CSV_TYPE, NAME_LIST_TYPES, namesOfCsv, namesOfNdjson } from './name-list.js';

/** Turns lists of names in other types into the JSON body, before it is judged; refuses what is no list of names. */
@Injectable()
export class BulkBodyInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<Request>();
    if (request.is('application/json')) return next.handle();
    const type = request.is(NAME_LIST_TYPES);
    // Without a body, and so without a type, the missing names are what is told.
    if (type === null) return next.handle();
    const text: unknown = request.body;
    if (!type || typeof text !== 'string')
      throw new ApiError(
        'unsupported_media_type',
        `Send the names as application/json, or as one of ${NAME_LIST_TYPES.join(', ')}`,
      );
    request.body = { domains: type === CSV_TYPE ? namesOfCsv(text) : namesOfNdjson(text) };
    return next.handle();
  }
}
