import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString, Matches, MaxLength } from 'class-validator';
import { Cursor } from '../../domains/schema/list-parameters.js';
import { IsIntegerFrom } from '../../validation/numbers.js';
import { EXPORT_ID, EXPORT_KINDS, type ExportKind } from '../export.js';

export const MAX_LIMIT = 100;
export const DEFAULT_LIMIT = 10;

/** What the examples of the documents are about. */
export const EXAMPLE_ID = 'diff-20261122T050000Z';
export const EXAMPLE_FILE = `${EXAMPLE_ID}-0001.ndjson.gz`;

/** Of each kind of export. */
export const KINDS_MEANING =
  '`snapshot`: the whole dataset; `diff`: from one snapshot to the next; `changes`: what happened since the file before, every hour where the operator wants it.';

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
