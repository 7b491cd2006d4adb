import { type Command, InvalidArgumentError, Option } from 'commander';
import { fstatSync } from 'node:fs';
import { messageOf } from '../validation/thrown.js';
import { Clock } from '../database/clock.js';
import { isCalendarDate } from '../domains/calendar-date.js';
import { createLifecycle } from '../domains/domains.module.js';
import { LIST_KINDS, type ListKind } from '../config/config.js';
import { ImportError, UncertainImportError } from '../import/import-error.js';
import { importNames } from '../import/importer.js';
import { describeReport } from '../import/import-report.js';
import { type ImportSource, importSourceOf, openImportFile } from '../import/reading/import-source.js';
import { EXIT_AFTERWARDS, EXIT_FAILED, EXIT_INTERRUPTED } from './exit-codes.js';
import { showProgress } from './import-progress.js';
import { withDatabase } from './with-database.js';

interface Options {
  dryRun?: boolean;
  rejects?: string;
  kind?: ListKind;
  vouchedBy?: string;
  confirmedAt?: Date;
  events?: boolean;
  add?: boolean;
}

const MOMENT = /^[\d-]+(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2}))?$/;
/** What `confirmed_by` has room for beside the word that says what it is. */
const VOUCHER = /^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$/;

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
    .addOption(
      new Option('--kind <kind>', "which official drop list it is; without it, the file's name says").choices(
        LIST_KINDS,
      ),
    )
    .option(
      '--vouched-by <name>',
      'who confirmed elsewhere that the names are free; they are offered on that word',
      voucher,
    )
    .option('--confirmed-at <date>', 'when that was: a day or a time, such as 2026-11-20T04:00:00Z', moment)
    .option('--events', 'tell webhooks and the feed also of drops that are more than 7 days old')
    .option('--add', 'add names also from a file of scores')
    .addHelpText('after', HELP)
    .action(runImport);
}

const HELP = `
The first row is a header, in one of two layouts:
  domain,wayback,first_seen,hidden          only domain is required; any order
  Date,Eligible Purge Time,Domain Name      auDA's official drop list
An empty cell keeps what the dataset knows. Readers see the old dataset until the whole file is in.

Names are offered when a registry has called them free, or with --vouched-by. Those of a drop list wait for their purge and
then to be asked about; others without evidence are unconfirmed. A file without first_seen, such as domain,wayback, changes
what is there and adds no name. To import a drop list again asks again about the names whose purge has passed.

Exit code ${EXIT_FAILED}: nothing was imported; ${EXIT_INTERRUPTED}: interrupted, nothing was imported; ${EXIT_AFTERWARDS}: it is imported and what
followed failed, such as printing the report, or nobody knows whether it is. To import it again does no harm.`;

async function runImport(path: string, options: Options): Promise<void> {
  const interruption = new AbortController();
  const interrupt = () => interruption.abort();
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  const progress = showProgress(process.stderr);
  try {
    const vouch = vouchOf(options);
    const source = await openSource(path);
    const report = await withDatabase(async (database, config) =>
      importNames(database, source, {
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

function vouchOf({ vouchedBy, confirmedAt }: Options): { by: string; at: Date } | undefined {
  if (vouchedBy === undefined && confirmedAt === undefined) return undefined;
  if (vouchedBy === undefined || confirmedAt === undefined)
    throw new ImportError('--vouched-by and --confirmed-at go together: who said so, and when.');
  return { by: vouchedBy, at: confirmedAt };
}

function voucher(text: string): string {
  if (VOUCHER.test(text)) return text;
  throw new InvalidArgumentError('A name is up to 40 letters, digits, dots, hyphens and underscores.');
}

function moment(text: string): Date {
  const [day = ''] = text.split('T');
  if (isCalendarDate(day) && MOMENT.test(text) && !Number.isNaN(Date.parse(text))) return new Date(text);
  throw new InvalidArgumentError('A day is YYYY-MM-DD, a time 2026-11-20T04:00:00Z.');
}

async function openSource(path: string): Promise<ImportSource> {
  return path === '-'
    ? importSourceOf(process.stdin, 'standard input', fstatSync(STDIN))
    : openImportFile(path);
}
