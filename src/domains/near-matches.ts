import type { Domain } from './schema/domain.js';
import type { NameFilter } from './schema/filters/filters.js';
import type { DiscoveryRepository } from './search/discovery.repository.js';
import { cutLabel } from './words/label-words.js';
import { lexicon } from './words/lexicon.js';
import type { Reading, Term } from './words/reading.js';

/** Most near matches of an answer. */
export const MAX_NEAR = 10;
/** Names that are looked at for them, of each question. */
const CANDIDATES = 40;
/** Questions with one word less than was typed. */
const MAX_PARTIAL = 4;
/** More variants make a question slow and find hardly more. */
const MAX_VARIANTS = 12;
/** What a related word counts beside the word itself, and letters of the label that no word of the question has. */
const RELATED_WEIGHT = 0.6;
const LEFTOVER_WEIGHT = 0.3;

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
  const known = new Set(found.map(({ domain }) => domain));
  const near = new Map<string, Domain>();
  for (const reading of nearReadings(filter.reading)) {
    const { domains } = await search.discoverDomains({ ...filter, reading, limit: CANDIDATES });
    for (const row of domains) if (!known.has(row.domain)) near.set(row.domain, row);
    if (near.size >= CANDIDATES) break;
  }
  const closeness = closenessTo(filter.reading);
  return [...near.values()]
    .map((row) => ({ row, close: closeness(row) }))
    .sort((one, other) => other.close - one.close || (one.row.domain < other.row.domain ? -1 : 1))
    .slice(0, Math.min(limit, MAX_NEAR))
    .map(({ row }) => row);
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

function widened(term: Term): Term {
  if (term.words.length === 0) return term;
  return { ...term, words: [...term.words, ...term.related.slice(0, MAX_VARIANTS)] };
}

/** By the words that a name has of the question, and how much else is in it; between equals the score decides. */
function closenessTo({ terms }: Reading): (row: Domain) => number {
  const sets = terms.map(({ words, related }) => ({ words: new Set(words), related: new Set(related) }));
  return ({ domain, wayback }) => {
    const label = domain.slice(0, domain.indexOf('.'));
    const { words } = cutLabel(label, lexicon());
    let [covered, used] = [0, 0];
    for (const [at, { words: own, related }] of sets.entries()) {
      const term = terms[at];
      const text = term?.words.length === 0 ? term.as.find((part) => label.includes(part)) : undefined;
      const word = text ?? words.find((one) => own.has(one)) ?? words.find((one) => related.has(one));
      if (word === undefined) continue;
      covered += text !== undefined || own.has(word) ? 1 : RELATED_WEIGHT;
      used += word.length;
    }
    const leftover = Math.max(0, label.length - used) / Math.max(1, label.length);
    return covered - LEFTOVER_WEIGHT * leftover + Math.log10(1 + wayback) / 100;
  };
}
