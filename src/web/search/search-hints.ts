import { Injectable } from '@nestjs/common';
import { dayInPurgeZone } from '../../domains/schema/calendar-date.js';
import { nameFilterOf } from '../../domains/schema/filters/parameters.js';
import { DomainRepository } from '../../domains/domain.repository.js';
import { lexicon } from '../../domains/words/lexicon.js';
import type { Reading, Term } from '../../domains/words/reading.js';
import { fillIn, grouped, t } from '../../texts/texts.js';
import { BY_RANK } from '../../domains/search/discovery-query.js';
import { dayInWords } from '../layout/words.js';
import { addressOf, type Field, type Filled, PAGE_PARAMETERS, queryOf, readingOf } from './search-form.js';

/** A search instead, with what it finds; or a name with its day. */
export interface Hint {
  readonly words: string;
  readonly count: string;
  readonly href: string;
}

/** What to look for where a search finds nothing; each leads to names that are there. */
export interface SearchHints {
  readonly spellings: readonly Hint[];
  readonly parts: readonly Hint[];
  readonly related: readonly Hint[];
  readonly due: readonly Hint[];
  readonly wider: readonly Hint[];
}

export const NO_HINTS: SearchHints = { spellings: [], parts: [], related: [], due: [], wider: [] };

const MAX_HINTS = 3;
/** Searches that are tried for them, of each kind. */
const MAX_TRIED = 6;
/** More names than these are not counted. */
const MAX_COUNTED = 20;
const MIN_WORD = 3;
const MIN_SPELLED = 4;
/** Of a question's first words: each walks all words that are near it. */
const MAX_SPELLED = 4;
const MAX_DISTANCE = 2;

interface Instead {
  readonly words: string;
  readonly filled: Filled;
}

@Injectable()
export class SearchHintFinder {
  constructor(private readonly domains: DomainRepository) {}

  async find(filled: Filled): Promise<SearchHints> {
    const reading = readingOf(filled);
    const asking = (questions: readonly string[]) =>
      this.thoseWithNames(questions.map((q) => ({ words: q, filled: { ...filled, q } })));
    const [spellings, parts, related, due, wider] = await Promise.all([
      asking(reading ? spellingsOf(reading) : []),
      asking(reading ? partsOf(reading) : []),
      asking(reading ? relatedOf(reading) : []),
      reading ? this.listDue(filled, reading) : [],
      this.thoseWithNames(widerOf(filled)),
    ]);
    return { spellings, parts, related, due, wider };
  }

  private async thoseWithNames(searches: readonly Instead[]): Promise<Hint[]> {
    const found: Hint[] = [];
    for (const { words, filled } of searches.slice(0, MAX_TRIED)) {
      const { length } = await this.list(filled, MAX_COUNTED + 1);
      const count =
        length > MAX_COUNTED ? fillIn(t.search.hints.more, { count: MAX_COUNTED }) : grouped(length);
      if (length > 0) found.push({ words, count, href: addressOf(filled) });
      if (found.length >= MAX_HINTS) break;
    }
    return found;
  }

  /** Names with all words or some of them that are due to drop. */
  private async listDue(filled: Filled, reading: Reading): Promise<Hint[]> {
    const due = new Map<string, Hint>();
    for (const q of [filled.q ?? '', ...partsOf(reading)].slice(0, MAX_TRIED)) {
      for (const { domain, purgeAt } of await this.list({ ...filled, q }, MAX_HINTS, {
        states: ['listed'],
      })) {
        const day = purgeAt ? dayInWords(dayInPurgeZone(purgeAt)).replace(/ \d{4}$/, '') : '';
        due.set(domain, { words: domain, count: day, href: `/domains/${domain}` });
      }
      if (due.size >= MAX_HINTS) break;
    }
    return [...due.values()].slice(0, MAX_HINTS);
  }

  private async list(
    filled: Filled,
    limit: number,
    more: { readonly states?: ['listed'] } = {},
  ): Promise<Awaited<ReturnType<DomainRepository['search']['discoverDomains']>>['domains']> {
    const query = await queryOf({ filled, cursor: undefined });
    const wanted = { ...nameFilterOf(query), sort: BY_RANK, limit, ...more };
    return (await this.domains.search.discoverDomains(wanted)).domains;
  }
}

/** The question with another word in the place of one. */
function asked({ terms }: Reading, place: number, word: string): string {
  return terms.map(({ as }, at) => (at === place ? word : (as[0] ?? ''))).join(' ');
}

/** Known words near those of the question. */
function spellingsOf(reading: Reading): string[] {
  return reading.terms.slice(0, MAX_SPELLED).flatMap((term, place) => {
    if (term.typed.length < MIN_SPELLED) return [];
    const near = lexicon()
      .near(term.typed, MAX_DISTANCE)
      .filter(({ word }) => word.length >= MIN_WORD && !term.words.includes(word) && word !== term.typed)
      .map(({ word, distance }) => ({ word, cost: lexicon().costOf(word) + DISTANCE_COST * distance }))
      .sort((one, other) => one.cost - other.cost);
    return near.slice(0, MAX_HINTS).map(({ word }) => asked(reading, place, word));
  });
}
const DISTANCE_COST = 7;

/** Its words by two, and each alone. */
export function partsOf({ terms }: Reading): string[] {
  const words = [...new Set(terms.flatMap(wordsOf))];
  if (words.length < 2) return words.length === 1 && terms[0]?.as[0] !== words[0] ? words : [];
  if (words.length === 2) return words;
  return [...words.flatMap((one, at) => words.slice(at + 1).map((other) => `${one} ${other}`)), ...words];
}

/** The known words of a text that is none. */
function wordsOf({ as, reading, typed }: Term): string[] {
  if (reading !== 'text') return as.slice(0, 1);
  return lexicon()
    .cut(typed)
    .filter(({ text, isKnown }) => isKnown && text.length >= MIN_WORD)
    .map(({ text }) => text);
}

function relatedOf(reading: Reading): string[] {
  return reading.terms.flatMap(({ related }, place) =>
    related.slice(0, MAX_TRIED).map((word) => asked(reading, place, word)),
  );
}

/** The search without one of its filters, for each filter. */
function widerOf(filled: Filled): Instead[] {
  return PAGE_PARAMETERS.flatMap(({ parameter, name }) => {
    if (filled[parameter as Field] === undefined || parameter === 'q') return [];
    const rest = Object.entries(filled).filter(([field]) => field !== parameter);
    return [{ words: fillIn(t.search.leaveOut, { filter: name }), filled: Object.fromEntries(rest) }];
  });
}
