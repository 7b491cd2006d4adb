import { Injectable } from '@nestjs/common';
import type { Caller } from '../../access/caller.js';
import { Config } from '../../config/config.js';
import { cancellable } from '../../db/cancellation.js';
import { toDomainDto } from '../../domains/schema/domain-view.js';
import { DomainRepository } from '../../domains/domain.repository.js';
import { FirstOffers } from '../../domains/first-offers.js';
import { RecordBudget } from '../../access/record-budget.js';
import { adviceOn, noteOn } from './suggest-note.js';
import type { SuggestQuery, SuggestResult } from './suggest.dto.js';

const HINT = 'Try mode=contains, all suffixes or a lower min_wayback.';

@Injectable()
export class SuggestService {
  constructor(
    private readonly budget: RecordBudget,
    private readonly domains: DomainRepository,
    private readonly config: Config,
    private readonly first: FirstOffers,
  ) {}

  /**
   * The best available names that match. Costs the records returned, and is cut to what the budget has left.
   *
   * @throws {ApiError} budget_exhausted when nothing is left
   */
  async suggestDomains(query: SuggestQuery, caller: Caller): Promise<SuggestResult> {
    const found = await cancellable(caller.delivery?.signal, () =>
      this.domains.search.discoverOffers({
        q: query.q,
        mode: query.mode,
        suffixes: query.tld ? [query.tld] : [],
        minWayback: query.min_wayback,
        limit: query.limit,
      }),
    );
    const wait = found.domains.length === 0 ? await this.first.describeWait() : null;
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
      note: noteOn(found, granted, left, adviceOn(wait, HINT)),
      ...left,
    };
  }
}
