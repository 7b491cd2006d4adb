import { ApiError } from '../../errors/api-error.js';
import { challenge } from './challenge.js';

// One text for unknown, revoked, expired and malformed keys: it tells nobody which keys there are.
const KEY_INVALID =
  'The Authorization header holds no key that works. Send one as "Authorization: Bearer KEY"; keys are made and listed at /profile/api-keys.';

/** The answer to whoever shows a key that does not work, or works no longer. */
export function keyInvalid(): ApiError {
  return new ApiError('key_invalid', KEY_INVALID, { headers: challenge('invalid_token') });
}
