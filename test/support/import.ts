import { Readable } from 'node:stream';
import type { Database } from '../../src/db/database.js';
import { importNames, type ImportOptions } from '../../src/ingest/import/importer.js';
import type { ImportReport } from '../../src/ingest/import/import-report.js';
import { importSourceOf } from '../../src/ingest/import/reading/import-source.js';
import { VOUCHED_AT } from './domains.js';
import { lifecycleOn } from './lifecycle.js';

/** After every date that the tests use. */
export const IMPORT_NOW = new Date('2026-11-20T12:00:00Z');

/** Imports a text as if it were a file that somebody vouches for, whose drops are all news. */
export function importVouched(
  database: Database,
  text: ImportText,
  options: Partial<ImportOptions> = {},
): Promise<ImportReport> {
  const vouch = { by: 'test', at: VOUCHED_AT };
  return importText(database, text, { vouch, announcesOldDrops: true, ...options });
}

type ImportText = string | Buffer | Iterable<Buffer> | AsyncIterable<Buffer>;

/** Imports a text as if it were a file. */
export function importText(
  database: Database,
  text: ImportText,
  options: Partial<ImportOptions> = {},
): Promise<ImportReport> {
  const bytes = typeof text === 'string' || Buffer.isBuffer(text) ? [Buffer.from(text)] : text;
  const source = importSourceOf(Readable.from(bytes), 'test.csv');
  return importNames(database, source, {
    lifecycle: lifecycleOn(database),
    now: IMPORT_NOW,
    ...options,
  });
}

/** The five counts of the report. */
export function countsOf({
  added,
  changed,
  unchanged,
  rejected,
  repeated,
}: ImportReport): Record<string, number> {
  return { added, changed, unchanged, rejected, repeated };
}

export interface StoredName {
  domain: string;
  wayback: number;
  first_seen: string | null;
  available: boolean;
  hidden: boolean;
}

/** What a reader of the dataset can know: the rows by name, the events by number, and the counters. */
export async function readDataset(database: Database): Promise<{
  rows: StoredName[];
  events: string[];
  availableRecords: number;
  lastEvent: number;
}> {
  const rows = await database.query<StoredName & Record<string, unknown>>(
    `SELECT domain, wayback, to_char(first_seen, 'YYYY-MM-DD') AS first_seen, available, hidden
       FROM domain ORDER BY domain`,
  );
  const events = await database.query<{ event: string }>(
    `SELECT number || ' ' || type || ' ' || domain AS event FROM domain_event ORDER BY number`,
  );
  const [dataset] = await database.query<{ available_records: string; last_event: string }>(
    'SELECT available_records, last_event FROM dataset',
  );
  return {
    rows,
    events: events.map(({ event }) => event),
    availableRecords: Number(dataset?.available_records),
    lastEvent: Number(dataset?.last_event),
  };
}

/** How many imports have a connection, under way or waiting for their turn. */
export async function countImports(database: Database): Promise<number> {
  const rows = await database.query(
    `SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'bowerbird/% import'`,
  );
  return rows.length;
}
