import type { ListFetch } from './list-fetch.repository.js';
import { DAY_MS, isFetchDue, judgeList, judgeUnchanged, nextFetchAt } from './list-judgement.js';

const POLL_MS = 3_600_000;
const TAKEN_AT = new Date('2026-11-20T05:00:00Z');
const COLUMNS = ['date', 'eligible purge time', 'domain name'];
const HEADER = COLUMNS.join(',');

const list = (
  given: Partial<{ header: string[]; newestDay: string; rows: number; rowsSha256: string }> = {},
) => ({
  header: COLUMNS,
  newestDay: '2026-11-20',
  rows: 100,
  rowsSha256: 'new',
  ...given,
});
const imported = (given: Partial<ListFetch> = {}): ListFetch => ({
  id: 1,
  address: 'https://lists.example/deleted',
  kind: 'deleted',
  startedAt: TAKEN_AT,
  finishedAt: TAKEN_AT,
  httpStatus: 200,
  etag: null,
  lastModified: null,
  bytes: 3_000,
  header: HEADER,
  newestDay: '2026-11-20',
  rows: 100,
  sha256: 'old',
  rowsSha256: 'old',
  rejected: 0,
  ahead: 0,
  outcome: 'imported',
  detail: null,
  isAccepted: false,
  ...given,
});
const after = (ms: number) => new Date(TAKEN_AT.getTime() + ms);
const judge = (given: Parameters<typeof list>[0], lastImported: ListFetch | null = imported(), ms = DAY_MS) =>
  judgeList(list(given), { lastImported, wasImported: false }, after(ms), POLL_MS);

describe('judgeList', () => {
  it('has the first list of an address, and another one, imported', () => {
    expect(judge({}, null)).toEqual({ verdict: 'import' });
    expect(judge({})).toEqual({ verdict: 'import' });
  });

  it.each([
    [51, 'import'],
    [50, 'alarm'],
    [1, 'alarm'],
    [100_000, 'import'],
  ])('of 100 rows before, and %i rows now, makes: %s', (rows, verdict) => {
    expect(judge({ rows })).toMatchObject({ verdict });
  });

  it('sounds an alarm for a list without rows, also for the first', () => {
    expect(judge({ rows: 0 }, null)).toEqual({ verdict: 'alarm', why: 'There is no row below the header.' });
  });

  it.each([
    ['a column less', ['date', 'domain name']],
    ['a column more', [...COLUMNS, 'registrar']],
    ['another column', ['date', 'purge', 'domain name']],
    ['our own layout', ['domain', 'wayback']],
    ['no header', []],
    ['a web page', ['<!doctype html>']],
  ])('sounds an alarm for %s, also in the first list', (_, header) => {
    expect(judge({ header }, null)).toMatchObject({
      verdict: 'alarm',
      why: expect.stringMatching(/^The header is/),
    });
  });

  it('takes the columns in any order at first, and in that order from then on', () => {
    const header = ['domain name', 'date', 'eligible purge time'];
    expect(judge({ header }, null)).toEqual({ verdict: 'import' });
    expect(judge({ header })).toMatchObject({ verdict: 'alarm', why: expect.stringContaining('and was') });
  });

  it('leaves the same rows alone for a day and a poll, and sounds an alarm from then on', () => {
    expect(judge({ rowsSha256: 'old' }, imported(), DAY_MS + POLL_MS - 1)).toEqual({ verdict: 'unchanged' });
    expect(judge({ rowsSha256: 'old' }, imported(), DAY_MS + POLL_MS)).toEqual({
      verdict: 'alarm',
      why: 'It holds what it held on 2026-11-20T05:00:00.000Z, though a new list is due every day.',
    });
    expect(judgeUnchanged(imported(), after(DAY_MS + POLL_MS), POLL_MS)).toMatchObject({ verdict: 'alarm' });
  });

  it('sounds an alarm for a list of earlier days', () => {
    const history = { lastImported: imported(), wasImported: true };
    const judgeOf = (newestDay: string | null) =>
      judgeList({ ...list(), newestDay }, history, after(DAY_MS), POLL_MS);
    for (const day of ['2026-11-19', null])
      expect(judgeOf(day)).toMatchObject({ verdict: 'alarm', why: expect.stringContaining('older list') });
    // A revision was taken back.
    expect(judgeOf('2026-11-20')).toEqual({ verdict: 'import' });
  });
});

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
