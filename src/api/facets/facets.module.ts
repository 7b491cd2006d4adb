import { Controller, Get, Module, Query, Injectable } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags, ApiSchema } from '@nestjs/swagger';
import { type Caller, CurrentCaller } from '../../access/caller.js';
import { RateLimitModule } from '../../access/rate-limit.module.js';
import { RATE_RESPONSE_HEADERS } from '../../access/rate.dto.js';
import { DomainsModule } from '../../domains/domains.module.js';
import { ApiCommaList } from '../../domains/name/name-parameters.js';
import { NameFilterQuery, nameFilterOf } from '../../domains/schema/filters/parameters.js';
import { ApiFailures } from '../../errors/api-failures.decorator.js';
import { TierGate } from '../../access/tier-gate.js';
import { Config } from '../../config/config.js';
import { sandboxWords } from '../../domains/first-offers.js';
import { DomainRepository } from '../../domains/domain.repository.js';
import { NOTHING_KNOWN, type FacetRow } from '../../domains/search/discovery-query.js';
import { SCORE_BANDS } from '../../domains/schema/filters/score-bands.js';
import { RecordBudget } from '../../access/record-budget.js';
import { askedDays, Counted, totalsOf } from '../search/search.dto.js';
import { LABEL_LENGTH, SUFFIXES } from '../../domains/schema/domain.js';
import {
  count,
  day,
  many,
  OK,
  one,
  oneOf,
  optional,
  orNull,
  positive,
  shape,
  text,
  whole,
} from '../../validation/shape.js';

/** Months in an answer, the newest; names whose first day is not known count as one. */
const MAX_MONTHS = 120;

const WITH_OR_WITHOUT = ['only', 'exclude'] as const;

@ApiSchema({ name: 'SuffixFacet', description: 'Names of one suffix.' })
class SuffixFacet extends shape({
  tld: oneOf(SUFFIXES, 'The suffix.', 'com.au'),
  count: positive('Names that match and have this value.', 120),
}) {}

@ApiSchema({ name: 'LengthFacet', description: 'Names of one length.' })
class LengthFacet extends shape({
  length: whole('Characters of the label: as min_length and as max_length it asks for these names.', 6, {
    minimum: LABEL_LENGTH.min,
    maximum: LABEL_LENGTH.max,
  }),
  count: positive('Names that match and have this value.', 120),
}) {}

@ApiSchema({ name: 'HyphensFacet', description: 'Names with hyphens, or without.' })
class HyphensFacet extends shape({
  hyphens: oneOf(WITH_OR_WITHOUT, 'As the parameter says it.', 'exclude'),
  count: positive('Names that match and have this value.', 120),
}) {}

@ApiSchema({ name: 'NumbersFacet', description: 'Names with digits, or without.' })
class NumbersFacet extends shape({
  numbers: oneOf(WITH_OR_WITHOUT, 'As the parameter says it.', 'exclude'),
  count: positive('Names that match and have this value.', 120),
}) {}

@ApiSchema({ name: 'ScoreFacet', description: 'Names whose archive score lies in one range.' })
class ScoreFacet extends shape({
  min_wayback: count('Smallest score of the range.', 10),
  max_wayback: orNull(whole('Largest score of the range; null: there is none.', 99)),
  count: positive('Names that match and have this value.', 120),
}) {}

@ApiSchema({ name: 'MonthFacet', description: 'Names first seen in one calendar month.' })
class MonthFacet extends shape({
  first_seen_from: orNull(
    day('First day of the month; null: the first day of these names is not known.', '2026-11-01'),
  ),
  first_seen_to: orNull(day('Last day of the month; null as above.', '2026-11-30')),
  count: positive('Names that match and have this value.', 120),
}) {}

@ApiSchema({
  name: 'Facets',
  description: 'Counts by each thing that can be filtered for. Values that no name has are left out.',
})
export class Facets extends shape({
  tld: many(SuffixFacet, 'Most names first.', { maxItems: SUFFIXES.length }),
  length: many(LengthFacet, 'Shortest first.', { maxItems: LABEL_LENGTH.max }),
  hyphens: many(HyphensFacet, 'Most names first.', { maxItems: 2 }),
  numbers: many(NumbersFacet, 'Most names first.', { maxItems: 2 }),
  wayback: many(ScoreFacet, 'Best first.', { maxItems: SCORE_BANDS.length }),
  first_seen: many(
    MonthFacet,
    `Names whose first day is not known, and then the newest ${MAX_MONTHS - 1} months at least.`,
    { maxItems: MAX_MONTHS },
  ),
}) {}

@ApiSchema({ name: 'FacetsResult', description: 'How many names match, and what they are like.' })
export class FacetsResult extends shape({
  ...Counted.fields,
  ...OK,
  counted: count(
    'Names that the facets count: all that match; where total_is says estimated, the facets are ' +
      'estimates as well. 0 when they were not found within the time cap.',
    240,
  ),
  facets: one(Facets, 'The counts.'),
  timed_out: optional(
    oneOf(
      [true],
      'Present and true when the names were not found within the time cap: the lists are empty then.',
    ),
  ),
  note: optional(
    text(
      'Present with it: nothing is known. Present also where the registry is a sandbox: its answers are made up.',
      NOTHING_KNOWN,
    ),
  ),
}) {}

@Injectable()
export class FacetsService {
  constructor(
    private readonly gate: TierGate,
    private readonly budget: RecordBudget,
    private readonly domains: DomainRepository,
    private readonly config: Config,
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
    const { facets: rows, counted } = await this.domains.search.countFacets(filter);
    const facets = toFacets(rows ?? []);
    const { left } = await this.budget.charge(caller, isPaid ? 1 : 0);
    const note = rows === null ? NOTHING_KNOWN : sandboxWords(this.config.registry.source);
    return {
      ok: true,
      ...totalsOf(counted),
      ...askedDays(query),
      counted: facets.tld.reduce((sum, { count }) => sum + count, 0),
      facets,
      ...(rows === null && { timed_out: true as const }),
      ...(note !== '' && { note }),
      ...left,
    };
  }
}

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

@ApiTags('Discovery')
@Controller()
class FacetsController {
  constructor(private readonly facets: FacetsService) {}

  @Get('api/v1/facets')
  @ApiOperation({
    operationId: 'countFacets',
    summary: 'Count the available .au names by suffix, length, hyphens, digits, score and month',
    description:
      'Takes the filters of search, and says how many of the names that match have each value: ' +
      'what a filter more would leave. Each value comes as the parameters that ask for it. Costs ' +
      'nothing without q, and one record with it.',
  })
  @ApiCommaList('tld')
  @ApiOkResponse({ type: FacetsResult, description: 'The counts.', headers: RATE_RESPONSE_HEADERS })
  @ApiFailures('key_required', 'tier_required', 'budget_exhausted', 'not_ready')
  countFacets(@Query() query: NameFilterQuery, @CurrentCaller() caller: Caller): Promise<FacetsResult> {
    return this.facets.countFacets(query, caller);
  }
}

@Module({
  imports: [DomainsModule, RateLimitModule],
  controllers: [FacetsController],
  providers: [FacetsService],
  exports: [FacetsService],
})
export class FacetsModule {}
