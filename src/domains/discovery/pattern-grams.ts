import type { MatchMode } from '../domain.js';

/** The pattern with marks where it must meet the beginning or the end of a name: `^coffee`, `coffee$`. */
export function markPattern(q: string, mode: MatchMode): string {
  switch (mode) {
    case 'contains':
      return q;
    case 'prefix':
      return `^${q}`;
    case 'suffix':
      return `${q}$`;
    default:
      return mode satisfies never;
  }
}

const GRAM_LENGTH = 3;

/**
 * The pieces that every name which matches the pattern must have, as the SQL function domain_grams cuts names: all pieces
 * of three characters; a pattern of two is a piece itself, a shorter one has none.
 */
export function gramsOf(markedPattern: string): string[] {
  if (markedPattern.length < 2) return [];
  if (markedPattern.length < GRAM_LENGTH) return [markedPattern];
  const starts = markedPattern.length - GRAM_LENGTH + 1;
  return [...new Set(Array.from({ length: starts }, (_, at) => markedPattern.slice(at, at + GRAM_LENGTH)))];
}

/** The pattern for LIKE. The characters of q (a-z, 0-9, hyphen) mean themselves there. */
export function likePattern(q: string, mode: MatchMode): string {
  const before = mode === 'prefix' ? '' : '%';
  const after = mode === 'suffix' ? '' : '%';
  return `${before}${q}${after}`;
}
