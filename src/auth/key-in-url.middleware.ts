import type { NextFunction, Request, Response } from 'express';
import { ApiError } from '../errors/api-error.js';
import { decodeAscii, holdsApiKey } from './keys/api-key.js';

const KEY_PARAMETER = /[?&](?:api[-_]?key|access[-_]?token|authorization|bearer)=/i;

/**
 * Refuses a key in the address, whatever the address is: addresses end in logs, histories and Referer headers of others, so a
 * key that travelled in one is no secret any more.
 */
export function refuseKeyInUrl({ originalUrl }: Request, _response: Response, next: NextFunction): void {
  const address = decodeAscii(originalUrl);
  if (holdsApiKey(address) || KEY_PARAMETER.test(address))
    throw new ApiError(
      'invalid_parameter',
      'A key does not belong in an address. Send it as "Authorization: Bearer KEY"; a key that was sent in an address should be revoked.',
    );
  next();
}
