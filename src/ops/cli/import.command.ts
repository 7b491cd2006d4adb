import { type Command, InvalidArgumentError, Option } from 'commander';
import { LIST_KINDS, type ListKind } from '../../config/product.js';
import { isCalendarDate } from '../../domains/schema/calendar-date.js';
import { VOUCHER, VOUCHER_RULE } from '../../ingest/import/vouch.js';
import { EXIT_AFTERWARDS, EXIT_FAILED, EXIT_INTERRUPTED } from './exit-codes.js';

export interface ImportFlags {
  dryRun?: boolean;
  rejects?: string;
  maxRejects?: number;
  kind?: ListKind;
  vouchedBy?: string;
  confirmedAt?: Date;
  events?: boolean;
  add?: boolean;
}

const MOMENT = /^[\d-]+(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2}))?$/;

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
    .option(
      '--max-rejects <percent>',
      'import nothing when more of the rows than that are rejected; without it, unless all are',
      percentage,
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
    .action(async (path: string, flags: ImportFlags) =>
      (await import('./actions/import.action.js')).runImport(path, flags),
    );
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

function percentage(text: string): number {
  const percent = Number(text);
  if (text.trim() !== '' && percent >= 0 && percent <= 100) return percent;
  throw new InvalidArgumentError('A percentage is a number from 0 to 100.');
}

function voucher(text: string): string {
  if (VOUCHER.test(text)) return text;
  throw new InvalidArgumentError(`A name is ${VOUCHER_RULE}.`);
}

function moment(text: string): Date {
  const [day = ''] = text.split('T');
  if (isCalendarDate(day) && MOMENT.test(text) && !Number.isNaN(Date.parse(text))) return new Date(text);
  throw new InvalidArgumentError('A day is YYYY-MM-DD, a time 2026-11-20T04:00:00Z.');
}
