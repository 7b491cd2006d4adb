import { applyDecorators } from '@nestjs/common';
import { ApiExtraModels, ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';
import { Cursor } from '../domains/cursor.decorator.js';
import { PRESENCES, type Presence } from '../domains/discovery/discovery-query.js';
import { DOMAIN_STATES, type DomainState } from '../domains/lifecycle/states.js';
import { Moment } from '../domains/moment.decorator.js';
import { DomainDto, FullDomainDto, TIER_SHAPES } from '../domains/domain.dto.js';
import { LABEL_LENGTH, type MatchMode, type Suffix } from '../domains/domain.js';
import { Day, Keyword, KeywordMode, Score, SuffixList } from '../domains/names/name-parameters.js';
import { IsIntegerFrom } from '../validation/numbers.js';
import { Metered } from '../rate-limit/rate.dto.js';
import { MAX_PAGE_SIZE } from '../tiers/tiers.js';
import { SORTS, type Sort } from './sorts.js';

/** Pages by number end here; a cursor goes on to any depth. */
export const MAX_PAGE_RECORDS = 10_000;
/** How far matches are counted. */
export const MAX_TOTAL = 10_000;

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

export class SearchQuery {
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

  @ApiPropertyOptional({
    description:
      'The order. A key alone has its usual direction: `wayback` highest first, `first_seen` newest first, `length` shortest first, `domain` in byte order; `_asc` and `_desc` say it outright. Names alike in the key come by score, highest first, and then by name; against the usual direction the other way round, lowest score first. Names whose first day is not known come last both ways.',
    enum: SORTS,
    default: 'wayback',
    example: 'length',
  })
  @IsOptional()
  @IsIn(SORTS, { message: `sort must be one of ${SORTS.join(', ')}` })
  sort: Sort = 'wayback';

  @ApiPropertyOptional({
    description: `Which page, from 1, as far as record ${MAX_PAGE_RECORDS}; a cursor goes on from there. A page that the budget cut short is continued by its next_cursor only: the next number begins a whole page later. Pages after the first need a tier with paging.`,
    type: 'integer',
    minimum: 1,
    maximum: MAX_PAGE_RECORDS,
    default: 1,
    example: 1,
  })
  @IsOptional()
  @IsIntegerFrom(1, MAX_PAGE_RECORDS)
  page?: number;

  @ApiPropertyOptional({
    description:
      "Records a page, up to the tier's page size, and capped by what is left of the budget. Left out: 25, or the tier's page size where that is smaller.",
    type: 'integer',
    minimum: 1,
    maximum: MAX_PAGE_SIZE,
    example: 1,
  })
  @IsOptional()
  @IsIntegerFrom(1, MAX_PAGE_SIZE)
  per_page?: number;

  @Cursor(
    'page',
    'next_cursor of the page before, with the same filters and the same sort; instead of page. A deep page costs what the first one does. Needs a tier with paging.',
  )
  cursor?: string;
}

@ApiSchema({ name: 'SearchResult', description: 'One page of the available names that match.' })
@ApiExtraModels(DomainDto, FullDomainDto)
export class SearchResult extends Metered {
  @ApiProperty({ description: 'Always true on success.', enum: [true], example: true })
  ok: true;

  @ApiProperty({
    description: "The page's names in the order asked for, with the fields of the caller's tier.",
    type: 'array',
    items: TIER_SHAPES,
    maxItems: MAX_PAGE_SIZE,
  })
  results: (DomainDto | FullDomainDto)[];

  @ApiProperty({
    description: 'Which page this is; with a cursor, counted from where the paging began.',
    type: 'integer',
    minimum: 1,
    example: 1,
  })
  page: number;

  @ApiProperty({
    description: 'Records a page that were asked for.',
    type: 'integer',
    minimum: 1,
    example: 25,
  })
  per_page: number;

  @ApiProperty({
    description:
      'Records on this page: what was charged. Fewer than per_page at the end, or when the budget had no more.',
    type: 'integer',
    minimum: 0,
    example: 1,
  })
  count: number;

  @ApiProperty({
    description: `Names that match, on all pages: exact up to ${MAX_TOTAL}. Null when they could not be counted within the time cap.`,
    type: 'integer',
    minimum: 0,
    maximum: MAX_TOTAL,
    nullable: true,
    example: 1,
  })
  total: number | null;

  @ApiProperty({
    description: `Whether more than total match: counting stops at ${MAX_TOTAL}.`,
    example: false,
  })
  total_capped: boolean;

  @ApiProperty({
    description: 'Whether more names follow this page. True as well when timed_out is, as there may be more.',
    example: false,
  })
  has_more: boolean;

  @ApiProperty({
    description:
      'Where the next page begins; null at the end, for tiers without paging, and when the first page timed out with no name: ask again. Opaque, valid for this search only.',
    type: String,
    nullable: true,
    example: null,
  })
  next_cursor: string | null;

  @ApiPropertyOptional({
    description:
      'Present and true when the search was too broad to finish within the time cap; the results are then the true head of the page, as far as it was found. Absent otherwise.',
    enum: [true],
  })
  timed_out?: true;
}
