import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { IsOptional, IsString, Matches, MaxLength } from 'class-validator';
import { Cursor } from '../domains/schema/page-cursor.js';
import { EXPORT_ID, EXPORT_KINDS, type ExportKind, FORMATS } from './export.repository.js';
import {
  count,
  day,
  many,
  OK,
  one,
  oneOf,
  orNull,
  positive,
  shape,
  text,
  time,
  whole,
  ChoiceParameter,
  IntegerParameter,
} from '../validation/shape.js';

export const MAX_LIMIT = 100;
export const DEFAULT_LIMIT = 10;

export const EXAMPLE_ID = 'diff-20261122T050000Z';
export const EXAMPLE_FILE = `${EXAMPLE_ID}-0001.ndjson.gz`;

/** Of each kind of export. */
export const KINDS_MEANING =
  '`snapshot`: the whole dataset; `diff`: from one snapshot to the next; `changes`: what happened since ' +
  'the file before, every hour where the operator wants it.';

export class ExportsQuery {
  @ChoiceParameter(EXPORT_KINDS, `Only those of a kind. ${KINDS_MEANING}`)
  kind?: ExportKind;

  @IntegerParameter(1, MAX_LIMIT, 'Most exports.', { default: DEFAULT_LIMIT })
  limit?: number;

  @Cursor('page', 'next_cursor of the page before, with the same kind.')
  cursor?: string;
}

export class LatestExportQuery {
  @ChoiceParameter(EXPORT_KINDS, `Of which kind. ${KINDS_MEANING} Left out: snapshot.`, { example: 'diff' })
  kind?: ExportKind;
}

export class ExportAddress {
  @ApiProperty({ description: 'The id of the export.', pattern: EXPORT_ID.source, example: EXAMPLE_ID })
  @Matches(EXPORT_ID, { message: 'id must be the id of an export' })
  id: string;
}

export class ExportFileAddress extends ExportAddress {
  @ApiProperty({ description: 'The name of the file, as the manifest has it.', example: EXAMPLE_FILE })
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

@ApiSchema({ name: 'ExportFile', description: 'A file of an export.' })
export class ExportFileDto extends shape({
  name: text('Its name.', EXAMPLE_FILE),
  format: oneOf(
    Object.keys(FORMATS),
    'What it is written in. Every part is there in all formats.',
    'ndjson.gz',
  ),
  media_type: text('Its media type.', FORMATS['ndjson.gz']),
  rows: count('Rows in it.', 1_840),
  bytes: count('Its size in bytes.', 120_394),
  sha256: text(
    'SHA-256 of the file; in quotes, also its ETag.',
    '9f86d081884c7d659a2feaa0c55ad015'.repeat(2),
    { pattern: '^[0-9a-f]{64}$' },
  ),
  url: text(
    'Where it is fetched, with a key in the header.',
    `http://localhost:3000/api/v1/exports/${EXAMPLE_ID}/${EXAMPLE_FILE}`,
    { format: 'uri' },
  ),
}) {}

@ApiSchema({ name: 'Export', description: 'The manifest of an export.' })
export class ExportDto extends shape({
  id: text('Its id.', EXAMPLE_ID),
  kind: oneOf(EXPORT_KINDS, KINDS_MEANING, 'diff'),
  date: day('The day that it shows (UTC).', '2026-11-22'),
  made_at: time('The moment that it shows (ISO 8601 UTC).', '2026-11-22T05:00:00.000Z'),
  schema_version: whole('Raised when a field of the rows, or the form of a file, is another.', 3),
  base: orNull(
    text('The snapshot that a diff begins from; null for the other kinds.', 'snapshot-20261121T050000Z'),
  ),
  first_event: positive(
    'The first event that it takes account of: of a diff, and of the changes of an hour, one more ' +
      'than the last of the file before, so that none is missed.',
    40_213,
  ),
  last_event: count('The last; one less than first_event where nothing happened.', 42_001),
  feed_cursor: text('The cursor with which /api/v1/dropped goes on where this ends.', 'bWFkZS11cC1leGFtcGxl'),
  rows: count('Rows in all parts.', 1_840),
  ndjson_sha256: orNull(
    text(
      'SHA-256 of all uncompressed lines of a snapshot, part after part; of a diff, of those that it ' +
        'leads to; null for changes.',
      '9f86d081884c7d659a2feaa0c55ad015'.repeat(2),
      { pattern: '^[0-9a-f]{64}$' },
    ),
  ),
  files: many(ExportFileDto, 'Its files, part after part, in the order of names.'),
}) {}

@ApiSchema({ name: 'ExportList', description: 'A page of manifests, newest first.' })
export class ExportList extends shape({
  ...OK,
  results: many(ExportDto, 'Exports, newest first.', { maxItems: MAX_LIMIT }),
  count: count('Exports in this answer.', 1),
  next_cursor: orNull(text('Send it as cursor for the next page; null on the last.', null)),
}) {}

@ApiSchema({ name: 'ExportLink', description: 'An address that needs no key.' })
export class ExportLinkDto extends shape({
  name: text('The name of the file.', EXAMPLE_FILE),
  url: text(
    'Where whoever has it can fetch the file until it expires.',
    `http://localhost:3000/api/v1/exports/${EXAMPLE_ID}/${EXAMPLE_FILE}?link=1795327200.made-up`,
    { format: 'uri' },
  ),
}) {}

@ApiSchema({ name: 'ExportLinks', description: 'Addresses that need no key.' })
export class ExportLinks extends shape({
  ...OK,
  expires_at: time('Until when they are good: an hour (ISO 8601 UTC).', '2026-11-22T05:00:00.000Z'),
  links: many(ExportLinkDto, 'One for each file of the export.'),
}) {}

@ApiSchema({ name: 'LastExport', description: 'The last export of a kind.' })
export class LastExportDto extends shape({
  id: text('Its id.', EXAMPLE_ID),
  made_at: time('The moment that it shows (ISO 8601 UTC).', '2026-11-22T05:00:00.000Z'),
  rows: count('Its rows.', 1_840),
  last_event: count('The last event that it takes account of.', 42_001),
}) {}

@ApiSchema({ name: 'ExportStatus', description: 'What there is, and when there is more.' })
export class ExportStatus extends shape({
  ...OK,
  snapshot: orNull(one(LastExportDto, 'The last snapshot; null: none yet.')),
  diff: orNull(one(LastExportDto, 'The last diff; null: none yet.')),
  changes: orNull(one(LastExportDto, 'The last changes of an hour; null: none yet, or none are made.')),
  next_snapshot_at: time(
    'When the next snapshot and diff are due (ISO 8601 UTC); in the past while they are late.',
    '2026-11-22T05:00:00.000Z',
  ),
  next_changes_at: orNull(
    time('The same of the changes of an hour; null: none are made.', '2026-11-22T05:00:00.000Z'),
  ),
}) {}
