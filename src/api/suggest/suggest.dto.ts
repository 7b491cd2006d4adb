import { ApiSchema, OmitType } from '@nestjs/swagger';
import { DomainDto } from '../../domains/schema/domain.dto.js';
import { MATCH_MODES, type MatchMode, SUFFIXES, type Suffix } from '../../domains/schema/domain.js';
import { Keyword, KeywordMode, Score } from '../../domains/name/name-parameters.js';
import { Metered } from '../../access/rate.dto.js';
import {
  count,
  many,
  OK,
  oneOf,
  optional,
  shape,
  text,
  field,
  one,
  positive,
  shapeOn,
  BooleanParameter,
  ChoiceParameter,
  IntegerParameter,
  TextParameter,
} from '../../validation/shape.js';
import { withFilters } from '../../domains/schema/filters/parameters.js';
import { IDEA_KINDS } from '../../domains/ideas.js';
import { MAX_DESCRIPTION_LENGTH } from '../../domains/words/description.js';
import { ReadAs } from '../../domains/words/read-as.js';
import { SearchTexts, Suffixes } from '../../domains/schema/filters/rules.js';

const MAX_SUGGESTIONS = 50;
const DEFAULT_SUGGESTIONS = 10;

/** The parameter `limit` of all that suggests. */
function MostSuggestions(): PropertyDecorator {
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

/** Each is a question of its own. */
const MAX_KEYWORDS = 5;

class KeywordsRequest {
  @SearchTexts('Names with any of these, as match and mode say.', MAX_KEYWORDS, ['coffee', 'espresso'])
  keywords?: string[];

  @KeywordMode()
  mode: MatchMode = 'contains';

  @Description('keywords')
  describe?: string;

  @Ideas()
  ideas = false;
}

/** The parameter `ideas`. */
export function Ideas(): PropertyDecorator {
  return BooleanParameter(
    'Where fewer names match than limit: whether to add `ideas`, names close to what was asked. Each costs a record ' +
      'as well.',
    { default: false, example: true },
  );
}

/** The parameter `describe`. @param other the parameter that it replaces */
export function Description(other: string): PropertyDecorator {
  return TextParameter(
    /[\p{L}\d]{2}/u,
    MAX_DESCRIPTION_LENGTH,
    `Instead of ${other}: what the name is for, as one would say it. Names with most of its words, or with words ` +
      'that go with them, come first.',
    { example: 'a small coffee roastery in Hobart' },
  );
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
    ['first', 'wayback', 'name', 'closeness'],
    'What put it behind the name before it: a lower archive score, or the order of names; with describe, that it has ' +
      'less of the description.',
    'wayback',
  ),
  text: text(
    'The same in words.',
    'Archive score 412, 88 below the name before it; has coffee; matches *24.',
  ),
}) {}

@ApiSchema({ name: 'ExplainedDomain', description: 'An available name, and why it is where it is.' })
class ExplainedDomain extends shapeOn(DomainDto, {
  why: one(Explanation, 'Why it is here.'),
}) {}

@ApiSchema({ name: 'IdeaReason', description: 'Why a name is close to what was asked.' })
class IdeaReason extends shape({
  kind: oneOf(
    IDEA_KINDS,
    '`suffix`: it matches, under another suffix; `words`: it has other words for the same; `part`: it has some of the ' +
      'words; `due`: it matches and is about to drop, so it is not available yet.',
    'words',
  ),
  text: text('The same in words.', 'has cafe for coffee and hobart'),
}) {}

@ApiSchema({ name: 'IdeaDomain', description: 'A name that is close to what was asked, and why.' })
class IdeaDomain extends shapeOn(DomainDto, { why: one(IdeaReason, 'Why it is here.') }) {}

@ApiSchema({
  name: 'ExplainedSuggestResult',
  description: 'Available names, ranked by archive score, highest first, each with its reasons.',
})
export class ExplainedSuggestResult extends shapeOn(
  OmitType(SuggestResult, ['query', 'mode', 'min_wayback', 'tld', 'results'] as const),
  {
    read_as: optional(
      many(ReadAs, 'With match=words or describe: how each keyword, or the description, was understood.', {
        maxItems: MAX_KEYWORDS,
      }),
    ),
    results: many(
      ExplainedDomain,
      'Ranked by wayback, highest first; names of one score in byte order. With describe, the closest first.',
      { maxItems: MAX_SUGGESTIONS },
    ),
    ideas: optional(
      many(IdeaDomain, 'With ideas, where fewer names match than limit: names close to it.', {
        maxItems: MAX_SUGGESTIONS,
      }),
    ),
  },
) {}
