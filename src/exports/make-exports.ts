import type { Bucket } from '../config/parsers.js';
import type { Fence } from '../db/scope.js';
import { SCHEMA_VERSION } from '../domains/schema/fields.js';
import { ExportSession } from './export-session.repository.js';
import { ExportFolder, type ExportStore, writeManifest } from './export-store.js';
import { ExportWriter, type Written } from './export-writer.js';
import { type Export, exportIdOf, type ExportKind } from './export.repository.js';
import {
  CHANGE_COLUMNS,
  changeOf,
  type Column,
  differingFields,
  type ExportedEvent,
  type ExportedName,
  linesOf,
  NAME_COLUMNS,
  type NameChange,
  type NamedLine,
  readCopyRow,
  removalOf,
  SortedLines,
  unpackedLines,
  withheldIn,
} from './exported-rows.js';

/** The task of one run, as it is sent to the process that makes exports. */
export interface ExportTask {
  readonly kind: 'snapshot' | 'changes';
  /** Of the server itself; it holds the password. */
  readonly databaseUrl: string;
  readonly folder: string;
  /** Where it is put instead, and the folder is only where it is made. */
  readonly bucket?: Bucket | undefined;
  /** Of the service, for the addresses in manifests. */
  readonly baseUrl: string;
  /** The time by the clock of the dataset, in ISO 8601. */
  readonly now: string;
  readonly keepSnapshots: number;
  readonly keepDiffDays: number;
  /** Of the run that makes them. Left out: an operator makes them by hand. */
  readonly fence?: Fence | undefined;
  /** Most rows of a part, if not as many as usual. */
  readonly maxPartRows?: number;
}

export interface ExportProgress {
  readonly step: 'comparing' | 'writing' | 'tidying';
  readonly rows: number;
  /** Estimated, and never below `rows`, which it equals at the end; null when unknown. */
  readonly totalRows: number | null;
}

interface MakingOptions {
  /** Stops the work; nothing is left of it. */
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: (progress: ExportProgress) => void;
  /** Told of what the operator should know. */
  readonly warn?: (message: string) => void;
}

const DAY_MS = 86_400_000;
/** What a name takes in all formats: 125 bytes were measured. A guess for the first snapshot only. */
const USUAL_BYTES_PER_NAME = 160;
/** A snapshot grows, and its diff comes beside it. */
const ROOM_FACTOR = 1.5;
const LEAST_ROOM_BYTES = 16 * 1024 * 1024;

/**
 * Makes a snapshot with the diff that leads to it, or the changes since the last file; then deletes old exports.
 * Killed at any moment, it leaves earlier exports whole, and folders that the next run deletes.
 *
 * @returns null while another process makes exports
 */
export async function makeExports(
  task: ExportTask,
  { signal, onProgress, warn = () => undefined }: MakingOptions = {},
): Promise<Export[] | null> {
  const session = await ExportSession.open(task.databaseUrl, task.fence, signal);
  if (!session) return null;
  try {
    const store = task.bucket
      ? new (await import('./export-bucket.js')).ExportBucket(task.bucket, task.folder)
      : new ExportFolder(task.folder);
    await store.prepare(await session.readInstallation());
    await store.sweep(await session.exports.listIds());
    await session.begin();
    const { lastEvent, names } = await session.readDataset();
    const before = await session.exports.findLast('snapshot');
    await assertRoom(store, task.folder, before, names);
    let rows = 0;
    const estimate = task.kind === 'snapshot' ? (before?.rows ?? (names || null)) : null;
    const tell = (step: ExportProgress['step']) => {
      const isWritten = step === 'tidying';
      onProgress?.({ step, rows, totalRows: isWritten ? rows : estimate && Math.max(estimate, rows) });
    };
    const making: Making = {
      session,
      store,
      madeAt: new Date(task.now),
      maxPartRows: task.maxPartRows,
      signal,
      onRows: (more) => {
        rows += more;
        tell('writing');
      },
    };
    tell('comparing');
    const made =
      task.kind === 'snapshot'
        ? await makeSnapshot(making, await wholeBase(store, before, warn), lastEvent)
        : await makeChangesSince(making, lastEvent);
    tell('tidying');
    await publish(session, store, made, task);
    return made;
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  } finally {
    await session.close();
  }
}

async function wholeBase(
  store: ExportStore,
  base: Export | null,
  warn: (message: string) => void,
): Promise<Export | null> {
  if (!base) return null;
  if (base.schemaVersion !== SCHEMA_VERSION) {
    warn(
      `There is no diff from ${base.id}: its rows have schema version ${base.schemaVersion}, and this ` +
        `release writes ${SCHEMA_VERSION}. Copies that follow the diffs start again from the next ` +
        'snapshot.',
    );
    return null;
  }
  const lines = base.files.filter(({ format }) => format === 'ndjson.gz');
  if (await store.holds(base, lines)) return base;
  warn(
    `There is no diff from ${base.id}: its files are not there any more as they were made. Copies that ` +
      'follow the diffs start again from the next snapshot.',
  );
  return null;
}

async function makeChangesSince(making: Making, lastEvent: number): Promise<Export[]> {
  const { exports } = making.session;
  const before = (await exports.findLast('changes')) ?? (await exports.findLast('snapshot'));
  return before ? [await makeChanges(making, before.lastEvent, lastEvent)] : [];
}

/** Their rows make them exports, and are there for others when their manifests are. */
async function publish(
  session: ExportSession,
  store: ExportStore,
  made: readonly Export[],
  { now, baseUrl, keepSnapshots, keepDiffDays }: ExportTask,
): Promise<void> {
  // Its decorators take memory that the rows needed until now.
  const { manifestOf } = await import('./manifest.js');
  for (const one of made) {
    await writeManifest(store.placeOf(one.id), manifestOf(one, baseUrl));
    await store.upload(one);
  }
  const before = new Date(Date.parse(now) - keepDiffDays * DAY_MS);
  const old = await session.publish(async (exports) => {
    for (const one of made) {
      await exports.insert(one);
      await store.publish(one);
    }
    return exports.deleteOld(keepSnapshots, before);
  });
  for (const id of old) await store.remove(id);
}

async function assertRoom(
  store: ExportStore,
  folder: string,
  before: Export | null,
  names: number,
): Promise<void> {
  const last = before?.files.reduce((sum, { bytes }) => sum + bytes, 0);
  const needed = Math.max(LEAST_ROOM_BYTES, ROOM_FACTOR * (last ?? names * USUAL_BYTES_PER_NAME));
  const free = await store.freeBytes();
  if (free < needed)
    throw new Error(
      `The folder of exports has room for ${megabytes(free)} MB, and the next one may take ` +
        `${megabytes(needed)} MB: ${folder}`,
    );
}

function megabytes(bytes: number): number {
  return Math.ceil(bytes / 1024 / 1024);
}

/**
 * Writes all names as they are now, and the diff from the base. Both come from the same lines, so that base and
 * diff give the snapshot.
 *
 * @param base null: there is none, or it is damaged, and there is no diff
 */
export async function makeSnapshot(
  making: Making,
  base: Export | null,
  lastEvent: number,
): Promise<Export[]> {
  const { session, madeAt, signal, onRows } = making;
  const writer = await beginWriter(making, 'snapshot', NAME_COLUMNS);
  const diff = base && (await beginDiff(making, base));
  try {
    const range = base && { after: base.lastEvent, upTo: lastEvent };
    for await (const lines of linesOf(session.copyNames(range))) {
      signal?.throwIfAborted();
      for (const line of lines) {
        const { row, events } = readCopyRow(line);
        const json = JSON.stringify(row);
        const wait = writer.add(row, json);
        if (wait) await wait;
        if (diff) await diff.add(row, json, events);
      }
      onRows(lines.length);
    }
    const snapshot = await writer.close();
    const { ndjsonSha256 } = snapshot;
    const whole = exportOf('snapshot', madeAt, { first: 1, last: lastEvent }, snapshot, { ndjsonSha256 });
    if (!diff) return [whole];
    const events = { first: base.lastEvent + 1, last: lastEvent };
    return [whole, exportOf('diff', madeAt, events, await diff.close(), { base: base.id, ndjsonSha256 })];
  } catch (error) {
    await Promise.allSettled([writer.abandon(), diff?.abandon()]);
    throw error;
  }
}

async function beginDiff(making: Making, base: Export): Promise<DiffWriter> {
  const lines = new SortedLines(snapshotLines(making.store, base));
  return new DiffWriter(await beginWriter(making, 'diff', CHANGE_COLUMNS), lines);
}

/** Writes the differences from a base while the names are read in their order. */
export class DiffWriter {
  /** @param base the lines that the names are compared with */
  constructor(
    private readonly writer: ExportWriter<NameChange>,
    private readonly base: SortedLines,
  ) {}

  /** @param json the row as its line has it: rows are the same when their lines are */
  async add(row: ExportedName, json: string, events: readonly ExportedEvent[]): Promise<void> {
    const before = await this.passUntil(row.domain);
    if (!before) {
      await this.write({
        domain: row.domain,
        change: changeOf(events, 'added'),
        events,
        fields: [],
        row,
      });
      return;
    }
    this.base.pass();
    if (before.text === json && events.length === 0) return;
    const fields = before.text === json ? [] : differingFields(rowOf(before), row);
    await this.write({ domain: row.domain, change: changeOf(events, 'changed'), events, fields, row });
  }

  async close(): Promise<Written> {
    await this.passUntil(null);
    return this.writer.close();
  }

  async abandon(): Promise<void> {
    await Promise.all([this.writer.abandon(), this.base.end()]);
  }

  /** Writes down that names are gone which are in the base only. @returns the name itself, if the base has it */
  private async passUntil(domain: string | null): Promise<NamedLine | null> {
    for (;;) {
      const next = this.base.peek();
      const before = next instanceof Promise ? await next : next;
      if (!before || (domain !== null && before.domain >= domain))
        return before?.domain === domain ? before : null;
      await this.write(removalOf(before.domain));
      this.base.pass();
    }
  }

  private async write(change: NameChange): Promise<void> {
    await this.writer.add(change, JSON.stringify(change));
  }
}

function rowOf({ text }: NamedLine): ExportedName {
  return JSON.parse(text) as ExportedName;
}

export async function* snapshotLines(
  store: ExportStore,
  { id, files }: Export,
): AsyncGenerator<string[], void> {
  for (const file of files) if (file.format === 'ndjson.gz') yield* unpackedLines(await store.read(id, file));
}

/**
 * Writes each name with events since a number once, with these events and its row; without a row when it is
 * withheld.
 */
export async function makeChanges(making: Making, after: number, lastEvent: number): Promise<Export> {
  const { session, madeAt, signal, onRows } = making;
  const writer = await beginWriter(making, 'changes', CHANGE_COLUMNS);
  try {
    for await (const lines of linesOf(session.copyChangedNames({ after, upTo: lastEvent }))) {
      signal?.throwIfAborted();
      for (const line of lines) {
        const change = changeIn(line);
        const wait = writer.add(change, JSON.stringify(change));
        if (wait) await wait;
      }
      onRows(lines.length);
    }
    return exportOf('changes', madeAt, { first: after + 1, last: lastEvent }, await writer.close(), {});
  } catch (error) {
    await Promise.allSettled([writer.abandon()]);
    throw error;
  }
}

function changeIn(line: string): NameChange {
  const withheld = withheldIn(line);
  if (withheld !== null) return removalOf(withheld);
  const { row, events } = readCopyRow(line);
  return { domain: row.domain, change: changeOf(events, 'changed'), events, fields: null, row };
}

export interface Making {
  readonly session: ExportSession;
  readonly store: ExportStore;
  /** The moment that is shown, by the clock of the dataset. */
  readonly madeAt: Date;
  readonly maxPartRows: number | undefined;
  readonly signal: AbortSignal | undefined;
  /** Told of the rows that are read, some at a time. */
  readonly onRows: (rows: number) => void;
}

export function beginWriter<Row>(
  { store, madeAt, maxPartRows }: Making,
  kind: ExportKind,
  columns: readonly Column<Row>[],
): Promise<ExportWriter<Row>> {
  const id = exportIdOf(kind, madeAt);
  return ExportWriter.begin({ folder: store.placeOf(id), id, columns }, maxPartRows);
}

/** The row of a written export. @param events the first and the last that it covers */
export function exportOf(
  kind: ExportKind,
  madeAt: Date,
  events: { first: number; last: number },
  { rows, files }: Written,
  { base = null, ndjsonSha256 = null }: Partial<Pick<Export, 'base' | 'ndjsonSha256'>>,
): Export {
  return {
    id: exportIdOf(kind, madeAt),
    kind,
    madeAt,
    schemaVersion: SCHEMA_VERSION,
    base,
    firstEvent: events.first,
    lastEvent: events.last,
    rows,
    ndjsonSha256,
    files,
  };
}
