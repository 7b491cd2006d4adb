import { isObject } from '../validation/unknown-values.js';

export type Json = Readonly<Record<string, unknown>>;

/** Shapes of a body that can be told from its text. */
export type TextShape = 'empty' | 'object' | 'list' | 'repeated_keys' | 'html' | 'other';

/** What a text is. Only an `object` has a value: a JSON object that has no key twice. */
export function readShape(text: string): { shape: TextShape; body: Json | null } {
  const trimmed = text.trim();
  if (trimmed === '') return { shape: 'empty', body: null };
  const parsed = parse(text);
  if (Array.isArray(parsed)) return { shape: 'list', body: null };
  if (isObject(parsed))
    return hasRepeatedKey(text) ? { shape: 'repeated_keys', body: null } : { shape: 'object', body: parsed };
  return { shape: trimmed.startsWith('<') ? 'html' : 'other', body: null };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // no JSON, which is what was asked
  }
}

/**
 * Whether an object in a JSON text has the same key twice. Parsers keep one of the two, and not all the same one:
 * such a text says nothing for certain.
 *
 * @param text valid JSON
 */
export function hasRepeatedKey(text: string): boolean {
  const open: (Set<string> | null)[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at];
    if (sign === '{') open.push(new Set());
    else if (sign === '[') open.push(null);
    else if (sign === '}' || sign === ']') open.pop();
    else if (sign === '"') {
      const end = endOfString(text, at);
      const keys = open.at(-1);
      if (keys && isBeforeColon(text, end)) {
        const key = String(JSON.parse(text.slice(at, end)));
        if (keys.has(key)) return true;
        keys.add(key);
      }
      at = end - 1;
    }
  }
  return false;
}

/** Behind the closing quotation mark of the string that begins at `start`. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

function isBeforeColon(text: string, at: number): boolean {
  let next = at;
  while (/[ \t\r\n]/.test(text[next] ?? '')) next += 1;
  return text[next] === ':';
}
