import { type PurgeTimes } from '../../../config/config.js';
import { LIST_KINDS, type ListKind } from '../../../config/product.js';
import { DATASET_SETTINGS } from '../../../config/dataset-settings.js';

const DEFAULT_PURGE_TIMES: PurgeTimes = {
  deleted: DATASET_SETTINGS.LIST_PURGE_TIME_DELETED.default,
  expired: DATASET_SETTINGS.LIST_PURGE_TIME_EXPIRED.default,
};

const DAY_MS = 86_400_000;

/**
 * When a name of auDA's official drop list is purged at the latest. The list gives the moment from which the name may
 * be purged; purges run once a day, of deleted names first. A moment before the first run belongs to that day, a
 * later one to the next; auDA does not publish whether the cut-off of expired names is half an hour later. For a list
 * of unknown kind the later run counts: a name is never taken for free too early.
 *
 * @param date YYYY-MM-DD, UTC
 * @param time HH:MM:SS, UTC
 */
export function purgeTimeOf(
  date: string,
  time: string,
  kind: ListKind | null,
  runs: PurgeTimes = DEFAULT_PURGE_TIMES,
): Date {
  const eligible = momentOf(date, time);
  const cutOff = momentOf(date, runs.deleted);
  const run = kind === null ? Math.max(cutOff, momentOf(date, runs.expired)) : momentOf(date, runs[kind]);
  return new Date(eligible < cutOff ? run : run + DAY_MS);
}

/**
 * Whether the name may be purged a day before {@link purgeTimeOf} says: auDA does not publish whether a day's second
 * run takes an expired name that becomes due between the two runs.
 *
 * @param time HH:MM:SS, UTC
 */
export function isPurgeApproximate(
  time: string,
  kind: ListKind | null,
  runs: PurgeTimes = DEFAULT_PURGE_TIMES,
): boolean {
  return kind !== 'deleted' && time >= runs.deleted && time < runs.expired;
}

/** The kind of list that a file's name or address speaks of; null when it speaks of none, or of both. */
export function listKindIn(name: string): ListKind | null {
  const [kind, other] = LIST_KINDS.filter((one) => name.toLowerCase().includes(one));
  return kind === undefined || other !== undefined ? null : kind;
}

function momentOf(date: string, time: string): number {
  return Date.parse(`${date}T${time}Z`);
}
