import { createHash } from 'node:crypto';

/** Questions have some hundred shapes; a name that is not kept is computed again. */
const MAX_NAMES = 2_000;

/** By text. */
const NAMES = new Map<string, string>();

/** The name under which a statement is prepared. */
export function nameOf(text: string): string {
  const known = NAMES.get(text);
  if (known !== undefined) return known;
  const name = `discover_${createHash('sha256').update(text).digest('base64url').slice(0, 16)}`;
  if (NAMES.size < MAX_NAMES) NAMES.set(text, name);
  return name;
}
