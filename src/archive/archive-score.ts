import type { Capture, Captures } from './cdx-answer.js';

/**
 * Version of the formula behind a score. Raise it with every change of the formula: only scores of one version are
 * compared.
 */
export const FORMULA_VERSION = 1;

/** The formula in words, as answers and documents give it. */
export const FORMULA =
  'wayback = the number of different days (UTC) on which the Wayback Machine captured the home page with a ' +
  '2xx, a 3xx or a revisit';

export interface ArchiveScore {
  readonly version: number;
  readonly wayback: number;
  /** Captures in the archive's answer, errors among them; the archive is asked for one a day. */
  readonly captures: number;
  /** Different days with a capture that counts. */
  readonly days: number;
  /** The first and the last of those days, YYYY-MM-DD; null when there are none. */
  readonly firstCapture: string | null;
  readonly lastCapture: string | null;
  /** Calendar years that hold such a day. */
  readonly activeYears: number;
  /** The most days from one such day to the next; null when there are fewer than two. */
  readonly longestGapDays: number | null;
  /** Such days in each year that has any, the earliest year first. */
  readonly daysByYear: Readonly<Record<string, number>>;
}

/**
 * Scores a name by its number of captured days. A day counts once however often a crawler came, a reader can verify
 * the count in the archive's calendar, and a long-lived name has many. Errors (4xx, 5xx) do not count, because a dead
 * site is no history. Years and gaps stand beside the score and do not change it: the reader weighs them.
 */
export function scoreCaptures(captures: readonly Capture[]): ArchiveScore {
  const days = [...new Set(captures.filter(isCounted).map(({ day }) => day))].sort();
  const daysByYear: Record<string, number> = {};
  for (const day of days) daysByYear[yearOf(day)] = (daysByYear[yearOf(day)] ?? 0) + 1;
  return {
    version: FORMULA_VERSION,
    wayback: days.length,
    captures: captures.length,
    days: days.length,
    firstCapture: days[0] ?? null,
    lastCapture: days[days.length - 1] ?? null,
    activeYears: Object.keys(daysByYear).length,
    longestGapDays: longestGap(days)?.days ?? null,
    daysByYear,
  };
}

export interface Gap {
  readonly from: string;
  readonly to: string;
  readonly days: number;
}

/** @param days sorted, all different. @returns the earliest of the longest gaps, or null */
export function longestGap(days: readonly string[]): Gap | null {
  let longest: Gap | null = null;
  for (const [place, to] of days.entries()) {
    const from = days[place - 1];
    if (from === undefined) continue;
    const gap = { from, to, days: (Date.parse(to) - Date.parse(from)) / DAY_MS };
    if (longest === null || gap.days > longest.days) longest = gap;
  }
  return longest;
}

const DAY_MS = 86_400_000;

/** A revisit has no status of its own: the page was the same as when it was last kept. */
export function isCounted({ status }: Capture): boolean {
  return status === '-' || /^[23]\d\d$/.test(status);
}

function yearOf(day: string): string {
  return day.slice(0, 4);
}

/** The steps from an answer of the archive to the score, a line each, for a person to follow. */
export function explainScore({ captures, ignored }: Captures): string[] {
  const counted = captures.filter(isCounted);
  const days = [...new Set(counted.map(({ day }) => day))].sort();
  const score = scoreCaptures(captures);
  const gap = longestGap(days);
  const undated = ignored > 0 ? `, of which ${count(ignored, 'row')} without a day that can be read` : '';
  return [
    `Formula ${score.version}: ${FORMULA}.`,
    `1. The archive answered with ${count(captures.length + ignored, 'row')}${undated}.`,
    `2. By status: ${listStatuses(captures.map(({ status }) => status))}.`,
    `3. Captures that count (2xx, 3xx, revisits): ${counted.length}; left out: ${captures.length - counted.length}.`,
    '4. Different days among them: ' +
      `${days.length}${days.length > 0 ? `, from ${days[0]} to ${days[days.length - 1]}` : ''}.`,
    '5. Days in each year: ' +
      `${list(Object.entries(score.daysByYear).map(([year, number]) => `${year}: ${number}`))}; active years: ` +
      `${score.activeYears}.`,
    '6. Longest gap: ' +
      `${gap === null ? 'none, for want of two days' : `${count(gap.days, 'day')}, from ${gap.from} to ${gap.to}`}.`,
    `Score: wayback = ${score.wayback}`,
  ];
}

function listStatuses(statuses: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const status of statuses) counts.set(status, (counts.get(status) ?? 0) + 1);
  const named = [...counts].sort(([one], [other]) => (one < other ? -1 : 1));
  return list(named.map(([status, number]) => `${status === '-' ? 'revisit' : status}: ${number}`));
}

function list(items: readonly string[]): string {
  return items.length > 0 ? items.join(', ') : 'none';
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
