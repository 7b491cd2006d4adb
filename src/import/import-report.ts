import { type Reject, SHOWN_REJECTS } from './rejects.js';

/** What an import did, or would have done. */
export interface ImportReport {
  readonly source: string;
  readonly dryRun: boolean;
  /** Rows below the header. The five counts that follow add up to it. */
  readonly read: number;
  readonly added: number;
  readonly changed: number;
  readonly unchanged: number;
  readonly rejected: number;
  /** Rows whose name stands again further down; the last one counts. */
  readonly repeated: number;
  readonly seconds: number;
  /** The first rows that were not imported. */
  readonly rejects: readonly Reject[];
  readonly rejectsFile: string | undefined;
  /** Why what a registry said meanwhile could not be written down; undefined when it is. */
  readonly missed?: string | undefined;
}

/** The report as the command prints it. */
export function describeReport(report: ImportReport): string {
  const { read, seconds } = report;
  const number = (value: number) => value.toLocaleString('en-AU');
  const width = number(read).length;
  const counts = (['read', 'added', 'changed', 'unchanged', 'rejected', 'repeated'] as const)
    .map((name) => `  ${name.padEnd(10)}${number(report[name]).padStart(width)}\n`)
    .join('');
  const rate = number(Math.round(read / Math.max(seconds, 0.001)));
  return (
    `${report.source}: ${report.dryRun ? 'dry run, nothing was changed' : 'imported'}\n` +
    `${counts}  in ${seconds.toFixed(1)} s, ${rate} rows/s\n` +
    describeRejects(report) +
    (report.missed === undefined ? '' : `${MISSED} (${report.missed}).\n`)
  );
}

const MISSED =
  'What a registry said of some of these names meanwhile is not in the dataset; the next check of each puts it there';

function describeRejects({ rejects, rejected, repeated, rejectsFile }: ImportReport): string {
  const total = rejected + repeated;
  if (total === 0) return '';
  if (rejectsFile !== undefined) return `Rows not imported are in ${rejectsFile}.\n`;
  const more =
    total > SHOWN_REJECTS
      ? `  and ${(total - SHOWN_REJECTS).toLocaleString('en-AU')} more; see them all with --rejects FILE\n`
      : '';
  return `Not imported:\n${listRejects(rejects)}\n${more}`;
}

export function listRejects(rejects: readonly Reject[]): string {
  return rejects.map(({ line, text, reason }) => `  line ${line}, ${text}: ${reason}`).join('\n');
}
