import { ApiSchema } from '@nestjs/swagger';
import { DomainDto } from '../../domains/schema/domain.dto.js';
import { MATCH_MODES, type MatchMode, SUFFIXES, type Suffix } from '../../domains/schema/domain.js';
import { Keyword, KeywordMode, Score } from '../../domains/name/name-parameters.js';
import { Metered } from '../../access/rate.dto.js';
import { count, many, OK, oneOf, optional, shape, text } from '../../validation/shape.js';
import { ChoiceParameter, IntegerParameter } from '../../validation/parameters.js';

export const MAX_SUGGESTIONS = 50;
export const DEFAULT_SUGGESTIONS = 10;

/** The parameter `limit` of all that suggests. */
export function MostSuggestions(): PropertyDecorator {
  return IntegerParameter(1, MAX_SUGGESTIONS, 'Most results. Capped by what is left of the budget.', {
    default: DEFAULT_SUGGESTIONS,
    example: 5,
  });
}

export class SuggestQuery {
  @Keyword()
  q?: string;

  @KeywordMode()
  mode: MatchMode = 'contains';

  @Score('Smallest archive score.', { default: 0, example: 10 })
  min_wayback = 0;

  @ChoiceParameter(SUFFIXES, 'Only this suffix; left out: all.', { example: 'com.au' })
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
