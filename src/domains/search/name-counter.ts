import type { PreparedStatement } from '../../db/database.js';
import type { ReadDatabase } from '../../db/replicas/read-database.js';
import type { NameFilter } from '../schema/filters/filters.js';
import { isCovered } from './cube/cube-cover.js';
import { type OfferState, READ_OFFER_STATE } from './cube/offer-moves.js';
import { planCount } from './discovery-plan.js';
import { MAX_COUNTED, type NameCount } from './discovery-query.js';
import { countStatement } from './discovery-statements.js';
import { cellsStatement } from './facet-statements.js';
import type { NameSampler } from './name-sampler.js';
import { isRememberable, RememberedCounts } from './remembered-counts.js';

/**
 * How many names are counted beyond `max` of a filter that is remembered: that there are more holds until as many have left the offer, which
 * of ten million takes hours. They cost a twentieth.
 */
export const COUNTED_BEYOND = 500;

/** How far names are counted that have to be looked at one by one. */
interface CountLimits {
  readonly max: number;
  readonly beyond: number;
}

/** Counts the names that pass a filter, and remembers what cannot have changed. */
export class NameCounter {
  private readonly remembered: RememberedCounts;

  constructor(
    private readonly reads: ReadDatabase,
    private readonly sampler: NameSampler,
    private readonly limits: CountLimits = { max: MAX_COUNTED, beyond: COUNTED_BEYOND },
  ) {
    this.remembered = new RememberedCounts(limits.max);
    // What answers next may be a backup, or a replica that had not yet heard of everything: its numbers say nothing of these.
    reads.whenSearchesAreLost(() => this.remembered.forget());
  }

  /** Whether the count of a filter is most likely known without a look at names. */
  mayKnow(filter: NameFilter): boolean {
    return this.remembered.mayKnow(filter);
  }

  /** What a page was found with: how many names pass in all, and the state of the offer in the same snapshot. */
  remember(filter: NameFilter, total: number, state: OfferState): NameCount {
    this.remembered.remember(filter, total, state);
    return this.limited(total);
  }

  /**
   * By the cube where it tells the names apart, by what is remembered where that holds, else counted to `max` unless the cube says
   * that there are more.
   *
   * @throws {DatabaseUnavailable}
   */
  async count(filter: NameFilter): Promise<NameCount> {
    if (isCovered(filter)) return toCount(await this.readCount(cellsStatement(filter)), Infinity);
    const known = await this.recall(filter);
    if (known !== null) return this.limited(known);
    const max = this.limits.max + 1 + (isRememberable(filter) ? this.limits.beyond : 0);
    const statement = countStatement(filter, planCount(filter, max, this.sampler.current), max);
    const { rows } = await this.watch(this.reads.capped<{ count: number } & OfferState>(statement));
    const [row] = rows;
    return row ? this.remember(filter, row.count, row) : this.limited(null);
  }

  /** A read that fails may have lost its connection, and what answers the next may have another past: what is remembered is forgotten. */
  async watch<Result>(read: Promise<Result>): Promise<Result> {
    return read.catch((error: unknown) => {
      this.remembered.forget();
      throw error;
    });
  }

  // What is remembered is the count of every snapshot of that state, so to look at the state is to count.
  private async recall(filter: NameFilter): Promise<number | null> {
    if (!this.remembered.has(filter)) return null;
    const { rows } = await this.watch(
      this.reads.capped<OfferState & Record<string, unknown>>(READ_OFFER_STATE),
    );
    return rows[0] ? this.remembered.recall(filter, rows[0]) : null;
  }

  private async readCount(statement: PreparedStatement): Promise<number | null> {
    const { rows } = await this.watch(this.reads.capped<{ count: number }>(statement));
    return rows[0]?.count ?? null;
  }

  private limited(counted: number | null): NameCount {
    return toCount(counted, this.limits.max);
  }
}

/** @param counted null when the time cap struck */
export function toCount(counted: number | null, max: number): NameCount {
  return { total: Math.min(counted ?? 0, max), isCapped: counted === null || counted > max };
}
