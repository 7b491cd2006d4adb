import type { PurgeTimes } from '../config/config.js';
import type { ListKind } from '../config/product.js';
import { calendarDateOf } from '../domains/schema/calendar-date.js';
import { generateNames } from './names/name-generator.js';
import { LIST_HEADER } from './sandbox-lists.js';
import { hashOf } from './sandbox-names.js';

const NAMES: Readonly<Record<ListKind, number>> = { deleted: 40, expired: 80 };
const UNTIL_PURGE_MS: Readonly<Record<ListKind, number>> = { deleted: 60_000, expired: 90_000 };
const DAY_MS = 86_400_000;

/** Purges that a newcomer sees: a minute after the start, and a minute and a half. */
export function soonPurgeTimes(startedAt: Date): PurgeTimes {
  const timeOf = (kind: ListKind) =>
    new Date(startedAt.getTime() + UNTIL_PURGE_MS[kind]).toISOString().slice(11, 19);
  return { deleted: timeOf('deleted'), expired: timeOf('expired') };
}

/**
 * The list that is published at a moment: made-up names that are purged in the next run. The same for the same run; another one
 * as soon as it has passed.
 */
export function sandboxListAt(
  kind: ListKind,
  now: Date,
  times: PurgeTimes,
): { text: string; publishedAt: Date } {
  const today = new Date(`${calendarDateOf(now)}T${times[kind]}Z`);
  const run = today > now ? today : new Date(today.getTime() + DAY_MS);
  // Due in the last second of the day before: after the run of that day, and before the next.
  const due = `${calendarDateOf(run, -1)},23:59:59`;
  const names = generateNames(NAMES[kind], hashOf(`${kind} ${run.toISOString()}`));
  const rows = [...names].map(({ domain }) => `${due},${domain}\n`);
  return { text: `${LIST_HEADER}\n${rows.join('')}`, publishedAt: new Date(run.getTime() - DAY_MS) };
}
