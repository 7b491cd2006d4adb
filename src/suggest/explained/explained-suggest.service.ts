import { Injectable } from '@nestjs/common';
import type { Caller } from '../../auth/caller.js';
import { Config } from '../../config/config.js';
import type { DiscoveryQuery } from '../../domains/discovery/discovery-query.js';
import { DiscoveryRepository } from '../../domains/discovery/discovery.repository.js';
import { toDomainDto } from '../../domains/domain-view.js';
import { ApiError } from '../../errors/api-error.js';
import { RecordBudget } from '../../rate-limit/budget/record-budget.js';
import { noteOn } from '../suggest-note.js';
import { explain } from './explain.js';
import type { ExplainedSuggestResult, SuggestRequest } from './explained-suggest.dto.js';
import { mergeRanked } from './merge.js';

const HINT = 'Ask for less: fewer suffixes in available_in, a wider glob, other keywords.';

@Injectable()
export class ExplainedSuggestService {
  constructor(
    private readonly budget: RecordBudget,
    private readonly discovery: DiscoveryRepository,
    private readonly config: Config,
  ) {}

  /**
   * The best available names that are as asked for, each with its reasons. A question for each keyword, asked as suggest asks it and
   * all at once. Costs the records returned, and is cut to what the budget has left.
   *
   * @throws {ApiError} invalid_parameter when min_length lies above max_length, budget_exhausted when nothing is left
   */
  async suggestDomains(request: SuggestRequest, caller: Caller): Promise<ExplainedSuggestResult> {
    const questions = questionsOf(request);
    const parts = await Promise.all(questions.map((query) => this.discovery.discoverOffers(query)));
    const found = mergeRanked(parts, request.limit);
    const { granted, left } = await this.budget.charge(caller, found.domains.length);
    const results = found.domains.slice(0, granted).map((row, place) => ({
      ...toDomainDto(row, this.config.links),
      why: explain(row, found.domains[place - 1], place + 1, request),
    }));
    return {
      ok: true,
      count: results.length,
      results,
      ...(found.timedOut && { timed_out: true as const }),
      note: noteOn(found, granted, left, HINT),
      ...left,
    };
  }
}

function questionsOf(request: SuggestRequest): DiscoveryQuery[] {
  const { keywords, exclude = [], glob, min_length, max_length, available_in: offeredUnder = [] } = request;
  if (min_length !== undefined && max_length !== undefined && min_length > max_length)
    throw new ApiError('invalid_parameter', 'min_length must not be greater than max_length');
  const isWorded = exclude.length > 0 || glob !== undefined || offeredUnder.length > 0;
  const common = {
    mode: request.mode,
    suffixes: request.tld ?? offeredUnder,
    minWayback: request.min_wayback,
    ...(min_length !== undefined && { minLength: min_length }),
    ...(max_length !== undefined && { maxLength: max_length }),
    ...(isWorded && { wording: { ...(glob !== undefined && { glob }), without: exclude, offeredUnder } }),
    limit: request.limit,
  };
  return keywords ? [...new Set(keywords)].map((q) => ({ ...common, q })) : [common];
}
