import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { IsIn, IsOptional, Matches } from 'class-validator';
import { DomainDto } from '../domains/domain.dto.js';
import { MATCH_MODES, type MatchMode, SUFFIXES, type Suffix } from '../domains/domain.js';
import { IsIntegerFrom } from '../errors/integer.decorator.js';
import { Metered } from '../rate-limit/rate.dto.js';

const Q_RULE = 'q must be 1 to 64 characters of a-z, 0-9 and hyphen';
// The largest score a row can have: the column is a 4-byte integer.
const MAX_WAYBACK = 2_147_483_647;

export class SuggestQuery {
  @ApiPropertyOptional({
    description:
      'Keyword to match in the name (the label, without the suffix). Left out: every name matches.',
    type: String,
    maxLength: 64,
    pattern: '^[a-z0-9-]{1,64}$',
    example: 'coffee',
  })
  @IsOptional()
  @Matches(/^[a-z0-9-]{1,64}$/, { message: Q_RULE })
  q?: string;

  @ApiPropertyOptional({
    description: 'How q matches the name.',
    enum: MATCH_MODES,
    default: 'contains',
    example: 'prefix',
  })
  @IsOptional()
  @IsIn(MATCH_MODES, { message: `mode must be one of ${MATCH_MODES.join(', ')}` })
  mode: MatchMode = 'contains';

  @ApiPropertyOptional({
    description: 'Smallest archive score.',
    type: 'integer',
    minimum: 0,
    maximum: MAX_WAYBACK,
    default: 0,
    example: 10,
  })
  @IsOptional()
  @IsIntegerFrom(0, MAX_WAYBACK)
  min_wayback = 0;

  @ApiPropertyOptional({ description: 'Only this suffix; left out: all.', enum: SUFFIXES, example: 'com.au' })
  @IsOptional()
  @IsIn(SUFFIXES, { message: `tld must be one of ${SUFFIXES.join(', ')}` })
  tld?: Suffix;

  @ApiPropertyOptional({
    description: 'Most results. Capped by what is left of the budget.',
    type: 'integer',
    minimum: 1,
    maximum: 50,
    default: 10,
    example: 5,
  })
  @IsOptional()
  @IsIntegerFrom(1, 50)
  limit = 10;
}

@ApiSchema({ name: 'SuggestResult', description: 'Available names, ranked by archive score, highest first.' })
export class SuggestResult extends Metered {
  @ApiProperty({ description: 'Always true on success.', enum: [true], example: true })
  ok: true;

  @ApiProperty({ description: 'The q applied; empty when none was given.', example: 'coffee' })
  query: string;

  @ApiProperty({ description: 'The match mode applied.', enum: MATCH_MODES, example: 'contains' })
  mode: MatchMode;

  @ApiProperty({ description: 'The minimum score applied.', type: 'integer', minimum: 0, example: 0 })
  min_wayback: number;

  @ApiProperty({
    description: 'The suffix filter applied; empty when all are searched.',
    enum: [...SUFFIXES, ''],
    example: 'com.au',
  })
  tld: string;

  @ApiProperty({ description: 'Number of results.', type: 'integer', minimum: 0, maximum: 50, example: 1 })
  count: number;

  @ApiProperty({
    type: [DomainDto],
    description: 'Ranked by wayback, highest first; names of one score in byte order.',
    maxItems: 50,
  })
  results: DomainDto[];

  @ApiPropertyOptional({
    description:
      'Present and true when the pattern was too broad to rank within the time cap; the results are then the true head of the list, as far as it was found. Absent otherwise.',
    enum: [true],
  })
  timed_out?: true;

  @ApiProperty({
    description: 'Free text.',
    example: 'Ranked by archive score; ask /v1/domains/check before you rely on a name.',
  })
  note: string;
}
