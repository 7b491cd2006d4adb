import { Injectable } from '@nestjs/common';
import { MAX_LONGER_MS, type CappedRows } from '../../db/time-cap.js';
import { type PreparedStatement } from '../../db/database.js';
import { ReadDatabase } from '../../db/replicas/read-database.js';
import type { NameFilter } from '../schema/filters/filters.js';
import { isCovered } from './cube/cube-cover.js';
import type { OfferState } from './cube/offer-moves.js';
import { type DomainRow, OFFER_COLUMNS, type OfferRow, toDomain, toOffer } from '../schema/domain-row.js';
import type { Domain, Offer } from '../schema/domain.js';
import { planDiscovery, planGathering } from './discovery-plan.js';
import { BY_RANK, type DiscoveryQuery, MAX_COUNTED, type NameCount } from './discovery-query.js';
import { bestStatement, facetedStatement, gatheringStatement, statementOf } from './discovery-statements.js';
import {
  FACET_COLUMNS,
  type FacetRow,
  facetsOfBest,
  facetsOfCells,
  shapesOfBest,
  shapesOfCells,
} from './facet-statements.js';
import { NameCounter, toCount } from './name-counter.js';
import { NameSampler } from './name-sampler.js';

export interface Discovered<Row = Domain> {
  readonly domains: Row[];
  /** True when the time cap struck; `domains` are then the head of the true answer, as far as it was found. */
  readonly timedOut: boolean;
}

/** A page, and how many names there are on all pages. */
export interface DiscoveredPage extends Discovered {
  readonly counted: NameCount;
}

/** A page, and what the names on all pages are like; of more than {@link MAX_COUNTED} the best, where they are not gathered. */
export interface FacetedPage extends DiscoveredPage {
  /** Without months; none when there was no time. */
  readonly facets: readonly FacetRow[];
}

/** Nothing is said to be there that cannot be shown. */
const NOTHING_IN_TIME: DiscoveredPage = {
  domains: [],
  timedOut: true,
  counted: { total: 0, isCapped: true },
};

/** Ranked search over the names that are available and not withheld. How and why: README.md in this folder. */
@Injectable()
export class DiscoveryRepository {
  private readonly counter: NameCounter;

  constructor(
    private readonly reads: ReadDatabase,
    private readonly sampler: NameSampler,
  ) {
    this.counter = new NameCounter(reads, sampler);
  }

  /** When PostgreSQL goes away, idle sessions tell. */
  whenSessionsAreLost(listener: () => void): void {
    this.reads.whenSearchesAreLost(listener);
  }

  /** The first `limit` rows in the order asked for, by rank unless another is. @throws {DatabaseUnavailable} */
  async discoverDomains(query: DiscoveryQuery): Promise<Discovered> {
    const { rows, timedOut } = await this.discover<DomainRow>(query);
    return { domains: rows.map(toDomain), timedOut };
  }

  /** The same for who shows no more of each than it takes to offer it. @throws {DatabaseUnavailable} */
  async discoverOffers(query: DiscoveryQuery): Promise<Discovered<Offer>> {
    const { rows, timedOut } = await this.discover<OfferRow>(query, OFFER_COLUMNS);
    return { domains: rows.map(toOffer), timedOut };
  }

  /**
   * A page and the count of all pages. Where finding the page means to find all names that pass, they are counted by the way:
   * apart, each of them would be read twice. A count that is remembered is no reason to find them all.
   *
   * @throws {DatabaseUnavailable}
   */
  async discoverPage(query: DiscoveryQuery): Promise<DiscoveredPage> {
    const counted = this.counter.mayKnow(query) ? 'known' : 'any';
    const plan = isCovered(query)
      ? null
      : planGathering(query, MAX_COUNTED + 1, this.sampler.current, counted);
    if (!plan) return this.discoverApart(query);
    const statement = gatheringStatement(query, plan);
    const { rows, timedOut } = await this.askTwice<DomainRow & OfferState & { total: number }>(statement);
    if (timedOut) return NOTHING_IN_TIME;
    const [first] = rows;
    const isBehind = query.after !== undefined || (query.offset ?? 0) > 0;
    // A page behind the last name says nothing of the count.
    if (!first && isBehind) return this.discoverApart(query);
    const total = first ? this.counter.remember(query, first.total, first) : toCount(0, MAX_COUNTED);
    return { domains: rows.map(toDomain), timedOut, counted: total };
  }

  /**
   * A page as {@link discoverPage} finds it, with facets: the names are looked at once for both, and not counted apart.
   *
   * @throws {DatabaseUnavailable}
   */
  async discoverFaceted(query: DiscoveryQuery): Promise<FacetedPage> {
    const covered = isCovered(query);
    const plan = covered ? null : planGathering(query, MAX_COUNTED + 1, this.sampler.current, 'first');
    if (!plan) return this.discoverBesideFacets(query, covered ? shapesOfCells(query) : null);
    const statement = facetedStatement(query, plan);
    const { rows, timedOut } = await this.askTwice<DomainRow & { total: number; facets: FacetRow[] | null }>(
      statement,
    );
    if (timedOut) return { ...NOTHING_IN_TIME, facets: [] };
    const [first] = rows;
    const isBehind = query.after !== undefined || (query.offset ?? 0) > 0;
    if (!first && isBehind) return this.discoverBesideFacets(query, null);
    const counted = { total: first?.total ?? 0, isCapped: false };
    return { domains: rows.map(toDomain), timedOut, counted, facets: first?.facets ?? [] };
  }

  /** @param ofCells asks the cube, where it knows; its counts have no limit */
  private async discoverBesideFacets(
    query: DiscoveryQuery,
    ofCells: PreparedStatement | null,
  ): Promise<FacetedPage> {
    const page = statementOf(query, planDiscovery(query, this.sampler.current));
    const [{ rows, timedOut }, facets] = await Promise.all([
      this.askTwice<DomainRow>(page),
      this.reads.capped<FacetRow>(ofCells ?? this.shapesOfBest(query)),
    ]);
    if (timedOut && rows.length === 0) return { ...NOTHING_IN_TIME, facets: [] };
    const counted = facets.timedOut
      ? await this.counter.count(query)
      : toCount(countIn(facets.rows), ofCells ? Infinity : MAX_COUNTED);
    return { domains: rows.map(toDomain), timedOut, counted, facets: facets.timedOut ? [] : facets.rows };
  }

  // One more than is counted tells whether there are more.
  private shapesOfBest(filter: NameFilter): PreparedStatement {
    const limit = MAX_COUNTED + 1;
    const best: DiscoveryQuery = { ...filter, sort: BY_RANK, after: undefined, offset: 0, limit };
    return shapesOfBest(bestStatement(best, planDiscovery(best, this.sampler.current)));
  }

  private async discoverApart(query: DiscoveryQuery): Promise<DiscoveredPage> {
    const statement = statementOf(query, planDiscovery(query, this.sampler.current));
    const [{ rows, timedOut }, counted] = await Promise.all([
      this.askTwice<DomainRow>(statement),
      this.counter.count(query),
    ]);
    if (timedOut && rows.length === 0) return NOTHING_IN_TIME;
    return { domains: rows.map(toDomain), timedOut, counted };
  }

  /**
   * What had no row when the time cap struck is waited for once more: after a start of PostgreSQL nothing is in its memory but what
   * was read until then.
   */
  private async askTwice<Row extends DomainRow>(statement: PreparedStatement): Promise<CappedRows<Row>> {
    const answer = await this.counter.watch(this.reads.capped<Row>(statement));
    if (!answer.timedOut || answer.rows.length > 0) return answer;
    return this.reads.cappedLonger<Row>(statement, MAX_LONGER_MS);
  }

  /** How many names pass the filter. @throws {DatabaseUnavailable} */
  countDomains(filter: NameFilter): Promise<NameCount> {
    return this.counter.count(filter);
  }

  /**
   * How many names pass, by each thing that the cube tells apart: all of them where it knows, else of the {@link MAX_COUNTED}
   * best. Null when the time cap struck.
   *
   * @throws {DatabaseUnavailable}
   */
  async countFacets(filter: NameFilter): Promise<FacetRow[] | null> {
    const best: DiscoveryQuery = { ...filter, sort: BY_RANK, limit: MAX_COUNTED };
    const statement = isCovered(filter)
      ? facetsOfCells(filter)
      : facetsOfBest(statementOf(best, planDiscovery(best, this.sampler.current), FACET_COLUMNS));
    const { rows, timedOut } = await this.reads.capped<FacetRow>(statement);
    return timedOut ? null : rows;
  }

  private discover<Row extends OfferRow>(query: DiscoveryQuery, columns?: string): Promise<CappedRows<Row>> {
    const plan = planDiscovery(query, this.sampler.current);
    return this.counter.watch(this.reads.capped<Row>(statementOf(query, plan, columns)));
  }
}

/** Every name has one suffix. */
function countIn(facets: readonly FacetRow[]): number {
  return facets.reduce((sum, { tld, names }) => sum + (tld === null ? 0 : names), 0);
}
