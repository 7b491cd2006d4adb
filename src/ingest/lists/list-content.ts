import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { ImportError } from '../import/reading/import-error.js';
import { readCsvRows } from '../import/reading/csv-rows.js';
import { type ImportSource, importSourceOf } from '../import/reading/import-source.js';
import { isoDateOf } from '../import/reading/row-layout.js';
import { type CalendarDate, isCalendarDate } from '../../domains/schema/calendar-date.js';
import { MAX_LIST_BYTES } from './list-client.js';

/** What a list is known by. */
export interface ListContent {
  /** Its bytes as text, unpacked. */
  readonly bytes: number;
  /** The cells of its first row, in lower case and without spaces around them. */
  readonly header: readonly string[];
  /** The newest day in the column `date`; null without one. */
  readonly newestDay: CalendarDate | null;
  /** Rows below the header. */
  readonly rows: number;
  /** Of the text, as hexadecimal digits. */
  readonly sha256: string;
  /** Of the sorted rows, without the header. */
  readonly rowsSha256: string;
  /** The text, for the importer; may be called more than once. */
  source(name: string): ImportSource;
}

/**
 * Reads a list, plain or gzipped, before it is let near the dataset.
 *
 * @throws {ImportError} when it is no text, is damaged, or is too large when unpacked
 */
export async function readListContent(body: Buffer): Promise<ListContent> {
  const text = await unpack(body);
  const source = (name: string) => importSourceOf(Readable.from([text], { objectMode: true }), name);
  let header: readonly string[] | undefined;
  const rows: string[] = [];
  let newestDay: CalendarDate | null = null;
  for await (const batch of readCsvRows(source('list').chunks()))
    for (const { cells } of batch) {
      const trimmed = cells.map((cell) => cell.trim().toLowerCase());
      if (!header) {
        header = trimmed;
        continue;
      }
      rows.push(trimmed.join(','));
      const day = isoDateOf(trimmed[header.indexOf('date')] ?? '');
      if (isCalendarDate(day) && (newestDay === null || day > newestDay)) newestDay = day;
    }
  return {
    bytes: text.length,
    header: header ?? [],
    newestDay,
    rows: rows.length,
    sha256: sha256(text),
    rowsSha256: sha256(rows.sort().join('\n')),
    source,
  };
}

async function unpack(body: Buffer): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of importSourceOf(Readable.from([body]), 'list').chunks()) {
    size += part.length;
    if (size > MAX_LIST_BYTES) throw new ImportError(`Unpacked, it has more than ${MAX_LIST_BYTES} bytes.`);
    parts.push(part);
  }
  return Buffer.concat(parts);
}

function sha256(text: Buffer | string): string {
  return createHash('sha256').update(text).digest('hex');
}
