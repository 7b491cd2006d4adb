import { registerUrl } from '../../domains/schema/fields.js';
import type { Domain } from '../../domains/schema/domain.js';
import { barsOfYears, drawScore, drawSpark } from '../layout/charts.js';
import { grouped, sourceInWords, timeView, type TimeView } from '../layout/words.js';
import { BADGES, type NameStatus, statusOfRow } from './status-badge.js';

/** A row of names-table.eta, which is cards on narrow screens. */
export interface NameRow {
  readonly label: string;
  readonly tld: string;
  readonly score: string;
  readonly length: number;
  /** Markup. */
  readonly bar: string;
  /** Markup; empty while no year is known. */
  readonly spark: string;
  readonly dropped: TimeView | null;
  readonly chip: { readonly words: string; readonly tone: string };
  readonly said: TimeView | null;
  readonly saidBy: string;
  /** Null unless the name is available. */
  readonly registerUrl: string | null;
}

export interface RowContext {
  readonly years: ReadonlyMap<string, Readonly<Record<string, number>>>;
  readonly registerUrlTemplate: string;
  readonly now: Date;
}

/** @param status where a list knows more than the row */
export function toNameRow(
  row: Domain,
  { years, registerUrlTemplate, now }: RowContext,
  status: NameStatus = statusOfRow(row),
): NameRow {
  const { saidAt, saidBy, badge } = status;
  return {
    label: row.name,
    tld: row.tld,
    score: grouped(row.wayback),
    length: row.length,
    bar: drawScore(row.wayback),
    spark: drawSpark(barsOfYears(years.get(row.domain) ?? {})),
    dropped: row.droppedAt && timeView(row.droppedAt, now),
    chip: BADGES[badge],
    said: saidAt && timeView(saidAt, now),
    saidBy: saidBy === null ? '' : sourceInWords(saidBy),
    registerUrl: row.available ? registerUrl(registerUrlTemplate, row.domain) : null,
  };
}
