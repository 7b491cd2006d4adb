import type { Request } from 'express';
import { isFromHere } from '../access/session-resolver.js';
import { ApiError } from '../errors/api-error.js';

/** @throws {ApiError} bad_request for a form that another site sent */
export function assertFromHere({ headers }: Pick<Request, 'headers'>): void {
  if (!isFromHere(headers))
    throw new ApiError(
      'bad_request',
      'This form was sent from another site. Open the page here and send it again.',
    );
}
