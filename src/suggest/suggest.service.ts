import { Injectable } from '@nestjs/common';
import type { Caller } from '../auth/caller.js';
import { Config } from '../config/config.js';
import { toDomainDto } from '../domains/domain-view.js';
import { type Discovered, DiscoveryRepository } from '../domains/discovery/discovery.repository.js';
import type { Offer } from '../domains/domain.js';
import type { Metered } from '../rate-limit/rate.dto.js';
import { RecordBudget } from '../rate-limit/budget/record-budget.js';
import type { SuggestQuery, SuggestResult } from './suggest.dto.js';

@Injectable()
export class SuggestService {
  constructor(
    private readonly budget: RecordBudget,
    private readonly discovery: DiscoveryRepository,
    private readonly config: Config,
  ) {}

  /**
   * The best available names that match. Costs the records returned, and is cut to what the budget has left.
   *
   * @throws {ApiError} budget_exhausted when nothing is left
   */
  async suggestDomains(query: SuggestQuery, caller: Caller): Promise<SuggestResult> {
    const found = await this.discovery.discoverOffers({
      q: query.q,
      mode: query.mode,
      suffixes: query.tld ? [query.tld] : [],
      minWayback: query.min_wayback,
      limit: query.limit,
    });
    const { granted, left } = await this.budget.charge(caller, found.domains.length);
    const results = found.domains.slice(0, granted);
    return {
      ok: true,
      query: query.q ?? '',
      mode: query.mode,
      min_wayback: query.min_wayback,
      tld: query.tld ?? '',
      count: results.length,
      results: results.map((row) => toDomainDto(row, this.config.links)),
      ...(found.timedOut && { timed_out: true as const }),
      note: noteOn(found, granted, left),
      ...left,
    };
  }
}

function noteOn(found: Discovered<Offer>, granted: number, left: Metered): string {
  const shown = found.domains.slice(0, granted);
  return shown.length === 0
    ? rankingOf(found, granted, left)
    : `${rankingOf(found, granted, left)} ${evidenceOf(shown)}`;
}

function rankingOf({ domains, timedOut }: Discovered<Offer>, granted: number, { quota }: Metered): string {
  if (timedOut)
    return 'The pattern is too broad to rank in time: these are the best names found so far. Add a letter or a suffix.';
  if (granted < domains.length)
    return `Limited to ${granted} by what the budget has left; ask again ${quota?.remaining === 0 ? `at ${quota.resets_at}` : 'after rate.reset_in seconds'}.`;
  if (domains.length === 0)
    return 'Nothing in the dataset matches. Try mode=contains, all suffixes or a lower min_wayback.';
  return 'Ranked by archive score.';
}

const MAX_SOURCES = 3;

/** By whom and when the names were confirmed, so that whoever relays them can say so. */
function evidenceOf(domains: readonly Offer[]): string {
  const sources = [...new Set(domains.flatMap(({ confirmedBy }) => confirmedBy ?? []))];
  const named =
    sources.slice(0, MAX_SOURCES).join(', ') + (sources.length > MAX_SOURCES ? ' and others' : '');
  const times = domains.flatMap(({ checkedAt }) => checkedAt?.getTime() ?? []);
  const oldest = new Date(Math.min(...times)).toISOString();
  return `Each was confirmed as available (by ${named}), the one longest ago at ${oldest}: check a name before you rely on it.`;
}
