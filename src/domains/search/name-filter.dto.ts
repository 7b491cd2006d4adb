import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';
import { ApiError } from '../../errors/api-error.js';
import { IsIntegerFrom } from '../../validation/numbers.js';
import { LABEL_LENGTH, type MatchMode, type Suffix } from '../schema/domain.js';
import { DOMAIN_STATES, type DomainState } from '../schema/states.js';
import { Moment } from '../schema/list-parameters.js';
import { Day, Keyword, KeywordMode, Score, SuffixList } from '../name/name-parameters.js';
import { MAX_COUNTED, type NameFilter, PRESENCES, type Presence } from './discovery-query.js';

/** What is said of `total` and `total_capped`, wherever the names are counted that pass. */
export const TOTAL_DESCRIPTION = `Names that match. Exact, however many they are, where the filter has no more than suffixes, lengths, hyphens, digits, whole calendar months and limits of score where bands meet (0, 1, 10, 100, 1,000 and 10,000, less one as the largest); otherwise exact up to ${MAX_COUNTED}.`;
export const TOTAL_CAPPED_DESCRIPTION = `Whether there may be more than total: names that have to be looked at one by one are counted to ${MAX_COUNTED}, and no longer than the time cap allows.`;

function Length(description: string, example: number): PropertyDecorator {
  const { min, max } = LABEL_LENGTH;
  return applyDecorators(
    ApiPropertyOptional({ description, type: 'integer', minimum: min, maximum: max, example }),
    IsOptional(),
    IsIntegerFrom(min, max),
  );
}

function Has(what: string): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({
      description: `Names with ${what}: allow them, exclude them, or only them.`,
      enum: PRESENCES,
      default: 'allow',
      example: 'exclude',
    }),
    IsOptional(),
    IsIn(PRESENCES, { message: `$property must be one of ${PRESENCES.join(', ')}` }),
  );
}

/** The parameters that say which names are meant: of search and of facets. Goes with ApiCommaList('tld') on the operation. */
export class NameFilterQuery {
  @Keyword()
  q?: string;

  @KeywordMode()
  mode: MatchMode = 'contains';

  @SuffixList()
  tld?: Suffix[];

  @Length('Fewest characters of the label.', 4)
  min_length?: number;

  @Length('Most characters of the label.', 12)
  max_length?: number;

  @Has('hyphens')
  hyphens: Presence = 'allow';

  @Has('digits')
  numbers: Presence = 'allow';

  @Score('Smallest archive score.', { default: 0, example: 10 })
  min_wayback = 0;

  @Score('Largest archive score.', { example: 5_000 })
  max_wayback?: number;

  @Day('First seen on this day or later. Names whose first day is not known are left out.', '2026-11-01')
  first_seen_from?: string;

  @Day('First seen on this day or earlier. Names whose first day is not known are left out.', '2026-11-20')
  first_seen_to?: string;

  @ApiPropertyOptional({
    description: `Which names, by what they are in the dataset. Only \`available\` is on offer, and only it is for every tier; the others need full fields.`,
    enum: Object.keys(DOMAIN_STATES),
    default: 'available',
    example: 'purged',
  })
  @IsOptional()
  @IsIn(Object.keys(DOMAIN_STATES), {
    message: `state must be one of ${Object.keys(DOMAIN_STATES).join(', ')}`,
  })
  state: DomainState = 'available';

  @ApiPropertyOptional({
    description:
      'Names that were available when they were last asked about, which is too long ago to offer them: `exclude` them, or `include` them beside those that are on offer. They say `available: false`.',
    enum: ['exclude', 'include'],
    default: 'exclude',
    example: 'include',
  })
  @IsOptional()
  @IsIn(['exclude', 'include'], { message: 'stale must be one of exclude, include' })
  stale: 'exclude' | 'include' = 'exclude';

  @Moment(
    'Only names whose state somebody confirmed at this time or later (`checked_at`; ISO 8601 with an offset).',
    '2026-11-20T00:00:00Z',
  )
  confirmed_since?: string;
}

/** What a name itself is to be like, in the order in which addresses have it. */
export const NAME_FILTER_FIELDS = [
  'q',
  'mode',
  'tld',
  'min_length',
  'max_length',
  'hyphens',
  'numbers',
  'min_wayback',
  'max_wayback',
  'first_seen_from',
  'first_seen_to',
] as const satisfies readonly (keyof NameFilterQuery)[];

/** @throws {ApiError} invalid_parameter when a lower bound lies above its upper one */
export function nameFilterOf(query: NameFilterQuery): NameFilter {
  const { min_length, max_length, min_wayback, max_wayback, first_seen_from, first_seen_to } = query;
  assertOrdered('min_length', min_length, 'max_length', max_length);
  assertOrdered('min_wayback', min_wayback, 'max_wayback', max_wayback);
  assertOrdered('first_seen_from', first_seen_from, 'first_seen_to', first_seen_to);
  return {
    q: query.q,
    mode: query.mode,
    suffixes: query.tld ?? [],
    minWayback: min_wayback,
    maxWayback: max_wayback,
    minLength: min_length,
    maxLength: max_length,
    hyphens: query.hyphens,
    numbers: query.numbers,
    firstSeenFrom: first_seen_from,
    firstSeenTo: first_seen_to,
    states: statesOf(query),
    confirmedSince: query.confirmed_since,
  };
}

function statesOf({ state, stale }: NameFilterQuery): readonly DomainState[] {
  return state === 'available' && stale === 'include' ? ['available', 'stale'] : [state];
}

function assertOrdered<Bound extends number | string>(
  from: string,
  low?: Bound,
  to?: string,
  high?: Bound,
): void {
  if (low !== undefined && high !== undefined && low > high)
    throw new ApiError('invalid_parameter', `${from} must not be greater than ${to}`);
}
