import { ApiExtraModels, ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsISO8601, IsOptional, IsString, Matches, MaxLength } from 'class-validator';
import { DomainDto, FullDomainDto, TIER_SHAPES } from '../domains/domain.dto.js';
import { DomainEventDto } from '../domains/domain-event.dto.js';
import { IsIntegerFrom } from '../errors/integer.decorator.js';
import { Metered } from '../rate-limit/rate.dto.js';

const SINCE_RULE = {
  message:
    'since must be an ISO 8601 time from 1970 on with its offset, such as 2026-11-20T00:00:00Z or 2026-11-20T11:00:00+11:00',
};
const CURSOR_RULE = { message: 'cursor must be the next_cursor of an earlier answer' };
/** The largest page of any tier. */
const MAX_LIMIT = 100;

export class DroppedQuery {
  @ApiPropertyOptional({
    description:
      'Where to begin: events of this time and later (ISO 8601 with an offset). Either this or cursor is needed.',
    type: String,
    format: 'date-time',
    example: '2026-11-18T00:00:00Z',
  })
  @IsOptional()
  // A plus sign that was not percent-encoded arrives as a space, and there it can be nothing else.
  @Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' ? value.replace(/ (?=\d\d:?\d\d$)/, '+') : value,
  )
  @IsISO8601({ strict: true, strictSeparator: true }, SINCE_RULE)
  @Matches(/^(19[7-9]|[2-9]\d\d)\d-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/, SINCE_RULE)
  since?: string;

  @ApiPropertyOptional({
    description:
      "Most events, up to the tier's page size, and capped by what is left of the budget. Left out: 25, or the tier's page size where that is smaller.",
    type: 'integer',
    minimum: 1,
    maximum: MAX_LIMIT,
    example: 25,
  })
  @IsOptional()
  @IsIntegerFrom(1, MAX_LIMIT)
  limit?: number;

  @ApiPropertyOptional({
    description: 'next_cursor of the answer before; instead of since.',
    type: String,
    maxLength: 512,
  })
  @IsOptional()
  @IsString(CURSOR_RULE)
  @MaxLength(512, CURSOR_RULE)
  cursor?: string;
}

@ApiSchema({ name: 'FeedEvent', description: 'One event of the feed.' })
@ApiExtraModels(DomainDto, FullDomainDto)
export class FeedEvent extends DomainEventDto {
  @ApiProperty({
    description: 'Place in the feed: rises from event to event, with gaps.',
    type: 'integer',
    minimum: 1,
    example: 40_213,
  })
  number: number;

  @ApiProperty({
    description: "The name as the dataset knows it now, with the fields of the caller's tier.",
    ...TIER_SHAPES,
  })
  data: DomainDto | FullDomainDto;
}

@ApiSchema({ name: 'DroppedResult', description: 'A stretch of the feed, oldest event first.' })
export class DroppedResult extends Metered {
  @ApiProperty({ description: 'Always true on success.', enum: [true], example: true })
  ok: true;

  @ApiProperty({ type: [FeedEvent], description: 'Events, oldest first.', maxItems: MAX_LIMIT })
  results: FeedEvent[];

  @ApiProperty({
    description: 'Events in this answer: what was charged.',
    type: 'integer',
    minimum: 0,
    example: 1,
  })
  count: number;

  @ApiProperty({ description: 'Whether more events follow now.', example: false })
  has_more: boolean;

  @ApiProperty({
    description:
      'Where to go on, also when nothing follows yet: keep it, and ask again later. Every event comes once, and none is missed.',
    example: 'bWFkZS11cC1leGFtcGxl',
  })
  next_cursor: string;
}
