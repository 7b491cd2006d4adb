import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { ApiError } from './api-error.js';

/** The largest body that is read at any address, in bytes; messages say it in kB. */
export const MAX_BODY_BYTES = 16_384;
export const BODY_TOO_LARGE = `The body is larger than this service reads (${MAX_BODY_BYTES / 1024} kB).`;

/**
 * Where an operation says which types its body may have beside JSON; the OpenAPI documents have them in their
 * place.
 */
export const REQUEST_CONTENT = 'x-request-content';

/** Refuses a body of another kind, which would not be read: a change that changed nothing would be called a success. */
@Injectable()
export class JsonBodyGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<Request>();
    // Null without a body, false with one of another kind, and with one that is empty.
    if (request.is('application/json') !== false || request.get('Content-Length') === '0') return true;
    throw new ApiError(
      'unsupported_media_type',
      'Send the body as JSON, with "Content-Type: application/json"',
    );
  }
}
