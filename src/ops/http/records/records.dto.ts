import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { IsOptional, IsString, MaxLength } from 'class-validator';
import { LIST_KINDS, type ListKind } from '../../../config/product.js';
import { LIST_OUTCOMES, type ListOutcome } from '../../../ingest/list-records/list-fetch.js';
import { EXPORT_KINDS, type ExportKind } from '../../../exports/export.js';
import { type PublishedTier } from '../../../access/tier.dto.js';
import { IsIntegerFrom } from '../../../validation/numbers.js';
import { ListQuery } from '../accounts/accounts.dto.js';

const TIME = { type: String, format: 'date-time', example: '2026-11-22T05:00:00.000Z' } as const;
const COUNT = { type: 'integer', nullable: true, example: 1200 } as const;

/** One exact value, or any. */
function Exactly(description: string, example: string): PropertyDecorator {
  return (target, name) => {
    ApiPropertyOptional({ description, example, maxLength: 300 })(target, name);
    IsOptional()(target, name);
    MaxLength(300, { message: '$property must be 300 characters at most' })(target, name);
    IsString({ message: '$property must be text' })(target, name);
  };
}

export class AuditQuery extends ListQuery {
  @Exactly('Only what they did.', 'operator:alice')
  actor?: string;

  @Exactly('Only this kind of deed.', 'domain.hide')
  action?: string;

  @Exactly('Only what was done to it.', 'domain:surf.com.au')
  subject?: string;

  @ApiPropertyOptional({
    description: 'Only entries older than the one with this id.',
    type: 'integer',
    example: 4711,
  })
  @IsOptional()
  @IsIntegerFrom(1, Number.MAX_SAFE_INTEGER)
  before?: number;
}

@ApiSchema({ name: 'AuditEntry', description: 'Who did what to which thing, when, why and from where.' })
export class AuditEntryDto {
  @ApiProperty({ description: 'Its id; the newest has the highest.', type: 'integer', example: 4712 })
  id: number;

  @ApiProperty({ ...TIME, description: 'When.' })
  at: string;

  @ApiProperty({ description: 'Who.', example: 'operator:alice' })
  actor: string;

  @ApiProperty({ description: 'What.', example: 'domain.hide' })
  action: string;

  @ApiProperty({ description: 'To what.', example: 'domain:surf.com.au' })
  subject: string;

  @ApiProperty({ description: 'Why.', example: 'asked for by its owner' })
  reason: string;

  @ApiProperty({ description: 'From which network; null: there is none.', type: String, nullable: true })
  from: string | null;
}

@ApiSchema({ name: 'Audit' })
export class Audit {
  @ApiProperty({ description: 'Always true on success.', enum: [true], example: true })
  ok: true;

  @ApiProperty({ type: [AuditEntryDto], description: 'The newest first. They are kept for a year.' })
  entries: AuditEntryDto[];
}

@ApiSchema({
  name: 'Fetch',
  description: 'A fetch of an official drop list. What it did not come to is null.',
})
export class FetchDto {
  @ApiProperty({ description: 'Its id.', type: 'integer', example: 17 })
  id: number;

  @ApiProperty({ description: 'Where.', example: 'https://afilias.com.au/lists/expired.csv' })
  address: string;

  @ApiProperty({ description: 'Which list.', enum: LIST_KINDS })
  kind: ListKind;

  @ApiProperty({ ...TIME, description: 'When it was begun.' })
  started_at: string;

  @ApiProperty({ ...TIME, nullable: true, description: 'When it ended.' })
  finished_at: string | null;

  @ApiProperty({
    description: 'What came of it; null: under way, or killed.',
    enum: LIST_OUTCOMES,
    nullable: true,
  })
  outcome: ListOutcome | null;

  @ApiProperty({ description: 'Why, of an alarm and a failure.', type: String, nullable: true })
  detail: string | null;

  @ApiProperty({ ...COUNT, description: 'Rows.' })
  rows: number | null;

  @ApiProperty({ ...COUNT, description: 'Rows that break a rule.' })
  rejected: number | null;

  @ApiProperty({ ...COUNT, description: 'Rows whose purge lay ahead.' })
  ahead: number | null;

  @ApiProperty({ ...COUNT, description: 'Bytes, unpacked.' })
  bytes: number | null;
}

@ApiSchema({ name: 'Fetches' })
export class Fetches {
  @ApiProperty({ description: 'Always true on success.', enum: [true], example: true })
  ok: true;

  @ApiProperty({ type: [FetchDto], description: 'The newest first.' })
  fetches: FetchDto[];
}

@ApiSchema({ name: 'MadeExport', description: 'An export that was made.' })
export class MadeExportDto {
  @ApiProperty({ description: 'Its id.', example: 'diff-20261122T050000Z' })
  id: string;

  @ApiProperty({ description: 'Its kind.', enum: EXPORT_KINDS })
  kind: ExportKind;

  @ApiProperty({ ...TIME, description: 'The moment that it shows.' })
  made_at: string;

  @ApiProperty({ description: 'Rows.', type: 'integer', example: 1200 })
  rows: number;

  @ApiProperty({ description: 'Files.', type: 'integer', example: 3 })
  files: number;

  @ApiProperty({ description: 'Bytes of all files.', type: 'integer', example: 52_000 })
  bytes: number;
}

@ApiSchema({ name: 'MadeExports' })
export class MadeExports {
  @ApiProperty({ description: 'Always true on success.', enum: [true], example: true })
  ok: true;

  @ApiProperty({ type: [MadeExportDto], description: 'The newest first.' })
  exports: MadeExportDto[];
}

@ApiSchema({ name: 'TiersInForce' })
export class TiersInForce {
  @ApiProperty({ description: 'Always true on success.', enum: [true], example: true })
  ok: true;

  @ApiProperty({
    description: 'By name, what each tier has; see TIERS.',
    type: 'object',
    additionalProperties: { type: 'object', additionalProperties: true },
  })
  tiers: Record<string, PublishedTier>;
}
