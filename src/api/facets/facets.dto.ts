import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import type { TriState } from '../../domains/schema/filters/filter.js';
import { SCORE_BANDS } from '../../domains/schema/filters/score-bands.js';
import { NOTHING_KNOWN } from '../../domains/search/discovery-query.js';
import { LABEL_LENGTH, SUFFIXES, type Suffix } from '../../domains/schema/domain.js';
import { Counted } from '../search/search.dto.js';
import { COUNT, INTEGER_OR_NULL, OptionalProperty, Property } from '../../validation/property.js';

/** Months in an answer, the newest; names whose first day is not known count as one. */
export const MAX_MONTHS = 120;

const NAMES_WITH_IT = {
  description: 'Names that match and have this value.',
  type: 'integer',
  minimum: 1,
  example: 120,
} as const;
const WITH_OR_WITHOUT = ['only', 'exclude'] as const;

@ApiSchema({ name: 'SuffixFacet', description: 'Names of one suffix.' })
export class SuffixFacet {
  @Property('The suffix.', 'com.au', { enum: SUFFIXES })
  tld: Suffix;

  @ApiProperty(NAMES_WITH_IT)
  count: number;
}

@ApiSchema({ name: 'LengthFacet', description: 'Names of one length.' })
export class LengthFacet {
  @Property('Characters of the label: as min_length and as max_length it asks for these names.', 6, {
    type: 'integer',
    minimum: LABEL_LENGTH.min,
    maximum: LABEL_LENGTH.max,
  })
  length: number;

  @ApiProperty(NAMES_WITH_IT)
  count: number;
}

@ApiSchema({ name: 'HyphensFacet', description: 'Names with hyphens, or without.' })
export class HyphensFacet {
  @Property('As the parameter says it.', 'exclude', { enum: WITH_OR_WITHOUT })
  hyphens: Exclude<TriState, 'allow'>;

  @ApiProperty(NAMES_WITH_IT)
  count: number;
}

@ApiSchema({ name: 'NumbersFacet', description: 'Names with digits, or without.' })
export class NumbersFacet {
  @Property('As the parameter says it.', 'exclude', { enum: WITH_OR_WITHOUT })
  numbers: Exclude<TriState, 'allow'>;

  @ApiProperty(NAMES_WITH_IT)
  count: number;
}

@ApiSchema({ name: 'ScoreFacet', description: 'Names whose archive score lies in one range.' })
export class ScoreFacet {
  @Property('Smallest score of the range.', 10, COUNT)
  min_wayback: number;

  @Property('Largest score of the range; null: there is none.', 99, INTEGER_OR_NULL)
  max_wayback: number | null;

  @ApiProperty(NAMES_WITH_IT)
  count: number;
}

@ApiSchema({ name: 'MonthFacet', description: 'Names first seen in one calendar month.' })
export class MonthFacet {
  @Property('First day of the month; null: the first day of these names is not known.', '2026-11-01', {
    type: String,
    format: 'date',
    nullable: true,
  })
  first_seen_from: string | null;

  @Property('Last day of the month; null as above.', '2026-11-30', {
    type: String,
    format: 'date',
    nullable: true,
  })
  first_seen_to: string | null;

  @ApiProperty(NAMES_WITH_IT)
  count: number;
}

@ApiSchema({
  name: 'Facets',
  description: 'Counts by each thing that can be filtered for. Values that no name has are left out.',
})
export class Facets {
  @ApiProperty({ description: 'Most names first.', type: [SuffixFacet], maxItems: SUFFIXES.length })
  tld: SuffixFacet[];

  @ApiProperty({ description: 'Shortest first.', type: [LengthFacet], maxItems: LABEL_LENGTH.max })
  length: LengthFacet[];

  @ApiProperty({ description: 'Most names first.', type: [HyphensFacet], maxItems: 2 })
  hyphens: HyphensFacet[];

  @ApiProperty({ description: 'Most names first.', type: [NumbersFacet], maxItems: 2 })
  numbers: NumbersFacet[];

  @ApiProperty({ description: 'Best first.', type: [ScoreFacet], maxItems: SCORE_BANDS.length })
  wayback: ScoreFacet[];

  @ApiProperty({
    description: `Names whose first day is not known, and then the newest ${MAX_MONTHS - 1} months at least.`,
    type: [MonthFacet],
    maxItems: MAX_MONTHS,
  })
  first_seen: MonthFacet[];
}

@ApiSchema({ name: 'FacetsResult', description: 'How many names match, and what they are like.' })
export class FacetsResult extends Counted {
  @Property(
    'Names that the facets count: all that match; where total_is says estimated, the facets are ' +
      'estimates as well. 0 when they were not found within the time cap.',
    240,
    COUNT,
  )
  counted: number;

  @ApiProperty({ description: 'The counts.', type: Facets })
  facets: Facets;

  @ApiPropertyOptional({
    description:
      'Present and true when the names were not found within the time cap: the lists are empty then.',
    enum: [true],
  })
  timed_out?: true;

  @OptionalProperty('Present with it: nothing is known.', NOTHING_KNOWN)
  note?: string;
}
