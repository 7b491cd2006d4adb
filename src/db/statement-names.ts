import { createHash } from 'node:crypto';
import { BoundedMap } from '../validation/caches.js';

/** Questions have some hundred shapes; a name that is not kept is computed again. */
const MAX_NAMES = 2_000;

/** By text. */
const NAMES = new BoundedMap<string, string>(MAX_NAMES);

/** The name under which a statement is prepared. */
export function nameOf(text: string): string {
  const known = NAMES.get(text);
  if (known !== undefined) return known;
  const name = `shape_${createHash('sha256').update(text).digest('base64url').slice(0, 16)}`;
  NAMES.set(text, name);
  return name;
}
