import { Injectable } from '@nestjs/common';
import type { Caller } from '../../access/caller.js';
import { TierGate } from '../../access/tier-gate.js';
import { cancellable } from '../../db/cancellation.js';
import { DomainRepository } from '../../domains/domain.repository.js';
import { NOTHING_KNOWN } from '../../domains/search/discovery-query.js';
import type { FacetRow } from '../../domains/search/discovery-query.js';
import { type NameFilterQuery, nameFilterOf } from '../../domains/schema/filters/parameters.js';
import { SCORE_BANDS } from '../../domains/schema/filters/score-bands.js';
import { RecordBudget } from '../../access/record-budget.js';
import { totalsOf } from '../search/search.dto.js';
import { type Facets, type FacetsResult, MAX_MONTHS, type MonthFacet } from './facets.dto.js';

@Injectable()
export class FacetsService {
  constructor(
    private readonly gate: TierGate,
    private readonly budget: RecordBudget,
    private readonly domains: DomainRepository,
  ) {}

  /**
   * Counts the matching names by each filter. Costs one record with a keyword.
   *
   * @throws {ApiError} invalid_parameter; key_required or tier_required when the tier does not include such
   * names; budget_exhausted
   */
  async countFacets(query: NameFilterQuery, caller: Caller): Promise<FacetsResult> {
    const filter = nameFilterOf(query);
    this.gate.assertShown(caller, query.state);
    const isPaid = query.q !== undefined;
    if (isPaid) this.budget.assertLeft(caller);
    const { facets: rows, counted } = await cancellable(caller.delivery?.signal, () =>
      this.domains.search.countFacets(filter),
    );
    const facets = toFacets(rows ?? []);
    const { left } = await this.budget.charge(caller, isPaid ? 1 : 0);
    return {
      ok: true,
      ...totalsOf(counted),
      counted: facets.tld.reduce((sum, { count }) => sum + count, 0),
      facets,
      ...(rows === null && { timed_out: true as const, note: NOTHING_KNOWN }),
      ...left,
    };
  }
}

/** As they are answered. */
export function toFacets(rows: readonly FacetRow[]): Facets {
  const facets: Facets = { tld: [], length: [], hyphens: [], numbers: [], wayback: [], first_seen: [] };
  for (const { tld, length, hyphens, numbers, score, month, names: count } of rows) {
    if (tld !== null) facets.tld.push({ tld, count });
    else if (length !== null) facets.length.push({ length, count });
    else if (hyphens !== null) facets.hyphens.push({ hyphens: hyphens ? 'only' : 'exclude', count });
    else if (numbers !== null) facets.numbers.push({ numbers: numbers ? 'only' : 'exclude', count });
    else if (score !== null) facets.wayback.push({ ...scoresFrom(score), count });
    else facets.first_seen.push({ ...daysOf(month), count });
  }
  facets.tld.sort((one, other) => other.count - one.count || (one.tld < other.tld ? -1 : 1));
  facets.length.sort((one, other) => one.length - other.length);
  facets.hyphens.sort((one, other) => other.count - one.count);
  facets.numbers.sort((one, other) => other.count - one.count);
  facets.wayback.sort((one, other) => other.min_wayback - one.min_wayback);
  facets.first_seen.sort(newestFirst);
  return { ...facets, first_seen: facets.first_seen.slice(0, MAX_MONTHS) };
}

function scoresFrom(least: number): { min_wayback: number; max_wayback: number | null } {
  const band = SCORE_BANDS.find(({ from }) => from === least);
  return { min_wayback: least, max_wayback: band?.to ?? null };
}

/** @param month YYYY-MM */
function daysOf(month: string | null): Omit<MonthFacet, 'count'> {
  if (month === null) return { first_seen_from: null, first_seen_to: null };
  // Day 0 of the next month is the last of this one; years below 100 mean others to Date.UTC.
  const [year = 0, number = 0] = month.split('-').map(Number);
  const last = new Date(0);
  last.setUTCFullYear(year, number, 0);
  return {
    first_seen_from: `${month}-01`,
    first_seen_to: `${month}-${String(last.getUTCDate()).padStart(2, '0')}`,
  };
}

/** Names whose first day is not known come first, so that they are never cut off. */
function newestFirst(one: MonthFacet, other: MonthFacet): number {
  if (one.first_seen_from === null || other.first_seen_from === null)
    return Number(other.first_seen_from === null) - Number(one.first_seen_from === null);
  return one.first_seen_from < other.first_seen_from ? 1 : -1;
}
