import { SCHEMA_VERSION } from '../../domains/schema/fields.js';
import type { Export } from '../export.js';
import type { Bucket } from '../../config/parsers.js';
import type { ExportStore } from '../store/export-store.js';
import { openStore } from '../store/open-store.js';
import { writeManifest } from '../store/manifest-file.js';
import { makeChanges } from './changes.js';
import { ExportSession } from './export-session.js';
import type { Making } from './making.js';
import { makeSnapshot } from './snapshot.js';

/** What is to be made, from where and to where. It can be told to another process. */
export interface ExportTask {
  readonly kind: 'snapshot' | 'changes';
  /** Of the server itself; it holds the password. */
  readonly databaseUrl: string;
  readonly folder: string;
  /** Where it is put instead, and the folder is only where it is made. */
  readonly bucket?: Bucket | undefined;
  /** The time by the clock of the dataset, in ISO 8601. */
  readonly now: string;
  readonly keepSnapshots: number;
  readonly keepDiffDays: number;
  /** Most rows of a part, if not as many as usual. */
  readonly maxPartRows?: number;
}

export interface ExportProgress {
  readonly step: 'comparing' | 'writing' | 'tidying';
  readonly rows: number;
  /** About how many there are; null: nobody knows. */
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
 * Makes a snapshot, with the diff that leads to it, or the changes since the last file; then forgets what is old. Killed at any moment, it
 * leaves what was there before and folders that the next one deletes.
 *
 * @returns null while another process makes exports
 */
export async function makeExports(
  task: ExportTask,
  { signal, onProgress, warn = () => undefined }: MakingOptions = {},
): Promise<Export[] | null> {
  const session = await ExportSession.open(task.databaseUrl, signal);
  if (!session) return null;
  try {
    const store = await openStore(task.folder, task.bucket);
    await store.prepare();
    await store.sweep(await session.exports.listIds());
    await session.begin();
    const { lastEvent, names } = await session.readDataset();
    const before = await session.exports.findLast('snapshot');
    await assertRoom(store, task.folder, before, names);
    let rows = 0;
    const tell = (step: ExportProgress['step']) =>
      onProgress?.({ step, rows, totalRows: before?.rows ?? (names || null) });
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
    await publish(session, store, made);
    await forgetOld(session, store, task);
    return made;
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  } finally {
    await session.close();
  }
}

/** The snapshot that a diff can begin from. */
async function wholeBase(
  store: ExportStore,
  base: Export | null,
  warn: (message: string) => void,
): Promise<Export | null> {
  if (!base) return null;
  if (base.schemaVersion !== SCHEMA_VERSION) {
    warn(
      `There is no diff from ${base.id}: its rows have schema version ${base.schemaVersion}, and this release writes ${SCHEMA_VERSION}. Copies that follow the diffs start again from the next snapshot.`,
    );
    return null;
  }
  const lines = base.files.filter(({ format }) => format === 'ndjson.gz');
  if (await store.holds(base, lines)) return base;
  warn(
    `There is no diff from ${base.id}: its files are not there any more as they were made. Whoever follows the diffs begins anew from the next snapshot.`,
  );
  return null;
}

async function makeChangesSince(making: Making, lastEvent: number): Promise<Export[]> {
  const { exports } = making.session;
  const before = (await exports.findLast('changes')) ?? (await exports.findLast('snapshot'));
  return before ? [await makeChanges(making, before.lastEvent, lastEvent)] : [];
}

/** Their rows make them exports, and are there for others when their files are. */
async function publish(session: ExportSession, store: ExportStore, made: readonly Export[]): Promise<void> {
  for (const one of made) {
    await session.exports.insert(one);
    await writeManifest(store.placeOf(one.id), one);
    await store.publish(one);
  }
  await session.commit();
}

async function forgetOld(
  session: ExportSession,
  store: ExportStore,
  { now, keepSnapshots, keepDiffDays }: ExportTask,
): Promise<void> {
  const before = new Date(Date.parse(now) - keepDiffDays * DAY_MS);
  for (const id of await session.exports.deleteOld(keepSnapshots, before)) await store.remove(id);
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
      `The folder of exports has room for ${megabytes(free)} MB, and the next one may take ${megabytes(needed)} MB: ${folder}`,
    );
}

function megabytes(bytes: number): number {
  return Math.ceil(bytes / 1024 / 1024);
}
