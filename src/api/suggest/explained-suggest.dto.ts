import { ApiSchema, OmitType } from '@nestjs/swagger';
import { DomainDto } from '../../domains/schema/domain.dto.js';
import type { MatchMode, Suffix } from '../../domains/schema/domain.js';
import { KeywordMode } from '../../domains/name/name-parameters.js';
import { withFilters } from '../../domains/schema/filters/parameters.js';
import { Keywords, Suffixes } from '../../domains/schema/filters/rules.js';
import { DEFAULT_SUGGESTIONS, MAX_SUGGESTIONS, MostSuggestions, SuggestResult } from './suggest.dto.js';
import { field, many, one, oneOf, positive, shape, shapeOn, text } from '../../validation/shape.js';

/** Each is a question of its own. */
const MAX_KEYWORDS = 5;

class KeywordsRequest {
  @Keywords('Names with any of these, as mode says.', MAX_KEYWORDS, ['coffee', 'espresso'])
  keywords?: string[];

  @KeywordMode()
  mode: MatchMode = 'contains';
}

@ApiSchema({ name: 'SuggestRequest', description: 'What the names are to be like. All of it is optional.' })
export class SuggestRequest extends withFilters('suggest', KeywordsRequest) {
  @Suffixes('Only these suffixes; left out: all.', ['com.au'])
  tld?: Suffix[];

  @MostSuggestions()
  limit = DEFAULT_SUGGESTIONS;
}

@ApiSchema({ name: 'Explanation', description: 'Why a name is in the list, and where.' })
export class Explanation extends shape({
  rank: positive('Its place in the list, from 1.', 3),
  keywords: field<string[]>({
    description: 'The keywords that it has, in the order in which they were given.',
    type: [String],
    example: ['coffee'],
  }),
  behind_by: oneOf(
    ['first', 'wayback', 'name'],
    'What put it behind the name before it: a lower archive score, or the order of names.',
    'wayback',
  ),
  text: text(
    'The same in words.',
    'Archive score 412, 88 below the name before it; has coffee; matches *24.',
  ),
}) {}

@ApiSchema({ name: 'ExplainedDomain', description: 'An available name, and why it is where it is.' })
export class ExplainedDomain extends shapeOn(DomainDto, {
  why: one(Explanation, 'Why it is here.'),
}) {}

@ApiSchema({
  name: 'ExplainedSuggestResult',
  description: 'Available names, ranked by archive score, highest first, each with its reasons.',
})
export class ExplainedSuggestResult extends shapeOn(
  OmitType(SuggestResult, ['query', 'mode', 'min_wayback', 'tld', 'results'] as const),
  {
    results: many(ExplainedDomain, 'Ranked by wayback, highest first; names of one score in byte order.', {
      maxItems: MAX_SUGGESTIONS,
    }),
  },
) {}
