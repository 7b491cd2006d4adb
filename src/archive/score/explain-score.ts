import { FORMULA, isCounted, longestGap, scoreCaptures } from './archive-score.js';
import type { Captures } from './captures.js';

/** The steps from an answer of the archive to the score, a line each, for a person to follow. */
export function explainScore({ captures, ignored }: Captures): string[] {
  const counted = captures.filter(isCounted);
  const days = [...new Set(counted.map(({ day }) => day))].sort();
  const score = scoreCaptures(captures);
  const gap = longestGap(days);
  return [
    `Formula ${score.version}: ${FORMULA}.`,
    `1. The archive answered with ${count(captures.length + ignored, 'row')}${ignored > 0 ? `, of which ${count(ignored, 'row')} without a day that can be read` : ''}.`,
    `2. By status: ${listStatuses(captures.map(({ status }) => status))}.`,
    `3. Captures that count (2xx, 3xx, revisits): ${counted.length}; left out: ${captures.length - counted.length}.`,
    `4. Different days among them: ${days.length}${days.length > 0 ? `, from ${days[0]} to ${days[days.length - 1]}` : ''}.`,
    `5. Days in each year: ${list(Object.entries(score.daysByYear).map(([year, number]) => `${year}: ${number}`))}; active years: ${score.activeYears}.`,
    `6. Longest gap: ${gap === null ? 'none, for want of two days' : `${count(gap.days, 'day')}, from ${gap.from} to ${gap.to}`}.`,
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
