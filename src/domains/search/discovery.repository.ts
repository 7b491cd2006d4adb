import { Injectable } from '@nestjs/common';
import { ReadDatabase } from '../../db/replicas/read-database.js';
import { type CappedRows, MAX_LONGER_MS } from '../../db/time-cap.js';
import { type DomainRow, OFFER_COLUMNS, type OfferRow, toDomain, toOffer } from '../schema/domain-row.js';
import type { Domain, Offer } from '../schema/domain.js';
import {
  asksFor,
  isKnownInMemory,
  isOfWholeCells,
  type NameFilter,
  withImplied,
} from '../schema/filters/filters.js';
import {
  type DiscoveryQuery,
  exactly,
  type FacetRow,
  isCommon,
  MAX_COUNTED,
  type NameCount,
  NOTHING_COUNTED,
} from './discovery-query.js';
import { FormerTitles } from '../words/former-titles.repository.js';
import { WordSearch } from '../words/word-fill.job.js';
import { NameSampler } from './name-sampler.js';
import { nextPlan, planDiscovery, planGathering } from './planner.js';
import {
  cellsStatement,
  gatheringStatement,
  namesStatement,
  statementOf,
  type Tally,
} from './statements.repository.js';

export interface Discovered<Row = Domain> {
  readonly domains: Row[];
  /** True when the time cap struck; `domains` are then the head of the true answer, as far as it was found. */
  readonly timedOut: boolean;
}

/** A page, the count over all pages, and its facets. */
export interface FacetedPage extends Discovered {
  readonly counted: NameCount;
  /** Without months where the cube tells them; none when there was no time, or when they were not asked for. */
  readonly facets: readonly FacetRow[];
}

/** How many names pass, in all and by facet. */
export interface CountedFacets {
  readonly counted: NameCount;
  /** Null when the time cap struck. */
  readonly facets: readonly FacetRow[] | null;
}

type Gathered = DomainRow & { total: number; facets: FacetRow[] | null };

/** Ranked search over the names that are available and not withheld. How and why: README.md in this folder. */
@Injectable()
export class DiscoveryRepository {
  constructor(
    private readonly reads: ReadDatabase,
    private readonly sampler: NameSampler,
    /** Benchmarks of the search by text have none. */
    private readonly words?: WordSearch,
    private readonly titles?: FormerTitles,
  ) {}

  /**
   * The first `limit` rows in the order asked for, by rank unless another is. Asks once more, for longer, when the
   * time cap left no row: after a start of PostgreSQL its memory holds only the pages that were read since.
   *
   * @throws {DatabaseUnavailable}
   */
  async discoverDomains(query: DiscoveryQuery): Promise<Discovered> {
    const { rows, timedOut } = await this.ask<DomainRow>(query, undefined, true);
    return { domains: rows.map(toDomain), timedOut };
  }

  /** The same at once, with only the columns of an offer. @throws {DatabaseUnavailable} */
  async discoverOffers(query: DiscoveryQuery): Promise<Discovered<Offer>> {
    const { rows, timedOut } = await this.ask<OfferRow>(query, OFFER_COLUMNS);
    return { domains: rows.map(toOffer), timedOut };
  }

  /**
   * A page and the count of all pages: by the cube where it covers the filter, by the sample where many names pass,
   * and else counted with the page, in one look at all that pass.
   *
   * @param known the count that an earlier page carried
   * @param what `shapes` for facets as well
   * @throws {DatabaseUnavailable}
   */
  async discoverPage(
    asked: DiscoveryQuery,
    known?: NameCount,
    what: Exclude<Tally, 'months'> = 'count',
  ): Promise<FacetedPage> {
    await this.assertReady(asked);
    const query = sharpened(asked);
    if (!query) return { domains: [], timedOut: false, counted: exactly(0), facets: [] };
    const estimated = known && what === 'count' ? { counted: known, facets: [] } : this.estimate(what, query);
    if (!estimated && !isOfWholeCells(query) && isKnownInMemory(query) && this.sampler.current) {
      const gathered = await this.gather(query, what !== 'count');
      if (gathered) return { ...gathered, counted: known ?? gathered.counted };
    }
    const [page, { counted, facets }] = await Promise.all([
      this.discoverDomains(query),
      estimated ?? this.tally(what, query),
    ]);
    if (page.timedOut && page.domains.length === 0)
      return { ...page, counted: known ?? NOTHING_COUNTED, facets: [] };
    return { ...page, counted: known ?? counted, facets: facets ?? [] };
  }

  /** How many names pass the filter, and what they are like. @throws {DatabaseUnavailable} */
  async countFacets(asked: NameFilter): Promise<CountedFacets> {
    await this.assertReady(asked);
    const filter = withImplied(asked);
    if (!filter) return { counted: exactly(0), facets: [] };
    return this.estimate('months', filter) ?? this.tally('months', filter);
  }

  /** How many names pass the filter. @throws {DatabaseUnavailable} */
  async count(filter: NameFilter): Promise<NameCount> {
    const { counted } = this.estimate('count', filter) ?? (await this.tally('count', filter));
    return counted;
  }

  private async assertReady(filter: NameFilter): Promise<void> {
    if (asksFor('words', filter)) await this.words?.assertReady();
    if (asksFor('formerTitle', filter)) await this.titles?.assertReady();
  }

  /** By the sample; null where that is not for the sample to tell. */
  private estimate(what: Tally, filter: NameFilter): CountedFacets | null {
    const sample = this.sampler.current;
    if (!sample || isOfWholeCells(filter) || !isKnownInMemory(filter)) return null;
    if (what !== 'count') return sample.estimateFacets(filter);
    const counted = sample.estimate(filter);
    return counted && { counted, facets: [] };
  }

  /** By the cube, or one by one to {@link MAX_COUNTED}. */
  private async tally(what: Tally, filter: NameFilter): Promise<CountedFacets> {
    const isCovered = isOfWholeCells(filter);
    const { rows, timedOut } = await this.reads.capped<FacetRow & Record<string, unknown>>(
      isCovered
        ? cellsStatement(filter, what)
        : namesStatement(
            filter,
            what,
            { ...planGathering(filter, this.sampler.current), bound: undefined },
            MAX_COUNTED + 1,
          ),
    );
    if (timedOut) {
      const guess = isKnownInMemory(filter) ? this.sampler.current?.guess(filter) : undefined;
      return { counted: guess ?? NOTHING_COUNTED, facets: null };
    }
    // Every name has one suffix; a count has nothing beside it.
    const total = rows.reduce((sum, { tld, names }) => sum + (tld === null ? 0 : names), 0);
    const counted =
      isCovered || total <= MAX_COUNTED
        ? exactly(total)
        : { total: MAX_COUNTED, low: MAX_COUNTED, high: null, isExact: false };
    return { counted, facets: rows };
  }

  /** Null where the cap struck, or where the page lies behind the last name and tells no count. */
  private async gather(query: DiscoveryQuery, facets: boolean): Promise<FacetedPage | null> {
    const plan = planGathering(query, this.sampler.current);
    const answer = await this.reads.capped<Gathered>(gatheringStatement(query, plan, facets));
    const { rows, timedOut } = answer;
    const [first] = rows;
    const isBehind = query.after !== undefined || (query.offset ?? 0) > 0;
    if (timedOut || answer.isTooBroad || (!first && isBehind)) return null;
    const counted = exactly(first?.total ?? 0);
    return { domains: rows.map(toDomain), timedOut, counted, facets: first?.facets ?? [] };
  }

  private async ask<Row extends OfferRow>(
    asked: DiscoveryQuery,
    columns?: string,
    isPatient = false,
  ): Promise<CappedRows<Row>> {
    await this.assertReady(asked);
    const query = sharpened(asked);
    if (!query) return { rows: [], timedOut: false };
    let { plan } = planDiscovery(query, this.sampler.current);
    for (;;) {
      const statement = statementOf(query, plan, columns);
      let answer = await this.reads.capped<Row>(statement);
      if (isPatient && answer.timedOut && answer.rows.length === 0)
        answer = await this.reads.cappedLonger<Row>(statement, MAX_LONGER_MS);
      const next = answer.timedOut ? undefined : nextPlan(plan, answer, query.limit);
      if (!next) return answer;
      plan = next;
    }
  }
}

/** With what the keyword implies; the common question stays as it is, as its statements are prepared. */
function sharpened(query: DiscoveryQuery): DiscoveryQuery | null {
  return isCommon(query) ? query : withImplied(query);
}
