import { registerUrl } from '../../domains/schema/fields.js';
import type { Domain } from '../../domains/schema/domain.js';
import { drawSpark, drawSteps, stepOf, yearsOf } from '../layout/charts.js';
import { counted, fillIn, grouped, t } from '../../texts/texts.js';
import { sourceInWords, timeView, type TimeView } from '../layout/words.js';
import { type Act, actOf, BADGES, type NameStatus, statusOfRow } from './status-badge.js';

/** A longer label may wrap: at any width a shorter one fits on a line. */
const MAX_WHOLE = 24;

/** A name as name-link.eta writes it. */
export interface NameParts {
  readonly label: string;
  readonly tld: string;
  readonly isLong: boolean;
  /** The label, in the parts between which it may wrap. */
  readonly parts: readonly string[];
}

export function namePartsOf(label: string, tld: string): NameParts {
  const isLong = label.length > MAX_WHOLE;
  return { label, tld, isLong, parts: isLong ? label.split(/(?<=-)/) : [label] };
}

/** A row of names-list.eta. */
export interface NameRow {
  /** Null for text that is no name. */
  readonly name: NameParts | null;
  readonly domain: string;
  readonly meta: string;
  readonly score: string;
  readonly step: number;
  /** Markup; empty where no score is known. */
  readonly steps: string;
  /** Markup; empty while no year is known. */
  readonly spark: string;
  readonly years: string;
  readonly dropped: TimeView | null;
  readonly chip: { readonly words: string; readonly tone: string };
  readonly said: TimeView | null;
  readonly saidBy: string;
  readonly remark: string;
  /** Null unless the name is available. */
  readonly registerUrl: string | null;
  /** What to do else. */
  readonly act: Act;
}

export interface RowContext {
  readonly hasAccounts: boolean;
  readonly years: ReadonlyMap<string, Readonly<Record<string, number>>>;
  readonly registerUrlTemplate: string;
  readonly now: Date;
}

/** @param status where a list knows more than the row */
export function toNameRow(
  row: Domain,
  { years, registerUrlTemplate, hasAccounts, now }: RowContext,
  status: NameStatus = statusOfRow(row),
): NameRow {
  const { saidAt, saidBy, badge } = status;
  const days = years.get(row.domain) ?? {};
  return {
    name: namePartsOf(row.name, row.tld),
    domain: row.domain,
    meta: counted(row.length, 'character'),
    score: grouped(row.wayback),
    step: stepOf(row.wayback),
    steps: drawSteps(row.wayback),
    spark: drawSpark(days, now.getUTCFullYear()),
    years: yearsInWords(days, row.wayback),
    dropped: row.droppedAt && timeView(row.droppedAt, now),
    chip: BADGES[badge],
    said: saidAt && timeView(saidAt, now),
    saidBy: saidBy === null ? '' : sourceInWords(saidBy),
    remark: '',
    registerUrl: row.available ? registerUrl(registerUrlTemplate, row.domain) : null,
    act: actOf(badge, hasAccounts),
  };
}

export function yearsInWords(days: Readonly<Record<string, number>>, score: number): string {
  const years = yearsOf(days);
  if (years) return years.from === years.to ? String(years.from) : `${years.from}–${years.to}`;
  return score > 0 ? t.names.yearsUnknown : t.names.notInArchive;
}

/** A heading of the list; with an address it sorts by its column. */
export interface RowHead {
  /** Of the grid, as in the styles. */
  readonly area: 'name' | 'score' | 'arch' | 'state' | 'act';
  readonly words: string;
  readonly href: string | null;
  /** Empty unless the list is in its order. */
  readonly arrow: '' | '↑' | '↓';
}

/** @param sorts address of the order by each column, where the list can be sorted */
export function rowHeads(
  thisYear: number,
  sorts: Partial<Record<RowHead['area'], Pick<RowHead, 'href' | 'arrow'>>> = {},
): RowHead[] {
  const words = {
    name: t.names.nameHead,
    score: t.names.scoreHead,
    arch: fillIn(t.names.archiveHead, { year: String(thisYear).slice(2) }),
    state: t.names.stateHead,
    act: '',
  };
  return (Object.keys(words) as RowHead['area'][]).map((area) => ({
    area,
    words: words[area],
    href: sorts[area]?.href ?? null,
    arrow: sorts[area]?.arrow ?? '',
  }));
}
