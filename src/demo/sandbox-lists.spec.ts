import { LIST_KINDS } from '../config/product.js';
import { purgeTimeOf } from '../ingest/import/reading/drop-list.js';
import { sandboxListAt, soonPurgeTimes } from './sandbox-lists.js';

const rowsOf = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => line.split(','));

describe('the made-up lists', () => {
  it.each([
    '2026-11-22T05:00:00.500Z',
    '2026-11-22T23:58:59Z',
    '2026-11-22T23:59:00Z',
    '2026-11-22T23:59:59.999Z',
    '2026-12-31T23:58:45Z',
  ])('of a demo that starts at %s are purged within two minutes', (start) => {
    const startedAt = new Date(start);
    const times = soonPurgeTimes(startedAt);
    for (const kind of LIST_KINDS)
      for (const [date = '', time = ''] of rowsOf(sandboxListAt(kind, startedAt, times).text)) {
        const aheadMs = purgeTimeOf(date, time, kind, times).getTime() - startedAt.getTime();
        expect(aheadMs).toBeGreaterThan(50_000);
        expect(aheadMs).toBeLessThanOrEqual(120_000);
      }
  });

  it('are the same until their purge, and other ones from then on, for the day after', () => {
    const startedAt = new Date('2026-11-22T05:00:00Z');
    const times = soonPurgeTimes(startedAt);
    const at = (seconds: number) =>
      sandboxListAt('deleted', new Date(startedAt.getTime() + seconds * 1000), times);
    expect(at(59.9)).toEqual(at(0));
    expect(at(60).text).not.toBe(at(0).text);
    expect(at(86_459)).toEqual(at(60));
    expect(sandboxListAt('expired', startedAt, times).text).not.toBe(at(0).text);
  });
});
