import type { ListKind } from '../../config/product.js';
import { type Reject, SHOWN_REJECTS } from './rejects.js';

/** What an import did, or would have done. */
export interface ImportReport {
  readonly source: string;
  readonly dryRun: boolean;
  /** Of a drop list: which of the two it is, and how many of its names are purged later than now. */
  readonly dropList: { readonly kind: ListKind | null; readonly ahead: number } | undefined;
  /** Rows below the header. The six counts that follow add up to it. */
  readonly read: number;
  readonly added: number;
  readonly changed: number;
  readonly unchanged: number;
  readonly rejected: number;
  /** Names that the dataset does not have, in a file that adds none. */
  readonly absent: number;
  /**
   * Rows whose name another row of the file speaks for: the newest one, by its purge or its day, or the last of
   * those.
   */
  readonly repeated: number;
  /** Names off the list now: a list of the same day had them, and this one lacks them. */
  readonly delisted: number;
  /** Such names that stay listed, as too many are missing for a whole list. */
  readonly keptListed: number;
  /** Of the names that are unchanged: how many are asked about again. */
  readonly askedAgain: number;
  /** Rows that an earlier import of the same file had brought in before it ended early. */
  readonly resumedAt: number;
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
  const counts = (['read', 'added', 'changed', 'unchanged', 'absent', 'rejected', 'repeated'] as const)
    .filter((name) => name !== 'absent' || report.absent > 0)
    .map((name) => `  ${name.padEnd(10)}${number(report[name]).padStart(width)}\n`)
    .join('');
  const rate = number(Math.round(read / Math.max(seconds, 0.001)));
  return (
    `${report.source}: ${report.dryRun ? 'dry run, nothing was changed' : 'imported'}\n` +
    `${counts}  in ${seconds.toFixed(1)} s, ${rate} rows/s\n` +
    (report.resumedAt > 0
      ? `${number(report.resumedAt)} of these rows were in, by an import that ended early.\n`
      : '') +
    describeQuestions(report) +
    describeRejects(report) +
    (report.missed === undefined ? '' : `${MISSED} (${report.missed}).\n`)
  );
}

function describeQuestions({ dropList, absent, delisted, keptListed, askedAgain }: ImportReport): string {
  const number = (value: number) => value.toLocaleString('en-AU');
  const kind = dropList && (dropList.kind ?? 'of a list whose kind is not known');
  return (
    (dropList ? `Purges ahead: ${number(dropList.ahead)} (${kind}).\n` : '') +
    (delisted > 0 ? `No longer on the list of their day: ${number(delisted)}.\n` : '') +
    (keptListed > 0
      ? `Not in this file: ${number(keptListed)} names of the same day. They stay listed, as the file is probably ` +
        'a part of its list.\n'
      : '') +
    (askedAgain > 0 ? `Asked about again: ${number(askedAgain)}.\n` : '') +
    (absent > 0 ? `Absent names are not in the dataset; --add adds them, unconfirmed.\n` : '')
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
