import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';
import { DomainDto } from '../../domains/schema/domain.dto.js';
import { MATCH_MODES, type MatchMode, SUFFIXES, type Suffix } from '../../domains/schema/domain.js';
import { Keyword, KeywordMode, Score } from '../../domains/name/name-parameters.js';
import { IsIntegerFrom } from '../../validation/numbers.js';
import { Metered } from '../../access/rate.dto.js';
import { count, many, OK, oneOf, optional, shape, text } from '../../validation/shape.js';

export const MAX_SUGGESTIONS = 50;
export const DEFAULT_SUGGESTIONS = 10;

/** The parameter `limit` of all that suggests. */
export function MostSuggestions(): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({
      description: 'Most results. Capped by what is left of the budget.',
      type: 'integer',
      minimum: 1,
      maximum: MAX_SUGGESTIONS,
      default: DEFAULT_SUGGESTIONS,
      example: 5,
    }),
    IsOptional(),
    IsIntegerFrom(1, MAX_SUGGESTIONS),
  );
}

export class SuggestQuery {
  @Keyword()
  q?: string;

  @KeywordMode()
  mode: MatchMode = 'contains';

  @Score('Smallest archive score.', { default: 0, example: 10 })
  min_wayback = 0;

  @ApiPropertyOptional({ description: 'Only this suffix; left out: all.', enum: SUFFIXES, example: 'com.au' })
  @IsOptional()
  @IsIn(SUFFIXES, { message: `tld must be one of ${SUFFIXES.join(', ')}` })
  tld?: Suffix;

  @MostSuggestions()
  limit = DEFAULT_SUGGESTIONS;
}

@ApiSchema({ name: 'SuggestResult', description: 'Available names, ranked by archive score, highest first.' })
export class SuggestResult extends shape({
  ...Metered.fields,
  ...OK,
  query: text('The q applied; empty when none was given.', 'coffee'),
  mode: oneOf(MATCH_MODES, 'The match mode applied.', 'contains'),
  min_wayback: count('The minimum score applied.', 0),
  tld: oneOf([...SUFFIXES, ''], 'The suffix filter applied; empty when all are searched.', 'com.au'),
  count: count('Number of results.', 1, { maximum: MAX_SUGGESTIONS }),
  results: many(DomainDto, 'Ranked by wayback, highest first; names of one score in byte order.', {
    maxItems: MAX_SUGGESTIONS,
  }),
  timed_out: optional(
    oneOf(
      [true],
      'Present and true when the pattern was too broad to rank within the time cap; the results ' +
        'are then the true head of the list, as far as it was found. Absent otherwise.',
    ),
  ),
  note: text(
    'Free text: how the names were found, by whom they were confirmed, and when the longest ago.',
    'Ranked by archive score. Each was confirmed as available (by rdap), the one longest ago at ' +
      '2026-11-20T03:41:07.123Z: check a name before you rely on it.',
  ),
}) {}
