import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import type { TriState } from '../../domains/schema/filters/filter.js';
import { SCORE_BANDS } from '../../domains/schema/filters/score-bands.js';
import { NOTHING_KNOWN } from '../../domains/search/discovery-query.js';
import { LABEL_LENGTH, SUFFIXES, type Suffix } from '../../domains/schema/domain.js';
import { Counted } from '../search/search.dto.js';

/** Months in an answer, the newest; names whose first day is not known count as one. */
export const MAX_MONTHS = 120;

const COUNT = {
  description: 'Names that match and have this value.',
  type: 'integer',
  minimum: 1,
  example: 120,
} as const;
const WITH_OR_WITHOUT = ['only', 'exclude'] as const;

@ApiSchema({ name: 'SuffixFacet', description: 'Names of one suffix.' })
export class SuffixFacet {
  @ApiProperty({ description: 'The suffix.', enum: SUFFIXES, example: 'com.au' })
  tld: Suffix;

  @ApiProperty(COUNT)
  count: number;
}

@ApiSchema({ name: 'LengthFacet', description: 'Names of one length.' })
export class LengthFacet {
  @ApiProperty({
    description: 'Characters of the label: as min_length and as max_length it asks for these names.',
    type: 'integer',
    minimum: LABEL_LENGTH.min,
    maximum: LABEL_LENGTH.max,
    example: 6,
  })
  length: number;

  @ApiProperty(COUNT)
  count: number;
}

@ApiSchema({ name: 'HyphensFacet', description: 'Names with hyphens, or without.' })
export class HyphensFacet {
  @ApiProperty({ description: 'As the parameter says it.', enum: WITH_OR_WITHOUT, example: 'exclude' })
  hyphens: Exclude<TriState, 'allow'>;

  @ApiProperty(COUNT)
  count: number;
}

@ApiSchema({ name: 'NumbersFacet', description: 'Names with digits, or without.' })
export class NumbersFacet {
  @ApiProperty({ description: 'As the parameter says it.', enum: WITH_OR_WITHOUT, example: 'exclude' })
  numbers: Exclude<TriState, 'allow'>;

  @ApiProperty(COUNT)
  count: number;
}

@ApiSchema({ name: 'ScoreFacet', description: 'Names whose archive score lies in one range.' })
export class ScoreFacet {
  @ApiProperty({ description: 'Smallest score of the range.', type: 'integer', minimum: 0, example: 10 })
  min_wayback: number;

  @ApiProperty({
    description: 'Largest score of the range; null: there is none.',
    type: 'integer',
    nullable: true,
    example: 99,
  })
  max_wayback: number | null;

  @ApiProperty(COUNT)
  count: number;
}

@ApiSchema({ name: 'MonthFacet', description: 'Names first seen in one calendar month.' })
export class MonthFacet {
  @ApiProperty({
    description: 'First day of the month; null: the first day of these names is not known.',
    type: String,
    format: 'date',
    nullable: true,
    example: '2026-11-01',
  })
  first_seen_from: string | null;

  @ApiProperty({
    description: 'Last day of the month; null as above.',
    type: String,
    format: 'date',
    nullable: true,
    example: '2026-11-30',
  })
  first_seen_to: string | null;

  @ApiProperty(COUNT)
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
  @ApiProperty({ description: 'Always true on success.', enum: [true], example: true })
  ok: true;

  @ApiProperty({
    description:
      'Names that the facets count: all that match; where total_is says estimated, the facets are ' +
      'estimates as well. 0 when they were not found within the time cap.',
    type: 'integer',
    minimum: 0,
    example: 240,
  })
  counted: number;

  @ApiProperty({ description: 'The counts.', type: Facets })
  facets: Facets;

  @ApiPropertyOptional({
    description:
      'Present and true when the names were not found within the time cap: the lists are empty then.',
    enum: [true],
  })
  timed_out?: true;

  @ApiPropertyOptional({ description: 'Present with it: nothing is known.', example: NOTHING_KNOWN })
  note?: string;
}
