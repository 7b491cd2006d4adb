import { ApiSchema } from '@nestjs/swagger';
import { SCORE_BANDS } from '../../domains/schema/filters/score-bands.js';
import { NOTHING_KNOWN } from '../../domains/search/discovery-query.js';
import { LABEL_LENGTH, SUFFIXES } from '../../domains/schema/domain.js';
import { Counted } from '../search/search.dto.js';
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
export const MAX_MONTHS = 120;

const WITH_OR_WITHOUT = ['only', 'exclude'] as const;

@ApiSchema({ name: 'SuffixFacet', description: 'Names of one suffix.' })
export class SuffixFacet extends shape({
  tld: oneOf(SUFFIXES, 'The suffix.', 'com.au'),
  count: positive('Names that match and have this value.', 120),
}) {}

@ApiSchema({ name: 'LengthFacet', description: 'Names of one length.' })
export class LengthFacet extends shape({
  length: whole('Characters of the label: as min_length and as max_length it asks for these names.', 6, {
    minimum: LABEL_LENGTH.min,
    maximum: LABEL_LENGTH.max,
  }),
  count: positive('Names that match and have this value.', 120),
}) {}

@ApiSchema({ name: 'HyphensFacet', description: 'Names with hyphens, or without.' })
export class HyphensFacet extends shape({
  hyphens: oneOf(WITH_OR_WITHOUT, 'As the parameter says it.', 'exclude'),
  count: positive('Names that match and have this value.', 120),
}) {}

@ApiSchema({ name: 'NumbersFacet', description: 'Names with digits, or without.' })
export class NumbersFacet extends shape({
  numbers: oneOf(WITH_OR_WITHOUT, 'As the parameter says it.', 'exclude'),
  count: positive('Names that match and have this value.', 120),
}) {}

@ApiSchema({ name: 'ScoreFacet', description: 'Names whose archive score lies in one range.' })
export class ScoreFacet extends shape({
  min_wayback: count('Smallest score of the range.', 10),
  max_wayback: orNull(whole('Largest score of the range; null: there is none.', 99)),
  count: positive('Names that match and have this value.', 120),
}) {}

@ApiSchema({ name: 'MonthFacet', description: 'Names first seen in one calendar month.' })
export class MonthFacet extends shape({
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
  note: optional(text('Present with it: nothing is known.', NOTHING_KNOWN)),
}) {}
