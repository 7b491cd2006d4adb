import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { LIST_KINDS, type ListKind } from '../../config/product.js';
import { LIST_OUTCOMES, type ListOutcome } from '../../ingest/lists/list-fetch.repository.js';
import { COUNT_OR_NULL, INTEGER, Property } from '../../validation/property.js';

const TIME = {
  type: String,
  nullable: true,
  format: 'date-time',
  example: '2026-11-20T03:04:05.000Z',
} as const;

@ApiSchema({ name: 'ListStatus', description: 'How one address of an official drop list is doing.' })
export class ListStatusDto {
  @Property('Which of the official lists it is.', 'deleted', { enum: LIST_KINDS })
  kind: ListKind;

  @ApiProperty({
    ...TIME,
    description: 'When the last list was fetched that was imported; null before the first.',
  })
  last_imported_at: string | null;

  @Property('How long ago that was, in seconds.', 3_600, COUNT_OR_NULL)
  age_seconds: number | null;

  @ApiProperty({
    ...TIME,
    description: 'When it was last asked; null before the first time.',
  })
  last_asked_at: string | null;

  @Property(
    'What came of it; `alarm`: a list that cannot be right, and was not imported. Null: not finished.',
    'unchanged',
    { enum: [...LIST_OUTCOMES, null], type: String, nullable: true },
  )
  last_outcome: ListOutcome | null;
}

@ApiSchema({ name: 'RegistryStatus', description: 'How a registry service is doing.' })
export class RegistryStatusDto {
  @Property('Which service.', 'rdap', { enum: ['rdap', 'sandbox', 'availability_service'] })
  source: string;

  @Property('The circuit breaker: `open` while it is not asked, after failures in a row.', 'closed', {
    enum: ['open', 'closed', 'probing'],
  })
  breaker: string;

  @ApiProperty({ ...TIME, description: 'Until when it wants to be left alone; null when it does not.' })
  paused_until: string | null;

  @Property(
    'Whether the names that are surely registered were found so; `failed`: it is not believed.',
    'ok',
    { enum: ['ok', 'failed', 'unknown'] },
  )
  canary: string;

  @ApiProperty({ ...TIME, description: 'When that was looked at.' })
  canary_at: string | null;

  @ApiProperty({ ...TIME, description: 'When it last gave an answer.' })
  last_answered_at: string | null;
}

@ApiSchema({ name: 'ArchiveStatus', description: 'How the web archive is doing, which scores come from.' })
export class ArchiveStatusDto {
  @Property('Where scores come from; null: names are not scored here.', 'archive', {
    enum: ['archive', 'sandbox', null],
    type: String,
    nullable: true,
  })
  source: string | null;

  @ApiProperty({ ...TIME, description: 'Until when it is left alone; null when it is not.' })
  resting_until: string | null;

  @Property('Questions without an answer since the last answer.', 0, INTEGER)
  failures_in_row: number;

  @ApiProperty({ ...TIME, description: 'When it last gave an answer.' })
  last_answered_at: string | null;
}
