import { createHash } from 'node:crypto';
import { isSame } from '../validation/proofs.js';

/** Whether an Authorization header shows the token; whoever is compared learns nothing of it by the time that takes. */
export function holdsToken(authorization: string | undefined, token: string | undefined): boolean {
  const [, shown] = /^Bearer +(\S{1,1000})$/i.exec(authorization ?? '') ?? [];
  if (shown === undefined || token === undefined) return false;
  return isSame(digestOf(shown), digestOf(token));
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
