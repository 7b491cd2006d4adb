import type { MatchMode } from '../domain.js';

const START = '^';
const END = '$';
const GRAM_LENGTH = 3;
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789-';

/** The pattern with marks where it must meet the beginning or the end of a name: `^coffee`, `coffee$`. */
export function markPattern(q: string, mode: MatchMode): string {
  switch (mode) {
    case 'contains':
      return q;
    case 'prefix':
      return START + q;
    case 'suffix':
      return q + END;
    default:
      return mode satisfies never;
  }
}

/** A name as the SQL function domain_grams marks it. */
export function markName(name: string): string {
  return START + name + END;
}

/**
 * The pieces that every name which matches the pattern must have, as the SQL function domain_grams cuts names: all pieces
 * of three characters; a pattern of two is a piece itself, a single character has none.
 */
export function gramsOf(markedPattern: string): string[] {
  if (markedPattern.length < 2) return [];
  if (markedPattern.length < GRAM_LENGTH) return [markedPattern];
  const starts = markedPattern.length - GRAM_LENGTH + 1;
  return [...new Set(Array.from({ length: starts }, (_, at) => markedPattern.slice(at, at + GRAM_LENGTH)))];
}

/** Pieces of which a name with this character has one at least: the character and whatever may follow it. */
export function gramsStartingWith(character: string): string[] {
  return [...ALPHABET, END].map((next) => character + next);
}

/** Every piece that domain_grams cuts the marked name into, the suffix left out. */
export function allGramsOf(markedName: string): Set<string> {
  const grams = new Set<string>();
  for (let place = 0; place < markedName.length - 1; place += 1) {
    grams.add(markedName.slice(place, place + 2));
    if (place < markedName.length - 2) grams.add(markedName.slice(place, place + GRAM_LENGTH));
  }
  return grams;
}

/** The pattern for LIKE on a name. The characters of q (a-z, 0-9, hyphen) mean themselves there. */
export function likePattern(q: string, mode: MatchMode): string {
  const before = mode === 'prefix' ? '' : '%';
  const after = mode === 'suffix' ? '' : '%';
  return `${before}${q}${after}`;
}

/** The first text behind all that start with q, in byte order. q ends in a-z, 0-9 or a hyphen. */
export function endOfPrefix(q: string): string {
  const last = q.length - 1;
  return q.slice(0, last) + String.fromCharCode(q.charCodeAt(last) + 1);
}
