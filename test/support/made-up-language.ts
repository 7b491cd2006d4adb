import type { Plural, Texts } from '../../src/texts/texts.js';

const SPELLING: Readonly<Record<string, string>> = {
  ...{ a: 'åå', e: 'ëë', i: 'ïï', o: 'öö', u: 'üü', y: 'ÿÿ' },
  ...{ A: 'Åå', E: 'Ëë', I: 'Ïï', O: 'Öö', U: 'Üü', Y: 'Ÿÿ' },
};

/** A third longer, and no word is spelt as in English; values, tags and addresses stay. */
export function lengthened(text: string): string {
  return text
    .split(/(\{\w+\}|<\/?\w+>|\/[\w/.-]+)/)
    .map((part, place) =>
      place % 2 === 1 ? part : part.replace(/[aeiouy]/gi, (one) => SPELLING[one] ?? one),
    )
    .join('');
}

/** A language of the same shape: longer words, and the plurals of Polish. */
export function madeUpFrom(texts: Texts): Texts {
  return { ...(madeUp(texts) as Texts), locale: 'pl' };
}

function madeUp(part: unknown): unknown {
  if (typeof part === 'string') return lengthened(part);
  if (isPlural(part)) {
    const { one = part.other, other } = part;
    return { one: lengthened(one), few: lengthened(`${other} few`), other: lengthened(other) };
  }
  const entries = Object.entries(part as object).map(([key, inner]) => [key, madeUp(inner)] as const);
  return Array.isArray(part) ? entries.map(([, inner]) => inner) : Object.fromEntries(entries);
}

function isPlural(part: unknown): part is Plural {
  return typeof part === 'object' && part !== null && 'other' in part;
}

/** Every text of a catalogue with its place. */
export function textsIn(part: unknown, place = ''): [string, string][] {
  if (typeof part === 'string') return [[place, part]];
  return Object.entries(part as object).flatMap(([key, inner]) =>
    textsIn(inner, place === '' ? key : `${place}.${key}`),
  );
}
