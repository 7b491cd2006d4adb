import type { Config, PurgeTimes } from '../config/config.js';
import type { RegistryAnswer } from './registry-lookup.js';

const DAY_MS = 86_400_000;
const MAX_PENDING_SECONDS = 60;

/**
 * For how many seconds from `now` an answer may be reused. A registration lasts; a free name can be gone the next minute, and a
 * pending one is free at its purge. What a cache in between has kept it for is over already.
 */
export function lifetimeOf(
  { state, checkedAt }: Pick<RegistryAnswer, 'state' | 'checkedAt'>,
  now: Date,
  { registry: { cacheAvailableSeconds, cacheRegisteredSeconds }, lists }: Pick<Config, 'registry' | 'lists'>,
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
        (nextPurge(checkedAt, lists.purgeTimes) - now.getTime()) / 1000,
      );
    case 'available':
    case 'reserved':
    case 'declined':
      return cacheAvailableSeconds - age;
    default:
      return state satisfies never;
  }
}

/** Names on their way out are gone within minutes of the purges of a day. */
function nextPurge(after: Date, times: PurgeTimes): number {
  const [day] = after.toISOString().split('T');
  const today = Object.values(times).map((time) => Date.parse(`${day}T${time}Z`));
  const runs = today.flatMap((run) => [run, run + DAY_MS]);
  return Math.min(...runs.filter((run) => run > after.getTime()));
}
