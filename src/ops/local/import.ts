import { fstatSync } from 'node:fs';
import type { ListKind } from '../../config/product.js';
import { Clock } from '../../db/database.js';
import { createLifecycle } from '../../domains/domains.module.js';
import { ImportError, UncertainImportError } from '../../ingest/import/reading/import-error.js';
import { importNames } from '../../ingest/import/importer.js';
import { describeReport, type ImportReport } from '../../ingest/import/import-report.js';
import {
  type ImportSource,
  importSourceOf,
  openImportFile,
} from '../../ingest/import/reading/import-source.js';
import { createListFetcher } from '../../ingest/lists/list-fetcher.js';
import { messageOf } from '../../validation/unknown-values.js';
import { EXIT_AFTERWARDS, EXIT_FAILED, EXIT_INTERRUPTED } from '../command-line.js';
import { NO_LISTS } from '../commands.js';
import { toFetch } from '../records.service.js';
import { interruptible, withDatabase } from './database.js';
import { showProgress } from './progress.js';

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
}

/** Imports a file, or standard input, and prints the report. */
export async function runImport(options: ImportOptions): Promise<void> {
  const { file: path } = options;
  const progress = showProgress(process.stderr);
  // With a report the names are in, and a later failure rolls nothing back.
  let report: ImportReport | undefined;
  await interruptible(async (signal) => {
    try {
      const vouch = vouchOf(options);
      const source = await openSource(path);
      await withDatabase(async (database, config) => {
        report = await importNames(database, source, {
          lifecycle: createLifecycle(database, config),
          now: await new Clock(database).now(),
          listKind: options.kind,
          purgeTimes: config.lists.purgeTimes,
          vouch,
          announcesOldDrops: options.events,
          adds: options.add,
          asksAgain: true,
          dryRun: options.dry_run,
          rejectsFile: options.rejects,
          maxRejectsPercent: options.max_rejects,
          signal,
          onProgress: progress.update,
        });
        progress.stop();
        process.stdout.write(describeReport(report));
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

function outcomeOf(
  error: unknown,
  path: string,
  isImported: boolean,
  isInterrupted: boolean,
): [number, string] {
  const reason = messageOf(error);
  if (isImported) return [EXIT_AFTERWARDS, `${path}: it is imported, and a later step failed: ${reason}\n`];
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
