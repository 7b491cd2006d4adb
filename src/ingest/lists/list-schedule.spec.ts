import type { ListFetch } from '../list-records/list-fetch.js';
import { isFetchDue, nextFetchAt } from './list-schedule.js';

const POLL_MS = 3_600_000;
const at = new Date('2026-11-20T05:00:00Z');
const latest = { startedAt: at } as ListFetch;
const minutesAfter = (failuresInRow: number) =>
  (nextFetchAt({ latest, failuresInRow }, POLL_MS).getTime() - at.getTime()) / 60_000;

describe('nextFetchAt', () => {
  it('an address that was never asked is due', () => {
    expect(nextFetchAt({ latest: null, failuresInRow: 0 }, POLL_MS).getTime()).toBe(0);
  });

  it('comes every hour, and after failures sooner, with a back-off that ends at the hour', () => {
    expect([0, 1, 2, 3, 4, 5, 6, 7, 20].map(minutesAfter)).toEqual([60, 1, 2, 4, 8, 16, 32, 60, 60]);
  });
});

it('an address is due when its time has come, and when the clock was set back behind its last fetch', () => {
  const isDue = (ms: number) =>
    isFetchDue({ latest, failuresInRow: 0 }, new Date(at.getTime() + ms), POLL_MS);
  expect([-1, 0, POLL_MS - 1, POLL_MS].map(isDue)).toEqual([true, false, false, true]);
});
