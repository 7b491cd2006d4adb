import { createHash } from 'node:crypto';

/** By text: as many as the common question has shapes, some hundred. */
const NAMES = new Map<string, string>();

/** The name under which a statement is prepared. */
export function nameOf(text: string): string {
  const known = NAMES.get(text);
  if (known !== undefined) return known;
  const name = `discover_${createHash('sha256').update(text).digest('base64url').slice(0, 16)}`;
  NAMES.set(text, name);
  return name;
}
