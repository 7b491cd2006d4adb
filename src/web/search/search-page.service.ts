import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ArchiveScoreRepository } from '../../archive/archive-score.repository.js';
import { type Visitor, SessionResolver } from '../../access/session-resolver.js';
import { Config } from '../../config/config.js';
import { timeOfDatabase } from '../../db/database-time.js';
import type { FacetedPage } from '../../domains/search/discovery.repository.js';
import { findIdeas, type Idea } from '../../domains/ideas.js';
import { findNear } from '../../domains/near-matches.js';
import { nameFilterOf } from '../../domains/schema/filters/parameters.js';
import type { Domain } from '../../domains/schema/domain.js';
import { FirstOffers } from '../../domains/first-offers.js';
import { DomainRepository } from '../../domains/domain.repository.js';
import { ApiError } from '../../errors/api-error.js';
import { notInTime } from '../../errors/database-failure.js';
import { toFacets } from '../../api/facets/facets.module.js';
import { ListCursors } from '../../access/list-cursors.repository.js';
import { ListLimit } from '../../access/network-limits.js';
import { ReadDatabase } from '../../db/replicas/read-database.js';
import {
  cursorBehind,
  placeOf,
  type Search,
  type SearchPlace,
  atLeast,
} from '../../api/search/search.module.js';
import { type SearchQuery, orderOf } from '../../api/search/search.dto.js';
import { StatusService } from '../../api/status/status.service.js';
import { t } from '../../texts/texts.js';
import { WORD_PARAMETERS } from '../../domains/schema/filters/parameters.js';
import { siteOf } from '../layout/layout.js';
import { momentInWords } from '../layout/words.js';
import { setPageHeaders } from '../layout/page-requests.js';
import { toNameRow } from '../names/name-row.js';
import {
  addressOf,
  type Fault,
  faultsOf,
  type Filled,
  queryOf,
  readForm,
  samplesOf,
  type SearchForm,
} from './search-form.js';
import { NO_HINTS, SearchHintFinder } from './search-hints.js';
import { type Found, freshnessOf, renderSearchPage, type SearchView, TITLE } from './search-view.js';

export const ROWS_PER_PAGE = 25;
/** Those of the form: how its words are read is decided apart. */
const WORD_FILTERS = WORD_PARAMETERS.filter((parameter) => parameter !== 'match');
/** Where fewer names match, as many others are shown too. */
const FEW = 5;
/** How long figures of the dataset serve searches; the first page of all names has today's. */
const STATS_KEPT_MS = 60_000;

type Stats = Awaited<ReturnType<DomainRepository['readStats']>>;

@Injectable()
export class SearchPageService {
  private kept: { readonly stats: Stats; readonly atMs: number } | null = null;

  constructor(
    private readonly sessions: SessionResolver,
    private readonly limit: ListLimit,
    private readonly cursors: ListCursors,
    private readonly years: ArchiveScoreRepository,
    private readonly domains: DomainRepository,
    private readonly reads: ReadDatabase,
    private readonly status: StatusService,
    private readonly first: FirstOffers,
    private readonly hints: SearchHintFinder,
    private readonly config: Config,
  ) {}

  /**
   * A page of results. Costs no records. A problem with the form is shown on the page.
   *
   * @throws {ApiError} too_many_requests, tier_required
   */
  async show(request: Request, response: Response): Promise<string> {
    setPageHeaders(response);
    const visitor = await this.sessions.resolve(request, response);
    await this.limit.count(visitor);
    const form = readForm(request.query);
    const view = await this.viewOf(form, visitor).catch((error: unknown) => {
      if (!(error instanceof ApiError)) throw error;
      if (error.code === 'not_ready') return this.showReady(request, visitor);
      if (error.code !== 'invalid_parameter') throw error;
      response.status(error.status);
      return this.showWithout(faultsOf(error.message, form), form, visitor);
    });
    return renderSearchPage(siteOf(this.config), view);
  }

  /** The same without the fields that cannot be read, or where there are none, the first page of the list. */
  private async showWithout(
    faults: readonly Fault[],
    form: SearchForm,
    visitor: Visitor,
  ): Promise<SearchView> {
    const left = Object.entries(form.filled).filter(([name]) => !faults.some(({ field }) => field === name));
    const filled: Filled = Object.fromEntries(left);
    const view = await this.viewOf({ ...form, filled, cursor: undefined }, visitor);
    const problem = faults.length === 0 ? t.search.oldPage : faults.map(({ words }) => words).join(' ');
    return { ...view, problem, faults };
  }

  /** The same without the filters that are not ready. */
  private async showReady(request: Request, visitor: Visitor): Promise<SearchView> {
    const { [TITLE]: title, ...others } = request.query;
    if (title === undefined || title === '') return this.showUncut(request, visitor);
    const view = await this.viewOf(readForm(others), visitor).catch((error: unknown) => {
      if (error instanceof ApiError && error.code === 'not_ready') return this.showUncut(request, visitor);
      throw error;
    });
    return { ...view, problem: t.search.untitled };
  }

  /** After an upgrade, until all names are cut into words: the same by text, and without the filters on words. */
  private async showUncut({ query }: Request, visitor: Visitor): Promise<SearchView> {
    const isFiltered = WORD_FILTERS.some((name) => typeof query[name] === 'string' && query[name] !== '');
    const left = Object.entries(query).filter(([name]) => name !== TITLE && !WORD_FILTERS.includes(name));
    const view = await this.viewOf(readForm({ ...Object.fromEntries(left), match: 'text' }), visitor);
    return { ...view, problem: isFiltered ? t.search.uncut : null };
  }

  private async viewOf(form: SearchForm, visitor: Visitor): Promise<SearchView> {
    const cursor = form.cursor && (await this.cursors.open(form.cursor));
    const query = await queryOf({ ...form, cursor });
    const now = timeOfDatabase();
    const [frame, found] = await Promise.all([
      this.frameOf(form, visitor, now),
      this.find(form, query, visitor, now),
    ]);
    return { ...frame, problem: form.isUnreadable ? t.search.typeAWord : null, found };
  }

  /**
   * The first names of the search in the address.
   *
   * @throws {ApiError} invalid_parameter, database_unavailable when not all of them are found in time
   */
  async list(given: Request['query'], limit: number): Promise<Domain[]> {
    const form = readForm(given);
    if (form.isUnreadable) throw new ApiError('invalid_parameter', t.search.typeAWord);
    const query = await queryOf({ ...form, cursor: undefined });
    const search: Search = { ...nameFilterOf(query), sort: orderOf(query.sort) };
    const { domains, timedOut } = await this.domains.search.discoverPage({ ...search, limit });
    // A file cannot say that it is incomplete.
    if (timedOut && domains.length < limit) throw notInTime();
    return domains;
  }

  private async frameOf(
    { typed, named, filled }: SearchForm,
    visitor: Visitor,
    now: Date,
  ): Promise<Omit<SearchView, 'problem' | 'found'>> {
    const stats = this.statsFor(filled);
    const [{ availableRecords, refreshed }, wait, status] = await Promise.all([
      stats,
      this.first.describeWait(stats, momentInWords),
      this.status.readStatus(),
    ]);
    return {
      typed,
      named,
      filled,
      signedIn: visitor.accountId !== null,
      hasTitles: this.config.archive.readsTitles,
      available: availableRecords,
      wait,
      freshness: freshnessOf(status, refreshed, now),
      samples: samplesOf(this.config.links.baseUrl, filled),
      faults: [],
      now,
    };
  }

  /** Those of a dataset with names on offer change little within a minute. */
  private statsFor(filled: SearchForm['filled']): Promise<Stats> {
    const isHome = Object.keys(filled).length === 0;
    if (!isHome && this.kept && performance.now() - this.kept.atMs < STATS_KEPT_MS)
      return Promise.resolve(this.kept.stats);
    return this.domains.readStats().then((stats) => {
      this.kept = stats.availableRecords > 0 ? { stats, atMs: performance.now() } : null;
      return stats;
    });
  }

  private async find(form: SearchForm, query: SearchQuery, visitor: Visitor, now: Date): Promise<Found> {
    const search: Search = { ...nameFilterOf(query), sort: orderOf(query.sort) };
    const place = query.cursor === undefined ? null : placeOf(query.cursor, search);
    const ahead = ((place?.page ?? 1) - 1) * ROWS_PER_PAGE;
    const limit = Math.min(ROWS_PER_PAGE, visitor.tier.listRows - ahead);
    if (limit <= 0) throw this.tooDeep(visitor);
    const wanted = { ...search, ...(place && { after: place.after }), limit: limit + 1 };
    const page = await this.domains.search.discoverPage(wanted, place?.counted, 'shapes');
    const counted = atLeast(page.counted, ahead + page.domains.length);
    const rows = page.domains.slice(0, limit);
    const isNone = rows.length === 0 && !place && !page.timedOut;
    const [near, hints] = await Promise.all([
      place ? [] : this.nearOf(search, page, visitor),
      isNone ? this.hints.find(form.filled) : NO_HINTS,
    ]);
    // Without a capture there are no years.
    const names = [...rows, ...near.map(({ row }) => row)]
      .filter(({ archive }) => archive.firstCapture !== null)
      .map(({ domain }) => domain);
    const years = await this.years.listYears(names, this.reads);
    const { links, auth } = this.config;
    const { registerUrlTemplate } = links;
    const hasMore = page.timedOut || page.domains.length > limit;
    const mayGoOn = ahead + limit < visitor.tier.listRows;
    const last = rows.at(-1);
    const context = { years, registerUrlTemplate, hasAccounts: auth.enabled, now };
    const view = (row: Domain) => toNameRow(row, context);
    return {
      rows: rows.map(view),
      near: near.map(({ row, text }) => ({ ...view(row), remark: sentenceOf(text) })),
      hints,
      from: ahead + 1,
      total: counted.total,
      isExact: counted.isExact,
      timedOut: page.timedOut,
      facets: isCounted(page) ? toFacets(page.facets) : null,
      next:
        last && hasMore && mayGoOn
          ? await this.nextOf(form, last, search, { page: (place?.page ?? 1) + 1, counted })
          : null,
      endsAt: hasMore && !mayGoOn ? visitor.tier.listRows : null,
    };
  }

  /** Only where the first page has room for them; with their reasons, where few names match. */
  private async nearOf(
    search: Search,
    { domains, timedOut }: FacetedPage,
    visitor: Visitor,
  ): Promise<Pick<Idea, 'row' | 'text'>[]> {
    const room = Math.min(ROWS_PER_PAGE, visitor.tier.listRows) - domains.length;
    if (timedOut || room <= 0) return [];
    if (domains.length < FEW) return findIdeas(this.domains.search, search, domains, Math.min(room, FEW));
    const { reading } = search;
    const near = reading ? await findNear(this.domains.search, { ...search, reading }, domains, room) : [];
    return near.map((row) => ({ row, text: '' }));
  }

  private async nextOf(
    { filled }: SearchForm,
    last: Parameters<typeof cursorBehind>[0],
    search: Search,
    next: Pick<SearchPlace, 'page' | 'counted'>,
  ): Promise<string> {
    const cursor = cursorBehind(last, search, next);
    return addressOf(filled, { cursor: await this.cursors.sign(cursor) });
  }

  private tooDeep({ tier }: Visitor): ApiError {
    return new ApiError(
      'tier_required',
      `These pages show the first ${tier.listRows} names of a search. Narrow it to see others.`,
    );
  }
}

/** Whether there was time to count the facets; an empty result has none. */
function isCounted({ facets, counted }: FacetedPage): boolean {
  return facets.length > 0 || (counted.total === 0 && counted.isExact);
}

function sentenceOf(text: string): string {
  return text === '' ? '' : `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
