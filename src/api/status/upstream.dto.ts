import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { LIST_KINDS, type ListKind } from '../../config/product.js';
import { LIST_OUTCOMES, type ListOutcome } from '../../ingest/lists/list-fetch.repository.js';

const TIME = {
  type: String,
  nullable: true,
  format: 'date-time',
  example: '2026-11-20T03:04:05.000Z',
} as const;

@ApiSchema({ name: 'ListStatus', description: 'How one address of an official drop list is doing.' })
export class ListStatusDto {
  @ApiProperty({ description: 'Which of the official lists it is.', enum: LIST_KINDS, example: 'deleted' })
  kind: ListKind;

  @ApiProperty({
    ...TIME,
    description: 'When the last list was fetched that was imported; null before the first.',
  })
  last_imported_at: string | null;

  @ApiProperty({
    description: 'How long ago that was, in seconds.',
    type: 'integer',
    nullable: true,
    minimum: 0,
    example: 3_600,
  })
  age_seconds: number | null;

  @ApiProperty({
    ...TIME,
    description: 'When it was last asked; null before the first time.',
  })
  last_asked_at: string | null;

  @ApiProperty({
    description:
      'What came of it; `alarm`: a list that cannot be right, and was not imported. Null: not finished.',
    enum: [...LIST_OUTCOMES, null],
    type: String,
    nullable: true,
    example: 'unchanged',
  })
  last_outcome: ListOutcome | null;
}

@ApiSchema({ name: 'RegistryStatus', description: 'How a registry service is doing.' })
export class RegistryStatusDto {
  @ApiProperty({
    description: 'Which service.',
    enum: ['rdap', 'sandbox', 'availability_service'],
    example: 'rdap',
  })
  source: string;

  @ApiProperty({
    description: 'The circuit breaker: `open` while it is not asked, after failures in a row.',
    enum: ['open', 'closed', 'probing'],
    example: 'closed',
  })
  breaker: string;

  @ApiProperty({ ...TIME, description: 'Until when it wants to be left alone; null when it does not.' })
  paused_until: string | null;

  @ApiProperty({
    description: 'Whether the names that are surely registered were found so; `failed`: it is not believed.',
    enum: ['ok', 'failed', 'unknown'],
    example: 'ok',
  })
  canary: string;

  @ApiProperty({ ...TIME, description: 'When that was looked at.' })
  canary_at: string | null;

  @ApiProperty({ ...TIME, description: 'When it last gave an answer.' })
  last_answered_at: string | null;
}

@ApiSchema({ name: 'ArchiveStatus', description: 'How the web archive is doing, which scores come from.' })
export class ArchiveStatusDto {
  @ApiProperty({
    description: 'Where scores come from; null: names are not scored here.',
    enum: ['archive', 'sandbox', null],
    type: String,
    nullable: true,
    example: 'archive',
  })
  source: string | null;

  @ApiProperty({ ...TIME, description: 'Until when it is left alone; null when it is not.' })
  resting_until: string | null;

  @ApiProperty({
    description: 'Questions without an answer since the last answer.',
    type: 'integer',
    example: 0,
  })
  failures_in_row: number;

  @ApiProperty({ ...TIME, description: 'When it last gave an answer.' })
  last_answered_at: string | null;
}
