import { isObject } from '../validation/unknown-values.js';

/**
 * A short word for why a connection failed: its system code ("ECONNRESET"), else the error's name. fetch hides the
 * reason of its "fetch failed" in the cause. Told by shape, not by class, so that errors of another realm count as well.
 */
export function failureCodeOf(error: unknown): string {
  const reason = isObject(error) && isObject(error.cause) ? error.cause : error;
  if (!isObject(reason)) return 'unknown';
  return typeof reason.code === 'string' ? reason.code : String(reason.name);
}
