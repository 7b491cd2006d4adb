import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { IsIn, IsOptional, IsUUID, Matches } from 'class-validator';
import { LIST_KINDS, type ListKind } from '../../../config/product.js';
import { Moment } from '../../../domains/schema/list-parameters.js';
import { VOUCHER, VOUCHER_RULE } from '../../../ingest/import/vouch.js';
import { IsNumberFrom } from '../../../validation/numbers.js';
import { ReasonBody } from '../order.js';

const TIME = { type: String, format: 'date-time', example: '2026-11-22T05:00:00.000Z' } as const;
const FILE = /^[\w][\w .()+-]{0,119}$/;
const ON_OFF = ['true', 'false'] as const;

/** What an upload says of itself; the body is the file. */
export class UploadQuery extends ReasonBody {
  @ApiProperty({
    description: 'What the file is called; "deleted" or "expired" in it says which drop list it is.',
    pattern: FILE.source,
    example: 'expired-2026-11-22.csv',
  })
  @Matches(FILE, { message: 'file must be the name of a file, up to 120 characters' })
  file: string;

  @ApiPropertyOptional({
    description: 'Read, judge and count everything, change nothing.',
    enum: ON_OFF,
    default: 'true',
  })
  @IsOptional()
  @IsIn(ON_OFF, { message: 'dry_run must be true or false' })
  dry_run: (typeof ON_OFF)[number] = 'true';

  @ApiPropertyOptional({
    description: 'Which official drop list it is; left out, the name says.',
    enum: LIST_KINDS,
  })
  @IsOptional()
  @IsIn(LIST_KINDS, { message: `kind must be one of ${LIST_KINDS.join(', ')}` })
  kind?: ListKind;

  @ApiPropertyOptional({
    description: 'Who confirmed elsewhere that the names are free; they are offered on that word.',
    pattern: VOUCHER.source,
    example: 'registrar-a',
  })
  @IsOptional()
  @Matches(VOUCHER, { message: `vouched_by must be ${VOUCHER_RULE}` })
  vouched_by?: string;

  @Moment('When that was; needed with vouched_by.', '2026-11-20T04:00:00Z')
  confirmed_at?: string;

  @ApiPropertyOptional({
    description: 'Import nothing when more of the rows than that are rejected.',
    type: 'number',
    minimum: 0,
    maximum: 100,
    default: 100,
  })
  @IsOptional()
  @IsNumberFrom(0, 100)
  max_rejects_percent: number = 100;
}

export class ImportAddress {
  @ApiProperty({ description: 'The id of an import.', format: 'uuid' })
  @IsUUID(undefined, { message: 'id must be the id of an import' })
  id: string;
}

@ApiSchema({
  name: 'ImportReport',
  description: 'What an import did, or would have done. The counts add up to `read`.',
})
export class ImportReportDto {
  @ApiProperty({ description: 'Rows below the header.', type: 'integer', example: 1200 })
  read: number;

  @ApiProperty({ description: 'Names that were not there.', type: 'integer', example: 1180 })
  added: number;

  @ApiProperty({ description: 'Names that are different now.', type: 'integer', example: 10 })
  changed: number;

  @ApiProperty({ description: 'Names that are as they were.', type: 'integer', example: 5 })
  unchanged: number;

  @ApiProperty({ description: 'Names that a file of scores does not add.', type: 'integer', example: 0 })
  absent: number;

  @ApiProperty({ description: 'Rows that break a rule.', type: 'integer', example: 3 })
  rejected: number;

  @ApiProperty({ description: 'Rows whose name another row speaks for.', type: 'integer', example: 2 })
  repeated: number;

  @ApiProperty({ description: 'Seconds it took.', example: 1.4 })
  seconds: number;

  @ApiProperty({
    description: 'The first rows that were not imported, in words.',
    isArray: true,
    type: String,
  })
  rejects: string[];
}

export const IMPORT_STATES = ['running', 'done', 'failed', 'interrupted'] as const;
export type ImportState = (typeof IMPORT_STATES)[number];

@ApiSchema({ name: 'Import', description: 'An import of a list that was uploaded.' })
export class ImportDto {
  @ApiProperty({ description: 'Its id.', format: 'uuid' })
  id: string;

  @ApiProperty({ description: 'What the file is called.', example: 'expired-2026-11-22.csv' })
  file: string;

  @ApiProperty({ description: 'Bytes of it, as they came.', type: 'integer', example: 52_000 })
  bytes: number;

  @ApiProperty({ description: 'Whether nothing was to be changed.', example: true })
  dry_run: boolean;

  @ApiProperty({ description: 'Who.', example: 'operator:alice' })
  by: string;

  @ApiProperty({ description: 'Why.', example: 'the list of the day' })
  reason: string;

  @ApiProperty({ ...TIME, description: 'When it was uploaded.' })
  started_at: string;

  @ApiProperty({
    description:
      '`failed`: the problem says why. `interrupted`: its process ended, or could not say how it went; the names are in if the audit log has `import.done`, and may be in without it: import them again, what is in stays as it is.',
    enum: IMPORT_STATES,
  })
  state: ImportState;

  @ApiProperty({ description: 'What it is doing, or did last.', example: 'reading' })
  step: string;

  @ApiProperty({ description: 'Rows read so far.', type: 'integer', example: 600 })
  rows: number;

  @ApiProperty({ description: 'Of the bytes, those read so far, in percent.', type: 'integer', example: 50 })
  percent: number;

  @ApiProperty({ description: 'Why it failed.', type: String, nullable: true, example: null })
  problem: string | null;

  @ApiProperty({ type: ImportReportDto, nullable: true, description: 'What came of it.' })
  report: ImportReportDto | null;

  @ApiProperty({ description: 'Whether rows that were not imported can be had as a file.', example: false })
  has_rejects: boolean;
}

@ApiSchema({ name: 'ImportDetails' })
export class ImportDetails extends ImportDto {
  @ApiProperty({ description: 'Always true on success.', enum: [true], example: true })
  ok: true;
}

@ApiSchema({ name: 'Imports' })
export class Imports {
  @ApiProperty({ description: 'Always true on success.', enum: [true], example: true })
  ok: true;

  @ApiProperty({ type: [ImportDto], description: 'The newest first; 50 at most.' })
  imports: ImportDto[];
}
