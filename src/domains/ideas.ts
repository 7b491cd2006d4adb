import { fillIn, t } from '../texts/texts.js';
import { dayInPurgeZone } from './schema/calendar-date.js';
import type { Domain } from './schema/domain.js';
import type { NameFilter } from './schema/filters/filters.js';
import { readWords } from './schema/filters/reading-filter.js';
import { findNear, MAX_NEAR, type Shared, sharedWords } from './near-matches.js';
import type { DiscoveryRepository } from './search/discovery.repository.js';
import type { Reading } from './words/reading.js';

/** Why a name that does not match is an idea. */
export const IDEA_KINDS = ['suffix', 'words', 'part', 'due'] as const;
export type IdeaKind = (typeof IDEA_KINDS)[number];

export interface Idea {
  readonly row: Domain;
  readonly kind: IdeaKind;
  /** Why, in words. */
  readonly text: string;
}

/** Names about to drop, and under other suffixes. */
const MAX_OTHERS = 5;

/**
 * Names for a question that few names match: the same under other suffixes, other words for it, parts of it, and names
 * about to drop. Nothing without a word.
 *
 * @param found the names that match
 */
export async function findIdeas(
  search: DiscoveryRepository,
  filter: NameFilter,
  found: readonly Domain[],
  limit: number,
): Promise<Idea[]> {
  const { q = '' } = filter;
  const reading = filter.reading ?? (q === '' ? undefined : readWords(q));
  if (!reading || limit <= 0) return [];
  const list = async (more: Partial<NameFilter>, most: number) =>
    (await search.discoverDomains({ ...filter, ...more, limit: most })).domains;
  // By text: the same words wherever they stand, unless the names that have the text are all of these.
  const isSame = filter.reading ?? (filter.mode === 'contains' && isWord(q, reading));
  const ideas = new Map<string, Idea>();
  const known = new Set(found.map(({ domain }) => domain));
  const add = (rows: readonly Domain[], reasonOf: (row: Domain) => Pick<Idea, 'kind' | 'text'>) => {
    for (const row of rows)
      if (!known.has(row.domain) && !ideas.has(row.domain)) ideas.set(row.domain, { row, ...reasonOf(row) });
  };
  const isFull = () => ideas.size >= limit;
  if (filter.suffixes.length > 0) add(await list({ suffixes: [] }, MAX_OTHERS + found.length), sameUnder);
  const close = (row: Domain) => closeReason(row, reading);
  if (!isFull() && !isSame) add(await list({ q: undefined, reading }, MAX_NEAR), close);
  if (!isFull()) add(await findNear(search, { ...filter, q: undefined, reading }, found, MAX_NEAR), close);
  if (!isFull()) add(await list({ states: ['listed'] }, MAX_OTHERS), dueReason);
  return [...ideas.values()].slice(0, limit);
}

function sameUnder({ tld }: Domain): Pick<Idea, 'kind' | 'text'> {
  return { kind: 'suffix', text: fillIn(t.search.ideas.sameUnder, { tld }) };
}

function dueReason({ purgeAt }: Domain): Pick<Idea, 'kind' | 'text'> {
  const day = purgeAt ? dayInPurgeZone(purgeAt) : t.search.ideas.anyDay;
  return { kind: 'due', text: fillIn(t.search.ideas.due, { day }) };
}

/** Whether each name with the words has the text: one that we know, or do not. */
function isWord(text: string, { terms: [term, ...others] }: Reading): boolean {
  if (!term || others.length > 0) return false;
  const spellings = term.words.length > 0 ? term.words : term.as;
  return spellings.every((spelling) => spelling.includes(text));
}

function closeReason({ name }: Domain, reading: Reading): Pick<Idea, 'kind' | 'text'> {
  const shared = sharedWords(name, reading);
  const missing = reading.terms.filter(({ typed }) => !shared.some((one) => one.typed === typed));
  const parts = [
    sharedInWords(shared),
    missing.length > 0
      ? fillIn(t.search.readAs.lacks, { words: missing.map(({ typed }) => typed).join(t.search.readAs.and) })
      : '',
  ];
  return {
    kind: missing.length > 0 ? 'part' : 'words',
    text: parts.filter((part) => part !== '').join(', '),
  };
}

/** `has shop, and cafe for coffee`. */
export function sharedInWords(shared: readonly Shared[]): string {
  const own = shared.filter(({ isRelated }) => !isRelated).map(({ word }) => word);
  const related = shared
    .filter(({ isRelated }) => isRelated)
    .map(({ word, typed }) => fillIn(t.search.ideas.instead, { word, typed }));
  const has = [...new Set([...own, ...related])];
  return has.length === 0 ? '' : fillIn(t.search.ideas.has, { words: has.join(t.search.readAs.and) });
}
