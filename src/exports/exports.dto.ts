import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString, Matches, MaxLength } from 'class-validator';
import { Cursor } from '../domains/schema/list-parameters.js';
import { IsIntegerFrom } from '../validation/numbers.js';
import { EXPORT_ID, EXPORT_KINDS, type ExportKind, type Format, FORMATS } from './export.js';
import { COUNT, INTEGER, POSITIVE, Property, TEXT_OR_NULL, Success } from '../validation/property.js';

export const MAX_LIMIT = 100;
export const DEFAULT_LIMIT = 10;

/** What the examples of the documents are about. */
export const EXAMPLE_ID = 'diff-20261122T050000Z';
export const EXAMPLE_FILE = `${EXAMPLE_ID}-0001.ndjson.gz`;

/** Of each kind of export. */
export const KINDS_MEANING =
  '`snapshot`: the whole dataset; `diff`: from one snapshot to the next; `changes`: what happened since ' +
  'the file before, every hour where the operator wants it.';

export class ExportsQuery {
  @ApiPropertyOptional({ description: `Only those of a kind. ${KINDS_MEANING}`, enum: EXPORT_KINDS })
  @IsOptional()
  @IsIn(EXPORT_KINDS, { message: `kind must be one of ${EXPORT_KINDS.join(', ')}` })
  kind?: ExportKind;

  @ApiPropertyOptional({
    description: 'Most exports.',
    type: 'integer',
    minimum: 1,
    maximum: MAX_LIMIT,
    default: DEFAULT_LIMIT,
  })
  @IsOptional()
  @IsIntegerFrom(1, MAX_LIMIT)
  limit?: number;

  @Cursor('page', 'next_cursor of the page before, with the same kind.')
  cursor?: string;
}

export class ExportAddress {
  @Property('The id of the export.', EXAMPLE_ID, { pattern: EXPORT_ID.source })
  @Matches(EXPORT_ID, { message: 'id must be the id of an export' })
  id: string;
}

export class ExportFileAddress extends ExportAddress {
  @Property('The name of the file, as the manifest has it.', EXAMPLE_FILE)
  @IsString({ message: 'file must be the name of a file' })
  @MaxLength(100, { message: 'file must be the name of a file' })
  file: string;
}

export class DownloadQuery {
  @ApiPropertyOptional({
    description:
      'For tools that send no header: the signature of an address that POST /api/v1/exports/{id}/links has made.',
    type: String,
    maxLength: 100,
  })
  @IsOptional()
  @IsString({ message: 'link must be given once' })
  @MaxLength(100)
  link?: string;
}

const TIME = { type: String, format: 'date-time', example: '2026-11-22T05:00:00.000Z' } as const;
const SHA256 = {
  type: String,
  pattern: '^[0-9a-f]{64}$',
  example: '9f86d081884c7d659a2feaa0c55ad015'.repeat(2),
};

@ApiSchema({ name: 'ExportFile', description: 'A file of an export.' })
export class ExportFileDto {
  @Property('Its name.', EXAMPLE_FILE)
  name: string;

  @Property('What it is written in. Every part is there in all formats.', 'ndjson.gz', {
    enum: Object.keys(FORMATS),
  })
  format: Format;

  @Property('Its media type.', FORMATS['ndjson.gz'])
  media_type: string;

  @Property('Rows in it.', 1_840, COUNT)
  rows: number;

  @Property('Its size in bytes.', 120_394, COUNT)
  bytes: number;

  @ApiProperty({ ...SHA256, description: 'SHA-256 of the file; in quotes, also its ETag.' })
  sha256: string;

  @Property(
    'Where it is fetched, with a key in the header.',
    `http://localhost:3000/api/v1/exports/${EXAMPLE_ID}/${EXAMPLE_FILE}`,
    { format: 'uri' },
  )
  url: string;
}

@ApiSchema({ name: 'Export', description: 'The manifest of an export.' })
export class ExportDto {
  @Property('Its id.', EXAMPLE_ID)
  id: string;

  @Property(KINDS_MEANING, 'diff', { enum: EXPORT_KINDS })
  kind: ExportKind;

  @Property('The day that it shows (UTC).', '2026-11-22', { format: 'date' })
  date: string;

  @ApiProperty({ ...TIME, description: 'The moment that it shows (ISO 8601 UTC).' })
  made_at: string;

  @Property('Raised when a field of the rows is added, renamed or removed.', 1, INTEGER)
  schema_version: number;

  @Property(
    'The snapshot that a diff begins from; null for the other kinds.',
    'snapshot-20261121T050000Z',
    TEXT_OR_NULL,
  )
  base: string | null;

  @Property(
    'The first event that it takes account of: of a diff, and of the changes of an hour, one more ' +
      'than the last of the file before, so that none is missed.',
    40_213,
    POSITIVE,
  )
  first_event: number;

  @Property('The last; one less than first_event where nothing happened.', 42_001, COUNT)
  last_event: number;

  @Property('The cursor with which /api/v1/dropped goes on where this ends.', 'bWFkZS11cC1leGFtcGxl')
  feed_cursor: string;

  @Property('Rows in all parts.', 1_840, COUNT)
  rows: number;

  @ApiProperty({
    ...SHA256,
    description:
      'SHA-256 of all uncompressed lines of a snapshot, part after part; of a diff, of those that it ' +
      'leads to; null for changes.',
    nullable: true,
  })
  ndjson_sha256: string | null;

  @ApiProperty({ type: [ExportFileDto], description: 'Its files, part after part, in the order of names.' })
  files: ExportFileDto[];
}

@ApiSchema({ name: 'ExportList', description: 'A page of manifests, newest first.' })
export class ExportList extends Success {
  @ApiProperty({ type: [ExportDto], description: 'Exports, newest first.', maxItems: MAX_LIMIT })
  results: ExportDto[];

  @Property('Exports in this answer.', 1, COUNT)
  count: number;

  @Property('Send it as cursor for the next page; null on the last.', null, TEXT_OR_NULL)
  next_cursor: string | null;
}

@ApiSchema({ name: 'ExportLink', description: 'An address that needs no key.' })
export class ExportLinkDto {
  @Property('The name of the file.', EXAMPLE_FILE)
  name: string;

  @Property(
    'Where whoever has it can fetch the file until it expires.',
    `http://localhost:3000/api/v1/exports/${EXAMPLE_ID}/${EXAMPLE_FILE}?link=1795327200.made-up`,
    { format: 'uri' },
  )
  url: string;
}

@ApiSchema({ name: 'ExportLinks', description: 'Addresses that need no key.' })
export class ExportLinks extends Success {
  @ApiProperty({ ...TIME, description: 'Until when they are good: an hour (ISO 8601 UTC).' })
  expires_at: string;

  @ApiProperty({ type: [ExportLinkDto], description: 'One for each file of the export.' })
  links: ExportLinkDto[];
}

@ApiSchema({ name: 'LastExport', description: 'The last export of a kind.' })
export class LastExportDto {
  @Property('Its id.', EXAMPLE_ID)
  id: string;

  @ApiProperty({ ...TIME, description: 'The moment that it shows (ISO 8601 UTC).' })
  made_at: string;

  @Property('Its rows.', 1_840, COUNT)
  rows: number;

  @Property('The last event that it takes account of.', 42_001, COUNT)
  last_event: number;
}

@ApiSchema({ name: 'ExportStatus', description: 'What there is, and when there is more.' })
export class ExportStatus extends Success {
  @ApiProperty({ type: LastExportDto, nullable: true, description: 'The last snapshot; null: none yet.' })
  snapshot: LastExportDto | null;

  @ApiProperty({ type: LastExportDto, nullable: true, description: 'The last diff; null: none yet.' })
  diff: LastExportDto | null;

  @ApiProperty({
    type: LastExportDto,
    nullable: true,
    description: 'The last changes of an hour; null: none yet, or none are made.',
  })
  changes: LastExportDto | null;

  @ApiProperty({
    ...TIME,
    description: 'When the next snapshot and diff are due (ISO 8601 UTC); in the past while they are late.',
  })
  next_snapshot_at: string;

  @ApiProperty({
    ...TIME,
    nullable: true,
    description: 'The same of the changes of an hour; null: none are made.',
  })
  next_changes_at: string | null;
}
