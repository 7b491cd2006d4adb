import { fstatSync } from 'node:fs';
import { stat, readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { ListKind } from '../../config/product.js';
import type { Config } from '../../config/config.js';
import { Clock, type Database } from '../../db/database.js';
import { createLifecycle, createRegistryQueues } from '../../domains/domains.module.js';
import { NameHoldRepository } from '../../domains/name/name-hold.repository.js';
import { holdNames } from '../../domains/name/name-rules.js';
import { queueInWords } from '../../domains/first-offers.js';
import { unansweredOf } from '../../domains/freshness/registry-queues.js';
import {
  ImportError,
  PartialImportError,
  printable,
  UncertainImportError,
} from '../../ingest/import/reading/import-error.js';
import { importNames, type ImportProgress } from '../../ingest/import/importer.js';
import { describeReport, type ImportReport } from '../../ingest/import/import-report.js';
import {
  type ImportSource,
  importSourceOf,
  openImportFile,
} from '../../ingest/import/reading/import-source.js';
import { createListFetcher } from '../../ingest/lists/list-fetcher.js';
import { messageOf } from '../../validation/unknown-values.js';
import { EXIT_AFTERWARDS, EXIT_FAILED, EXIT_INTERRUPTED } from '../command.js';
import { NO_LISTS } from '../printing.js';
import { toFetch } from '../records.service.js';
import { interruptible, withDatabase } from './database.js';
import { FolderProgress } from './folder-progress.js';
import { showProgress } from './progress.js';
import { SHOWN_REJECTS } from '../../ingest/import/rejects.js';
import { listKindIn } from '../../ingest/import/reading/drop-list.js';

/** Thirteen years of two lists a day. */
const MAX_FILES = 10_000;
const LIST_FILE = /\.csv(\.gz)?$/i;
const DATE = /\d{4}-\d{2}-\d{2}/;

interface FolderFile {
  readonly name: string;
  readonly path: string;
  readonly bytes: number;
  readonly kind: ListKind | null;
}

/** The import of a folder ended early: earlier lists stay imported, and the message says how to go on. */
class FolderImportError extends Error {
  constructor(
    readonly done: number,
    message: string,
    options: ErrorOptions,
  ) {
    super(message, options);
  }
}

/**
 * The lists in a folder, in the order of the dates in their names.
 *
 * @param after the file that was imported last; the files behind it are left
 * @throws {ImportError} when they cannot be ordered, or there are none
 */
async function listFolder(folder: string, after?: string): Promise<FolderFile[]> {
  const names = (await readdir(folder)).filter((name) => LIST_FILE.test(name));
  if (names.length === 0) throw new ImportError('No file in it ends in .csv or .csv.gz.');
  if (names.length > MAX_FILES)
    throw new ImportError(`It has ${names.length} lists; import ${MAX_FILES} at most at a time.`);
  const undated = names.find((name) => !DATE.test(name));
  if (undated !== undefined)
    throw new ImportError(
      `${printable(undated)} has no date (YYYY-MM-DD), by which lists are ordered. Rename it, or import it alone.`,
    );
  const ordered = names.sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
  const from = after === undefined ? 0 : ordered.indexOf(basename(after)) + 1;
  if (after !== undefined && from === 0)
    throw new ImportError(`--after: there is no list ${printable(after)} in it.`);
  const files: FolderFile[] = [];
  for (const name of ordered.slice(from)) {
    const path = join(folder, name);
    files.push({ name, path, bytes: (await stat(path)).size, kind: listKindIn(name) });
  }
  if (files.length === 0)
    throw new ImportError(`${printable(after ?? '')} is its last list: all are imported.`);
  return files;
}

function keyOf(name: string): string {
  return `${DATE.exec(name)?.[0] ?? ''} ${name}`;
}

/**
 * Imports the files one after the other.
 *
 * @throws {FolderImportError} at the first that fails
 */
async function importFolder(
  folder: string,
  files: readonly FolderFile[],
  importOne: (
    source: ImportSource,
    file: FolderFile,
    onProgress: (progress: ImportProgress) => void,
  ) => Promise<ImportReport>,
  onProgress: (progress: ImportProgress) => void,
): Promise<ImportReport> {
  const totalBytes = files.reduce((sum, { bytes }) => sum + bytes, 0);
  let sum: ImportReport | undefined;
  let doneBytes = 0;
  for (const [place, file] of files.entries()) {
    try {
      const source = await openImportFile(file.path);
      const rowsBefore = sum?.read ?? 0;
      const report = await importOne(source, file, ({ rows, readBytes }) =>
        onProgress({
          step: `${place + 1} of ${files.length}: ${printable(file.name)}`,
          rows: rowsBefore + rows,
          readBytes: doneBytes + readBytes,
          totalBytes,
        }),
      );
      sum = added(sum, report, folder, file.name);
      doneBytes += file.bytes;
    } catch (error) {
      throw new FolderImportError(
        place,
        `${file.path}: ${messageOf(error)}\n${place} of ${files.length} lists are imported. ` +
          'Run the same command again: it goes on there.\n',
        { cause: error },
      );
    }
  }
  if (!sum) throw new ImportError('There is no list to import.');
  return sum;
}

function added(
  sum: ImportReport | undefined,
  report: ImportReport,
  folder: string,
  name: string,
): ImportReport {
  const rejects = report.rejects.map((reject) => ({
    ...reject,
    text: `${reject.text} in ${printable(name)}`,
  }));
  const base = { ...report, source: folder, dropList: undefined };
  if (!sum) return { ...base, rejects };
  return {
    ...base,
    read: sum.read + report.read,
    added: sum.added + report.added,
    changed: sum.changed + report.changed,
    unchanged: sum.unchanged + report.unchanged,
    rejected: sum.rejected + report.rejected,
    absent: sum.absent + report.absent,
    repeated: sum.repeated + report.repeated,
    delisted: sum.delisted + report.delisted,
    keptListed: sum.keptListed + report.keptListed,
    askedAgain: sum.askedAgain + report.askedAgain,
    resumedAt: sum.resumedAt + report.resumedAt,
    seconds: sum.seconds + report.seconds,
    rejects: [...sum.rejects, ...rejects].slice(0, SHOWN_REJECTS),
    missed: sum.missed ?? report.missed,
  };
}

const STDIN = 0;

interface ImportOptions {
  readonly file: string;
  readonly dry_run: true | undefined;
  readonly rejects: string | undefined;
  readonly max_rejects: number | undefined;
  readonly kind: ListKind | undefined;
  readonly vouched_by: string | undefined;
  readonly confirmed_at: Date | undefined;
  readonly events: true | undefined;
  readonly add: true | undefined;
  readonly after: string | undefined;
}

/** The flags that decide what a list means. */
function flagsOf({ kind, vouched_by, confirmed_at, events, add }: ImportOptions): string {
  return Object.entries({ kind, vouched_by, confirmed_at: confirmed_at?.toISOString(), events, add })
    .flatMap(([flag, value]) => (value === undefined ? [] : [`${flag}=${value}`]))
    .join(' ');
}

/** Imports a file, a folder of lists, or standard input, and prints the report. */
export async function runImport(options: ImportOptions): Promise<void> {
  const { file: path } = options;
  const progress = showProgress(process.stderr);
  // With a report the names are in, and a later failure rolls nothing back.
  let report: ImportReport | undefined;
  await interruptible(async (signal) => {
    try {
      const vouch = vouchOf(options);
      const files = (await isFolder(path)) ? await listFolder(path, options.after) : null;
      if (files && options.rejects !== undefined)
        throw new ImportError('--rejects takes the rows of one file; import that list by itself.');
      if (!files && options.after !== undefined) throw new ImportError('--after is for a folder of lists.');
      const source = files ? null : await openSource(path);
      await withDatabase(async (database, config) => {
        holdNames(await new NameHoldRepository(database).list());
        const lifecycle = createLifecycle(database, config);
        const terms = {
          lifecycle,
          purgeTimes: config.lists.purgeTimes,
          vouch,
          announcesOldDrops: options.events,
          adds: options.add,
          revision: { of: 'files', ifImplausible: 'keep' } as const,
          asksAgain: true,
          dryRun: options.dry_run,
          rejectsFile: options.rejects,
          maxRejectsPercent: options.max_rejects,
          signal,
        };
        const clock = new Clock(database);
        const taken = new FolderProgress(database, path, flagsOf(options));
        if (files) {
          const isResumed = options.after === undefined && !options.dry_run;
          const left = isResumed ? await taken.withoutDone(files, MAX_FILES) : files;
          if (left.length < files.length)
            process.stdout.write(
              `${files.length - left.length} of ${files.length} lists are in, by an import that ended early.\n`,
            );
          if (left.length > 0)
            report = await importFolder(
              path,
              left,
              async (list, file, onProgress) => {
                const own = { now: await clock.now(), listKind: options.kind ?? file.kind, onProgress };
                const imported = await importNames(database, list, { ...terms, ...own });
                if (!imported.dryRun) await taken.noteList(file);
                return imported;
              },
              progress.update,
            );
          if (!options.dry_run) await taken.noteWhole();
        } else if (source)
          report = await importNames(database, source, {
            ...terms,
            now: await clock.now(),
            listKind: options.kind,
            onProgress: progress.update,
          });
        if (!report) return;
        progress.stop();
        process.stdout.write(describeReport(report));
        if (!report.dryRun) process.stdout.write(await describeQueue(database, config));
        if (report.missed !== undefined) process.exitCode = EXIT_AFTERWARDS;
      });
    } catch (error) {
      progress.stop();
      const [exitCode, message] = outcomeOf(error, path, report !== undefined, signal.aborted);
      process.stderr.write(message);
      process.exitCode = exitCode;
    }
  });
}

/** A command may count for a second. */
const MAX_COUNTED = 1_000_000;

async function describeQueue(database: Database, config: Config): Promise<string> {
  const now = await new Clock(database).now();
  const queues = await createRegistryQueues(database, config).read(now, MAX_COUNTED);
  return queueInWords(unansweredOf(queues), now, config.registry);
}

function outcomeOf(
  error: unknown,
  path: string,
  isImported: boolean,
  isInterrupted: boolean,
): [number, string] {
  const reason = messageOf(error);
  if (isImported) return [EXIT_AFTERWARDS, `${path}: it is imported, and a later step failed: ${reason}\n`];
  if (error instanceof FolderImportError) {
    if (isInterrupted) return [EXIT_INTERRUPTED, `Interrupted. ${reason}`];
    return [error.cause instanceof UncertainImportError ? EXIT_AFTERWARDS : EXIT_FAILED, reason];
  }
  if (error instanceof PartialImportError)
    return [isInterrupted ? EXIT_INTERRUPTED : EXIT_FAILED, `${path}: ${reason}\n`];
  if (error instanceof UncertainImportError) return [EXIT_AFTERWARDS, `${path}: ${reason}\n`];
  if (isInterrupted) return [EXIT_INTERRUPTED, 'Interrupted; the dataset is as it was.\n'];
  return [EXIT_FAILED, `${path}: ${reason}\nNothing was imported.\n`];
}

function vouchOf({ vouched_by: by, confirmed_at: at }: ImportOptions): { by: string; at: Date } | undefined {
  if (by === undefined && at === undefined) return undefined;
  if (by === undefined || at === undefined)
    throw new ImportError('--vouched-by and --confirmed-at go together: who said so, and when.');
  return { by, at };
}

async function isFolder(path: string): Promise<boolean> {
  if (path === '-') return false;
  return stat(path).then(
    (found) => found.isDirectory(),
    // Opening it reports a missing file.
    () => false,
  );
}

async function openSource(path: string): Promise<ImportSource> {
  return path === '-'
    ? importSourceOf(process.stdin, 'standard input', fstatSync(STDIN))
    : openImportFile(path);
}

/** Fetches every official drop list now, due or not. */
export async function fetchLists(
  acceptsAlarms: boolean,
  describe: (fetch: ReturnType<typeof toFetch>) => string,
): Promise<void> {
  await interruptible((signal) =>
    withDatabase(async (database, config) => {
      const fetcher = createListFetcher(database, config);
      const fetched = await fetcher.fetchAll(await new Clock(database).now(), { signal, acceptsAlarms });
      if (!fetched) throw new Error('Another process is fetching lists at this moment; try again.');
      if (fetched.length === 0) process.stdout.write(NO_LISTS);
      for (const fetch of fetched)
        process.stdout.write(`${fetch.kind}  ${fetch.address}\n  ${describe(toFetch(fetch))}\n`);
      if (fetched.some(({ outcome }) => outcome === 'alarm' || outcome === 'failed'))
        process.exitCode = EXIT_FAILED;
    }),
  );
}
