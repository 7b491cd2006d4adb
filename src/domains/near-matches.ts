import { type Domain, labelOf } from './schema/domain.js';
import type { NameFilter } from './schema/filters/filters.js';
import type { DiscoveryRepository } from './search/discovery.repository.js';
import type { Description } from './words/description.js';
import { cutLabel } from './words/label-words.js';
import { lexicon } from './words/lexicon.js';
import type { Reading, Term } from './words/reading.js';

/** Most near matches of an answer. */
export const MAX_NEAR = 10;
/** Names that are looked at for them, of each question. */
const CANDIDATES = 40;
/** Questions with one word less than was typed. */
const MAX_PARTIAL = 4;
/** Longer questions are asked in pairs and single words of so many of their words. */
const MAX_PARTS = 6;
/** Questions that a description becomes, and names that are enough of them. */
const MAX_DESCRIBED = 10;
const ENOUGH = 120;
/** More variants make a question slow and find hardly more. */
const MAX_VARIANTS = 12;
/** What a related word counts beside the word itself, and letters of the label that no word of the question has. */
const RELATED_WEIGHT = 0.6;
const LEFTOVER_WEIGHT = 0.3;

type Ranked = Pick<Domain, 'domain' | 'wayback'>;

/** What a name has of a word of the question. */
export interface Shared {
  /** As it was typed. */
  readonly typed: string;
  /** As the label has it. */
  readonly word: string;
  readonly isRelated: boolean;
}

/**
 * Names that do not match a question of words and are close to it: with related words, or without one of the words. The
 * closest first.
 *
 * @param found the names that match
 */
export async function findNear(
  search: DiscoveryRepository,
  filter: NameFilter & { readonly reading: Reading },
  found: readonly Domain[],
  limit: number,
): Promise<Domain[]> {
  const ask = async (reading: Reading) =>
    (await search.discoverDomains({ ...filter, reading, limit: CANDIDATES })).domains;
  const near = await gather(nearReadings(filter.reading), ask, CANDIDATES, found);
  const isEnough = near.length >= Math.min(limit, MAX_NEAR);
  const further = isEnough
    ? []
    : await gather(partReadings(filter.reading), ask, CANDIDATES, [...found, ...near]);
  return closestOf([...near, ...further], filter.reading).slice(0, Math.min(limit, MAX_NEAR));
}

/** Names that have some of what a description says, the closest first. @param ask finds at most so many names */
export async function findDescribed<Row extends Ranked>(
  description: Description,
  ask: (reading: Reading, limit: number) => Promise<readonly Row[]>,
): Promise<Row[]> {
  const readings = describedReadings(description).slice(0, MAX_DESCRIBED);
  const rows = await gather(readings, (reading) => ask(reading, CANDIDATES), ENOUGH);
  return closestOf(rows, description.reading);
}

/** The names of the first questions that have enough together. */
async function gather<Row extends Ranked>(
  readings: readonly Reading[],
  ask: (reading: Reading) => Promise<readonly Row[]>,
  enough: number,
  known: readonly Ranked[] = [],
): Promise<Row[]> {
  const rows = new Map<string, Row>();
  for (const reading of readings) {
    for (const row of await ask(reading)) rows.set(row.domain, row);
    for (const { domain } of known) rows.delete(domain);
    if (rows.size >= enough) break;
  }
  return [...rows.values()];
}

/** The questions to ask instead, the nearest first. */
export function nearReadings(asked: Reading): Reading[] {
  const exact = { ...asked, name: null, globs: asked.name === null ? asked.globs : [] };
  const wide = { ...exact, terms: exact.terms.map(widened) };
  const { terms } = wide;
  const readings: Reading[] = [];
  if (asked.name !== null && terms.length > 0) readings.push(exact);
  if (terms.some(({ related }) => related.length > 0)) readings.push(wide);
  if (terms.length > 1)
    for (const left of terms.slice(-MAX_PARTIAL).reverse())
      readings.push({ ...wide, terms: terms.filter((term) => term !== left) });
  return readings;
}

/** Where leaving out one word finds little: two words beside each other, then single words. */
function partReadings(asked: Reading): Reading[] {
  const terms = asked.terms.slice(0, MAX_PARTS).map(widened);
  if (terms.length < 3) return [];
  const pairs = terms.slice(1).map((term, at) => [terms[at] ?? term, term]);
  const parts = [...(terms.length > 3 ? pairs : []), ...terms.map((term) => [term])];
  const exact = { ...asked, name: null, globs: asked.name === null ? asked.globs : [] };
  return parts.map((part) => ({ ...exact, terms: part }));
}

/** All of it; each thing in its place; two things together; one thing alone. */
export function describedReadings({ reading, places }: Description): Reading[] {
  const terms = reading.terms.map(widened);
  const topics = terms.filter(({ typed }) => !places.has(typed));
  const where = terms.filter(({ typed }) => places.has(typed));
  const pairs = topics.flatMap((one, at) => topics.slice(at + 1).map((other) => [one, other]));
  const parts = [
    terms,
    ...(where.length > 0 ? topics.map((topic) => [topic, ...where]) : []),
    ...pairs,
    ...topics.map((topic) => [topic]),
    ...(topics.length === 0 ? [where] : []),
  ].filter((part) => part.length > 0);
  const distinct = new Map(parts.map((part) => [part.map(({ typed }) => typed).join(), part]));
  return [...distinct.values()].map((part) => ({ ...reading, terms: part }));
}

function widened(term: Term): Term {
  if (term.words.length === 0) return term;
  return { ...term, words: [...term.words, ...term.related.slice(0, MAX_VARIANTS)] };
}

/** What the label has of the words of a question, in the order of the question. */
export function sharedWords(label: string, { terms }: Reading): Shared[] {
  const { words } = cutLabel(label, lexicon());
  return terms.flatMap((term): Shared[] => {
    const { typed } = term;
    const own =
      term.words.length === 0
        ? term.as.find((part) => label.includes(part))
        : words.find((one) => term.words.includes(one));
    if (own !== undefined) return [{ typed, word: own, isRelated: false }];
    const related = words.find((one) => term.related.includes(one));
    return related === undefined ? [] : [{ typed, word: related, isRelated: true }];
  });
}

/** By the words that a name has of the question, and how much else is in it; between equals the score decides. */
function closestOf<Row extends Ranked>(rows: readonly Row[], reading: Reading): Row[] {
  return rows
    .map((row) => ({ row, close: closenessOf(row, reading) }))
    .sort((one, other) => other.close - one.close || (one.row.domain < other.row.domain ? -1 : 1))
    .map(({ row }) => row);
}

function closenessOf({ domain, wayback }: Ranked, reading: Reading): number {
  const label = labelOf(domain);
  let [covered, used] = [0, 0];
  for (const { word, isRelated } of sharedWords(label, reading)) {
    covered += isRelated ? RELATED_WEIGHT : 1;
    used += word.length;
  }
  const leftover = Math.max(0, label.length - used) / Math.max(1, label.length);
  return covered - LEFTOVER_WEIGHT * leftover + Math.log10(1 + wayback) / 100;
}
