import type { Status } from '../../api/status/status.dto.js';
import { distanceInWords, grouped, percent } from '../words.js';

/** How far the lists can be believed, in words: also when it looks bad. */
export function freshnessOf(
  { truth, lists, registries, writes_stopped: stopped }: Status,
  now: Date,
): string[] {
  return [
    wrongOf(truth),
    listsOf(lists, now),
    registryOf(registries),
    ...(stopped ? ['answers are not written at the moment'] : []),
  ];
}

function wrongOf({ days, offers }: Status['truth']): string {
  const { sampled, share, low, high } = offers;
  if (share === null || low === null || high === null)
    return 'how many offers are wrong: no sample has been asked about yet';
  return `${percent(share)} of offers were found taken, in a sample of ${grouped(sampled)} in ${days} days (95 %: ${percent(low)} to ${percent(high)})`;
}

function listsOf(lists: Status['lists'], now: Date): string {
  const times = lists.flatMap(({ last_imported_at: at }) => (at === null ? [] : [Date.parse(at)]));
  if (times.length === 0) return 'no drop list has been fetched';
  return `last drop list ${distanceInWords(new Date(Math.max(...times)), now)}`;
}

function registryOf(registries: Status['registries']): string {
  const isBroken = registries.every(({ breaker, canary }) => breaker === 'open' || canary === 'failed');
  return isBroken ? 'the registry does not answer' : 'the registry answers';
}
