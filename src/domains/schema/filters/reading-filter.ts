import type { Bind, KnownName, View } from './filter.js';
import { likeGlob, markedLiterals, matchesGlob } from './glob.js';
import { BoundedMap } from '../../../validation/caches.js';
import { codeOfWord, wordsOfLabel } from '../../words/label-words.js';
import { lexicon } from '../../words/lexicon.js';
import { type Reading, readQuestion, type Term } from '../../words/reading.js';

// What a reading means for a name: in SQL and in memory. Which near matches there are is near-matches.ts.

/** The terms that a name must have: those of a whole name are for near matches only. */
function neededTerms({ name, terms }: Reading): readonly Term[] {
  return name === null ? terms : [];
}

/** The conditions, to be joined by AND. */
export function readingConditions(reading: Reading, { words, label }: View, bind: Bind): string[] {
  const like = (texts: readonly string[]) => bind(texts.map((text) => `%${text}%`));
  const hasTerm = (term: Term) =>
    term.words.length > 0
      ? `${words} && ${bind(codesOfTerm(term))}::integer[]`
      : `${label} LIKE ANY (${like(term.as)}::text[])`;
  return [
    ...neededTerms(reading).map(hasTerm),
    ...reading.phrases.map((phrase) => `${label} LIKE ANY (${like(spelledPhrase(phrase))}::text[])`),
    ...reading.globs.map((glob) => `${label} LIKE ${bind(likeGlob(glob))}`),
    ...reading.without.map((term) => `NOT (${hasTerm(term)})`),
  ];
}

/** The same in memory. */
export function matchesReading(
  reading: Reading,
  { name, words }: Pick<KnownName, 'name' | 'words'>,
): boolean {
  const codes = words ?? codesOf(name);
  const hasTerm = (term: Term) =>
    term.words.length > 0
      ? codesOfTerm(term).some((code) => codes.includes(code))
      : term.as.some((text) => name.includes(text));
  return (
    neededTerms(reading).every(hasTerm) &&
    reading.phrases.every((phrase) => spelledPhrase(phrase).some((text) => name.includes(text))) &&
    reading.globs.every((glob) => matchesGlob(glob, name)) &&
    !reading.without.some(hasTerm)
  );
}

const termCodes = new WeakMap<Term, readonly number[]>();

/** Written once: the names of the sample are compared with it one by one. */
function codesOfTerm(term: Term): readonly number[] {
  const codes = termCodes.get(term) ?? term.words.map(codeOfWord);
  termCodes.set(term, codes);
  return codes;
}

let last: { readonly label: string; readonly codes: readonly number[] } = { label: '', codes: [] };

/** Of a label that is compared with many readings, one after the other. */
export function codesOf(label: string): readonly number[] {
  if (label !== last.label) last = { label, codes: wordsOfLabel(label, lexicon()) };
  return last.codes;
}

/** Codes of words, a list for each term: names have one of each list. */
export function wordsToLookUp(reading: Reading | undefined): (readonly number[])[] {
  const terms = reading ? neededTerms(reading) : [];
  return terms.filter(({ words }) => words.length > 0).map(codesOfTerm);
}

/** The texts that every name of the reading has, marked as grams are. */
export function textsToLookUp(reading: Reading | undefined): string[] {
  if (!reading) return [];
  const texts = neededTerms(reading).filter(({ words }) => words.length === 0);
  return [
    ...texts.flatMap(({ as }) => as),
    ...reading.phrases.flat(),
    ...reading.globs.flatMap((glob) => markedLiterals({ glob })),
  ];
}

const MAX_KEPT = 500;
const kept = new BoundedMap<string, Reading>(MAX_KEPT);

/** Reads a question with the words of this release. */
export function readWords(text: string): Reading {
  const known = kept.get(text);
  if (known) return known;
  const reading = readQuestion(text, lexicon());
  kept.set(text, reading);
  return reading;
}

/** The words joined, and with hyphens between them. */
function spelledPhrase(words: readonly string[]): string[] {
  return [...new Set([words.join(''), words.join('-')])];
}
