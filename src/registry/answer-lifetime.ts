import type { Config } from '../config/config.js';
import type { RegistryAnswer } from './registry-lookup.js';

/** Names on their way out are gone within minutes of these times of day, in hours of UTC: 03:00, and 03:30 for expired ones. */
const PURGE_HOURS = [3, 3.5];
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const MAX_PENDING_SECONDS = 60;

/**
 * For how many seconds from `now` an answer may be reused. A registration lasts; a free name can be gone the next minute, and a
 * pending one is free at its purge. What a cache in between has kept it for is over already.
 */
export function lifetimeOf(
  { state, checkedAt }: Pick<RegistryAnswer, 'state' | 'checkedAt'>,
  now: Date,
  { cacheAvailableSeconds, cacheRegisteredSeconds }: Config['registry'],
): number {
  const age = Math.max(0, (now.getTime() - checkedAt.getTime()) / 1000);
  switch (state) {
    case 'registered':
    case 'expired_hold':
      return cacheRegisteredSeconds - age;
    case 'pending_purge':
    case 'pending_delete':
      return Math.min(
        Math.min(cacheRegisteredSeconds, MAX_PENDING_SECONDS) - age,
        (nextPurge(checkedAt) - now.getTime()) / 1000,
      );
    case 'available':
    case 'reserved':
    case 'declined':
      return cacheAvailableSeconds - age;
    default:
      return state satisfies never;
  }
}

function nextPurge(after: Date): number {
  const midnight = after.getTime() - (after.getTime() % DAY_MS);
  const times = [0, 1].flatMap((day) => PURGE_HOURS.map((hour) => midnight + day * DAY_MS + hour * HOUR_MS));
  return Math.min(...times.filter((time) => time > after.getTime()));
}
