import { fstatSync } from 'node:fs';
import { Clock } from '../../../db/clock.js';
import { createLifecycle } from '../../../domains/domains.module.js';
import { ImportError, UncertainImportError } from '../../../ingest/import/import-error.js';
import { importNames } from '../../../ingest/import/importer.js';
import { describeReport, type ImportReport } from '../../../ingest/import/import-report.js';
import {
  type ImportSource,
  importSourceOf,
  openImportFile,
} from '../../../ingest/import/reading/import-source.js';
import { messageOf } from '../../../validation/unknown-values.js';
import { EXIT_AFTERWARDS, EXIT_FAILED, EXIT_INTERRUPTED } from '../exit-codes.js';
import type { ImportFlags } from '../import.command.js';
import { showProgress } from '../import-progress.js';
import { withDatabase } from '../with-database.js';

const STDIN = 0;

/** Imports a file, or standard input, and prints what became of it. */
export async function runImport(path: string, options: ImportFlags): Promise<void> {
  const interruption = new AbortController();
  const interrupt = () => interruption.abort();
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  const progress = showProgress(process.stderr);
  // Once it is there the names are in, and nothing that follows takes them back.
  let report: ImportReport | undefined;
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
        dryRun: options.dryRun,
        rejectsFile: options.rejects,
        maxRejectsPercent: options.maxRejects,
        signal: interruption.signal,
        onProgress: progress.update,
      });
      progress.stop();
      process.stdout.write(describeReport(report));
      if (report.missed !== undefined) process.exitCode = EXIT_AFTERWARDS;
    });
  } catch (error) {
    progress.stop();
    if (report) {
      process.stderr.write(`${path}: it is imported, and what followed failed: ${messageOf(error)}\n`);
      process.exitCode = EXIT_AFTERWARDS;
    } else if (error instanceof UncertainImportError) {
      process.stderr.write(`${path}: ${error.message}\n`);
      process.exitCode = EXIT_AFTERWARDS;
    } else if (interruption.signal.aborted) {
      process.stderr.write('Interrupted; the dataset is as it was.\n');
      process.exitCode = EXIT_INTERRUPTED;
    } else {
      process.stderr.write(`${path}: ${messageOf(error)}\nNothing was imported.\n`);
      process.exitCode = EXIT_FAILED;
    }
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  }
}

function vouchOf({ vouchedBy, confirmedAt }: ImportFlags): { by: string; at: Date } | undefined {
  if (vouchedBy === undefined && confirmedAt === undefined) return undefined;
  if (vouchedBy === undefined || confirmedAt === undefined)
    throw new ImportError('--vouched-by and --confirmed-at go together: who said so, and when.');
  return { by: vouchedBy, at: confirmedAt };
}

async function openSource(path: string): Promise<ImportSource> {
  return path === '-'
    ? importSourceOf(process.stdin, 'standard input', fstatSync(STDIN))
    : openImportFile(path);
}
