import type { Command } from 'commander';
import { fstatSync } from 'node:fs';
import { messageOf } from '../validation/thrown.js';
import { UncertainImportError } from '../import/import-error.js';
import { importNames } from '../import/importer.js';
import { describeReport } from '../import/import-report.js';
import { type ImportSource, importSourceOf, openImportFile } from '../import/reading/import-source.js';
import { EXIT_AFTERWARDS, EXIT_FAILED, EXIT_INTERRUPTED } from './exit-codes.js';
import { showProgress } from './import-progress.js';
import { withDatabase } from './with-database.js';

interface Options {
  dryRun?: boolean;
  rejects?: string;
}

const STDIN = 0;

export function registerImport(program: Command): void {
  program
    .command('import')
    .argument('<file>', 'CSV, plain or gzipped; - for standard input')
    .description('Bring dropped names into the dataset.')
    .option('--dry-run', 'read, judge and count everything, change nothing')
    .option(
      '--rejects <file>',
      'write the rows that were not imported to this CSV file, with line number and reason',
    )
    .addHelpText('after', HELP)
    .action(runImport);
}

const HELP = `
The first row is a header, in one of two layouts:
  domain,wayback,first_seen,hidden          only domain is required; any order
  Date,Eligible Purge Time,Domain Name      auDA's official drop list
An empty cell keeps what the dataset knows. Readers see the old dataset until the whole file is in.

Exit code ${EXIT_FAILED}: nothing was imported; ${EXIT_INTERRUPTED}: interrupted, nothing was imported; ${EXIT_AFTERWARDS}: it is imported and what
followed failed, such as printing the report, or nobody knows whether it is. To import it again does no harm.`;

async function runImport(path: string, { dryRun, rejects }: Options): Promise<void> {
  const interruption = new AbortController();
  const interrupt = () => interruption.abort();
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  const progress = showProgress(process.stderr);
  try {
    const source = await openSource(path);
    const report = await withDatabase((database) =>
      importNames(database, source, {
        now: new Date(),
        dryRun,
        rejectsFile: rejects,
        signal: interruption.signal,
        onProgress: progress.update,
      }),
    );
    progress.stop();
    process.stdout.write(describeReport(report));
    if (report.missed !== undefined) process.exitCode = EXIT_AFTERWARDS;
  } catch (error) {
    progress.stop();
    if (error instanceof UncertainImportError) {
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

async function openSource(path: string): Promise<ImportSource> {
  return path === '-'
    ? importSourceOf(process.stdin, 'standard input', fstatSync(STDIN))
    : openImportFile(path);
}
