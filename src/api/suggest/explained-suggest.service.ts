import { Injectable } from '@nestjs/common';
import type { Caller } from '../../access/caller.js';
import { Config } from '../../config/config.js';
import type { DiscoveryQuery } from '../../domains/search/discovery-query.js';
import type { Discovered } from '../../domains/search/discovery.repository.js';
import { DomainRepository } from '../../domains/domain.repository.js';
import type { KnownName } from '../../domains/schema/filters/filter.js';
import {
  isKnownInMemory,
  isPlain,
  matchesFilter,
  type NameFilter,
} from '../../domains/schema/filters/filters.js';
import { markedLiterals } from '../../domains/schema/filters/glob.js';
import { nameFilterOf } from '../../domains/schema/filters/parameters.js';
import { labelOf, type MatchMode, type Offer } from '../../domains/schema/domain.js';
import { toDomainDto } from '../../domains/schema/domain-view.js';
import { FirstOffers } from '../../domains/first-offers.js';
import { RecordBudget } from '../../access/record-budget.js';
import { adviceOn, noteOn } from './suggest-note.js';
import type { ExplainedSuggestResult, SuggestRequest, Explanation } from './suggest.dto.js';
import { findIdeas, type Idea, sharedInWords } from '../../domains/ideas.js';
import { findDescribed, sharedWords } from '../../domains/near-matches.js';
import { ApiError } from '../../errors/api-error.js';
import { type Description, readDescription } from '../../domains/words/description.js';
import { lexicon } from '../../domains/words/lexicon.js';
import { isEmptyReading, type Reading } from '../../domains/words/reading.js';
import { readAs } from '../../domains/words/read-as.js';
import { matchesReading, readWords } from '../../domains/schema/filters/reading-filter.js';
import { hasKeyword } from '../../domains/schema/filters/filter-table.js';

const VERBS: Readonly<Record<MatchMode, string>> = {
  contains: 'has',
  prefix: 'begins with',
  suffix: 'ends with',
};

/** What a name has of a description. */
function explainCloseness(row: Offer, place: number, reading: Reading): Explanation {
  const shared = sharedWords(labelOf(row.domain), reading);
  return {
    rank: place + 1,
    keywords: shared.map(({ typed }) => typed),
    behind_by: place === 0 ? 'first' : 'closeness',
    text: `${sharedInWords(shared)}; archive score ${row.wayback}.`,
  };
}

/** Why a name is in the list, and behind the one before it. */
function explain(
  { domain, wayback }: Offer,
  before: Offer | undefined,
  rank: number,
  { keywords = [], match, mode, glob, available_in: offeredUnder = [] }: SuggestRequest,
): Explanation {
  const [label = ''] = domain.split('.');
  const found = keywords.filter((keyword) =>
    match === 'words'
      ? matchesReading(readWords(keyword), { name: label })
      : hasKeyword(label, keyword, mode),
  );
  const behindBy = !before ? 'first' : before.wayback > wayback ? 'wayback' : 'name';
  const place = {
    first: 'the highest that matches',
    wayback: `${(before?.wayback ?? 0) - wayback} below the name before it`,
    name: 'as the name before it, which comes first in byte order',
  }[behindBy];
  const reasons = [
    `Archive score ${wayback}, ${place}`,
    ...(found.length > 0 ? [`${match === 'words' ? 'matches' : VERBS[mode]} ${found.join(' and ')}`] : []),
    ...(glob === undefined ? [] : [`matches ${glob}`]),
    ...(offeredUnder.length > 0 ? [`on offer as ${offeredUnder.map((tld) => `.${tld}`).join(', ')}`] : []),
  ];
  return { rank, keywords: found, behind_by: behindBy, text: `${reasons.join('; ')}.` };
}

/**
 * Merges lists of one ranking, each name once. Only the head of a timed-out part is known, so the merged list
 * ends where that head ends.
 */
export function mergeRanked(parts: readonly Discovered<Offer>[], limit: number): Discovered<Offer> {
  const all = new Map(parts.flatMap(({ domains }) => domains.map((row) => [row.domain, row] as const)));
  const ranked = [...all.values()].sort(byRank);
  const cut = parts.filter(({ timedOut }) => timedOut);
  const known = ranked.filter((row) =>
    cut.every(({ domains }) => {
      const last = domains.at(-1);
      return last !== undefined && byRank(row, last) <= 0;
    }),
  );
  return { domains: known.slice(0, limit), timedOut: cut.length > 0 && known.length < limit };
}

/** The order of rank; names are ASCII. */
function byRank(one: Offer, other: Offer): number {
  if (one.wayback !== other.wayback) return other.wayback - one.wayback;
  return one.domain < other.domain ? -1 : Number(one.domain > other.domain);
}

/** An eighth of these is usually enough; with 200, fetching took longer than the time saved. */
const PLAIN_LIMIT = 80;
const HINT = 'Ask for less: fewer suffixes in available_in, a wider glob, other keywords.';

@Injectable()
export class ExplainedSuggestService {
  constructor(
    private readonly budget: RecordBudget,
    private readonly domains: DomainRepository,
    private readonly config: Config,
    /** Benchmarks of the search have none. */
    private readonly first?: FirstOffers,
  ) {}

  /**
   * The best available names that match the request, each with its reasons. Runs one query per keyword, as
   * suggest does, all at once. Costs the records returned, limited to the remaining budget.
   *
   * @throws {ApiError} invalid_parameter when min_length lies above max_length, budget_exhausted when nothing
   * is left
   */
  async suggestDomains(request: SuggestRequest, caller: Caller): Promise<ExplainedSuggestResult> {
    const description = descriptionOf(request);
    const questions = description
      ? [{ ...commonOf(request), reading: description.reading }]
      : questionsOf(request);
    const found = await (description
      ? this.describe(commonOf(request), description)
      : mergeRanked(await Promise.all(questions.map((query) => this.ask(query))), request.limit));
    const ideas = await this.ideasFor(request, questions, found);
    const wait = found.domains.length === 0 ? ((await this.first?.describeWait()) ?? null) : null;
    const { granted, left } = await this.budget.charge(caller, found.domains.length + ideas.length);
    const results = found.domains.slice(0, granted).map((row, place) => ({
      ...toDomainDto(row, this.config.links),
      why: description
        ? explainCloseness(row, place, description.reading)
        : explain(row, found.domains[place - 1], place + 1, request),
    }));
    return {
      ok: true,
      count: results.length,
      ...((request.match === 'words' || description) && {
        read_as: questions.flatMap(({ reading }) => (reading ? [readAs(reading)] : [])),
      }),
      results,
      ...(request.ideas && {
        ideas: ideas.slice(0, granted - results.length).map(({ row, kind, text }) => ({
          ...toDomainDto(row, this.config.links),
          why: { kind, text },
        })),
      }),
      ...(found.timedOut && { timed_out: true as const }),
      note: noteOn(found, granted, left, adviceOn(wait, HINT)),
      ...left,
    };
  }

  /** The names that are closest to a description. */
  private async describe(common: DiscoveryQuery, description: Description): Promise<Discovered<Offer>> {
    const parts: Discovered<Offer>[] = [];
    const domains = await findDescribed(description, async (reading, limit) => {
      const part = await this.domains.search.discoverOffers({ ...common, reading, limit });
      parts.push(part);
      return part.domains;
    });
    const isCut = parts.some(({ timedOut }) => timedOut);
    return { domains: domains.slice(0, common.limit), timedOut: isCut && domains.length < common.limit };
  }

  private async ideasFor(
    { ideas, limit }: SuggestRequest,
    questions: readonly DiscoveryQuery[],
    { domains, timedOut }: Discovered<Offer>,
  ): Promise<Idea[]> {
    if (!ideas || timedOut || domains.length >= limit) return [];
    const known = new Set(domains.map(({ domain }) => domain));
    const all: Idea[] = [];
    for (const question of questions)
      for (const idea of await findIdeas(this.domains.search, question, [], limit))
        if (!known.has(idea.row.domain)) all.push(idea);
    const distinct = new Map(all.map((idea) => [idea.row.domain, idea]));
    return [...distinct.values()].slice(0, limit - domains.length);
  }

  /**
   * Runs suggest's plain query first, with a larger limit: usually enough of its rows match, or it has no
   * more rows. Otherwise PostgreSQL evaluates the full query.
   */
  private async ask(query: DiscoveryQuery): Promise<Discovered<Offer>> {
    const plain = plainQuestion(query);
    if (!plain) return this.domains.search.discoverOffers(query);
    const { domains, timedOut } = await this.domains.search.discoverOffers(plain);
    const found = domains.filter((row) => matchesFilter(query, knownOf(row)));
    const isWhole = domains.length < plain.limit && !timedOut;
    return found.length >= query.limit || isWhole
      ? { domains: found.slice(0, query.limit), timedOut: false }
      : this.domains.search.discoverOffers(query);
  }
}

/** Null where nothing can be told from its answer, or where it is the question itself. */
function plainQuestion(query: DiscoveryQuery): DiscoveryQuery | null {
  // Which labels are on offer elsewhere only PostgreSQL knows.
  if (isPlain(query) || query.reading || !isKnownInMemory(query)) return null;
  const { q, mode, suffixes, minWayback } = query;
  const [literal] = q === undefined ? longestFirst(literalsOf(query)) : [];
  return {
    ...(literal ?? { ...(q !== undefined && { q }), mode }),
    suffixes,
    minWayback,
    limit: PLAIN_LIMIT,
  };
}

type Literal = Required<Pick<NameFilter, 'q' | 'mode'>>;

/** The texts between the wildcards of a glob, as what a name that matches has, begins or ends with. */
function literalsOf(filter: NameFilter): Literal[] {
  return markedLiterals(filter).map((literal) => {
    const mode = literal.startsWith('^') ? 'prefix' : literal.endsWith('$') ? 'suffix' : 'contains';
    return { q: literal.replaceAll(/[$^]/g, ''), mode };
  });
}

function longestFirst(literals: readonly Literal[]): Literal[] {
  return literals.toSorted((one, other) => other.q.length - one.q.length);
}

function knownOf({ domain, ...row }: Offer): KnownName {
  const [name = ''] = domain.split('.');
  return { name, ...row };
}

function commonOf(request: SuggestRequest): DiscoveryQuery {
  const { available_in: offeredUnder = [], tld = offeredUnder, limit } = request;
  return { ...nameFilterOf({ ...request, tld }), limit };
}

function questionsOf(request: SuggestRequest): DiscoveryQuery[] {
  const { keywords } = request;
  const common = commonOf(request);
  if (!keywords) return [common];
  return [...new Set(keywords)].map((q) =>
    request.match === 'words' ? { ...common, reading: readWords(q) } : { ...common, q },
  );
}

function descriptionOf({ describe, keywords }: SuggestRequest): Description | null {
  if (describe === undefined) return null;
  if (keywords)
    throw new ApiError('invalid_parameter', 'describe and keywords exclude each other: send one of them');
  const description = readDescription(describe, lexicon());
  if (isEmptyReading(description.reading))
    throw new ApiError(
      'invalid_parameter',
      'describe must say something of the name: a trade, a thing, a place',
    );
  return description;
}
