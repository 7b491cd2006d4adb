import { holdNames } from '../../src/domains/name/name-rules.js';
import { UpcomingDropRepository } from '../../src/domains/feed/upcoming-drop.repository.js';
import { QueueLengthRepository } from '../../src/domains/freshness/queue-length.repository.js';
import { QuestionQueue } from '../../src/domains/lifecycle/question-queue.repository.js';
import type { RegistryState } from '../../src/domains/schema/states.js';
import type { ListFetch } from '../../src/ingest/lists/list-fetch.repository.js';
import type { ListFetcher } from '../../src/ingest/lists/list-fetcher.js';
import { countsOf, importText, readDataset } from '../support/import.js';
import { lifecycleOn } from '../support/lifecycle.js';
import { listOf, type ListsTest, namesOf, startListsTest } from '../support/lists.js';

// Published at 05:00, purged the day after at 03:00.
const NOW = new Date('2026-11-20T05:00:00Z');
const DAY = '2026-11-21';
const PURGE = new Date('2026-11-21T03:00:00Z');
const later = (hours: number) => new Date(NOW.getTime() + hours * 3_600_000);
const BEFORE = ['coffee.com.au', 'milk.com.au', 'tea.com.au'];
const WITHOUT_TEA = ['coffee.com.au', 'milk.com.au'];

let test: ListsTest;
beforeEach(async () => {
  test = await startListsTest();
});
afterEach(() => test.close());

async function fetchAt(hours: number, text: string, fetcher: ListFetcher = test.fetcher()) {
  test.lists.publish('deleted', text, later(hours));
  const fetch = await fetcher.fetchDue(later(hours));
  if (!fetch) throw new Error('no list was due');
  return fetch;
}

const load = (text: string, hours = 0) =>
  importText(test.database, text, {
    now: later(hours),
    listKind: 'deleted',
    revision: { of: 'files', ifImplausible: 'keep' },
  });

const statesOf = async () => {
  const rows = await test.database.query<{ domain: string; state: string }>(
    'SELECT domain, state FROM domain ORDER BY domain',
  );
  return Object.fromEntries(rows.map(({ domain, state }) => [domain, state]));
};
const newEvents = async (after: number) => (await readDataset(test.database)).events.slice(after);

describe('a fetched list that is revised', () => {
  it('takes the names off that it no longer has, and lists them again when it has them again', async () => {
    await fetchAt(0, listOf(DAY, BEFORE));
    expect(await fetchAt(1, listOf(DAY, WITHOUT_TEA))).toMatchObject({
      outcome: 'imported',
      detail: '1 names are no longer on it.',
    } satisfies Partial<ListFetch>);
    expect(await statesOf()).toMatchObject({ 'coffee.com.au': 'listed', 'tea.com.au': 'delisted' });
    expect(await newEvents(3)).toEqual(['4 domain.delisted tea.com.au']);
    const upcoming = new UpcomingDropRepository(test.database);
    expect(
      await upcoming.listRuns(
        { suffixes: [], day: undefined, kind: undefined, q: undefined, minWayback: 0 },
        later(1),
      ),
    ).toMatchObject([{ names: 2 }]);

    // The same rows as the first list: of the same day that is no older list.
    expect(await fetchAt(2, listOf(DAY, BEFORE))).toMatchObject({ outcome: 'imported', detail: null });
    expect(await statesOf()).toMatchObject({ 'tea.com.au': 'listed' });
    expect(await newEvents(4)).toEqual(['5 domain.listed tea.com.au']);
    expect(await fetchAt(3, listOf(DAY, WITHOUT_TEA))).toMatchObject({ outcome: 'imported' });
    expect(await statesOf()).toMatchObject({ 'tea.com.au': 'delisted' });
  });

  it('still has a name that came to be held back meanwhile', async () => {
    await fetchAt(0, listOf(DAY, BEFORE));
    holdNames([{ domain: 'tea.com.au', what: 'contested', source: 'a list', asOf: '2026-11-20' }]);
    try {
      await fetchAt(1, listOf(DAY, [...BEFORE, 'more.com.au']));
    } finally {
      holdNames([]);
    }
    expect(await statesOf()).toMatchObject({ 'tea.com.au': 'listed', 'more.com.au': 'listed' });
  });

  it('that lacks more than a fifth of its day is an alarm, and takes them off when an operator accepts it', async () => {
    const names = namesOf(DAY, 100);
    await fetchAt(0, listOf(DAY, names));
    expect(await fetchAt(1, listOf(DAY, [...names.slice(21), 'new.com.au']))).toMatchObject({
      outcome: 'alarm',
      detail: 'It lacks 21 of the 100 names that the list of the same day had.',
    });
    const states = await statesOf();
    expect(Object.values(states)).toEqual(names.map(() => 'listed'));
    await test.fetcher().fetchAll(later(2), { acceptsAlarms: true });
    expect(Object.values(await statesOf()).filter((state) => state === 'delisted')).toHaveLength(21);
    expect(await statesOf()).toMatchObject({ 'new.com.au': 'listed' });
  });

  it('says nothing of the names of other days, and of other runs of the same day', async () => {
    // 03:00 and later is purged the day after.
    const late = listOf(DAY, ['late.com.au'], '04:00:00');
    await fetchAt(0, listOf(DAY, BEFORE) + late.slice(late.indexOf('\n') + 1));
    const next = listOf('2026-11-22', ['next.com.au', 'more.com.au', 'yet.com.au'], '01:00:00');
    const nextDay = listOf(DAY, ['early.com.au'], '05:00:00');
    await fetchAt(1, next);
    expect(Object.values(await statesOf())).toEqual(Array.from({ length: 7 }, () => 'listed'));
    expect(await load(nextDay.replace('05:00:00', '02:00:00'), 2)).toMatchObject({ delisted: 0 });
    expect(Object.values(await statesOf())).toEqual(Array.from({ length: 8 }, () => 'listed'));
  });

  it('has a name also where the rest of its row is refused', async () => {
    await fetchAt(0, listOf(DAY, BEFORE));
    const text = listOf(DAY, [...WITHOUT_TEA, 'new.com.au']) + `${DAY},25:00:00,tea.com.au\n`;
    expect(await fetchAt(1, text)).toMatchObject({ outcome: 'imported', rejected: 1 });
    expect(await statesOf()).toMatchObject({ 'tea.com.au': 'listed', 'new.com.au': 'listed' });
  });

  it('tells nobody of a hidden name', async () => {
    await fetchAt(0, listOf(DAY, BEFORE));
    await test.database.query(`UPDATE domain SET hidden = true WHERE domain = 'tea.com.au'`);
    await fetchAt(1, listOf(DAY, WITHOUT_TEA));
    expect(await statesOf()).toMatchObject({ 'tea.com.au': 'delisted' });
    expect(await newEvents(3)).toEqual([]);
  });

  it('of several addresses takes off its own names only', async () => {
    const { deleted } = test.lists.urls;
    const fetcher = test.fetcher({ LIST_DELETED_URLS: `${deleted},${deleted}/second` });
    await fetchAt(0, listOf(DAY, BEFORE), fetcher);
    await fetchAt(0, listOf(DAY, [...BEFORE, 'other.com.au']), fetcher);
    await fetchAt(1, listOf(DAY, WITHOUT_TEA), fetcher);
    expect(await statesOf()).toMatchObject({ 'tea.com.au': 'delisted', 'other.com.au': 'listed' });
  });
});

describe('a file that is imported by hand', () => {
  it('revises an earlier file of the same kind and day', async () => {
    await load(listOf(DAY, BEFORE));
    const report = await load(listOf(DAY, [...WITHOUT_TEA, 'new.com.au']), 1);
    expect({ ...countsOf(report), delisted: report.delisted }).toEqual({
      ...{ added: 1, changed: 0, unchanged: 2, rejected: 0, repeated: 0 },
      delisted: 1,
    });
    expect(await statesOf()).toMatchObject({ 'tea.com.au': 'delisted' });
  });

  it('that is a part of its list leaves the other part listed, and says so', async () => {
    await load(listOf(DAY, BEFORE));
    const report = await load(listOf(DAY, ['new.com.au']), 1);
    expect(report).toMatchObject({ added: 1, delisted: 0, keptListed: 3 });
    expect(await statesOf()).toMatchObject({ 'tea.com.au': 'listed' });
  });

  it('takes off nothing that a fetched list has, as it may be older', async () => {
    await fetchAt(0, listOf(DAY, BEFORE));
    expect(await load(listOf(DAY, WITHOUT_TEA), 1)).toMatchObject({ delisted: 0, keptListed: 0 });
    expect(await statesOf()).toMatchObject({ 'tea.com.au': 'listed' });
  });
});

describe('a delisted name', () => {
  const answerAt = (state: RegistryState, checkedAt: Date) =>
    lifecycleOn(test.database).observeAnswer('tea.com.au', {
      state,
      source: 'rdap',
      checkedAt,
      registeredAt: null,
    });
  beforeEach(async () => {
    await fetchAt(0, listOf(DAY, BEFORE));
    await fetchAt(1, listOf(DAY, WITHOUT_TEA));
  });

  it('is no purge, and is asked about when its purge date has come, also after an answer before it', async () => {
    const queue = new QuestionQueue(test.database);
    expect(await queue.next(later(20))).toBeNull();
    await answerAt('registered', later(20));
    expect(await statesOf()).toMatchObject({ 'tea.com.au': 'delisted' });
    expect(await queue.next(later(21))).toBeNull();
    await lifecycleOn(test.database).observePurges(PURGE, 10);
    expect(await statesOf()).toMatchObject({ 'coffee.com.au': 'purged', 'tea.com.au': 'delisted' });
    const { lengths } = await new QueueLengthRepository(test.database).measure(PURGE);
    expect(lengths.retry).toMatchObject({ waiting: 1 });
  });

  it.each<[RegistryState, string, string[]]>([
    ['available', 'available', ['5 domain.dropped tea.com.au']],
    ['registered', 'rescued', ['5 domain.rescued tea.com.au']],
    ['pending_purge', 'purged', []],
  ])('that a registry calls %s after that date is %s', async (said, state, events) => {
    await answerAt(said, new Date(PURGE.getTime() + 60_000));
    expect(await statesOf()).toMatchObject({ 'tea.com.au': state });
    expect(await newEvents(4)).toEqual(events);
  });

  it('that comes on the list of a later day is listed again', async () => {
    await fetchAt(2, listOf('2026-11-22', ['tea.com.au', 'more.com.au']));
    expect(await statesOf()).toMatchObject({ 'tea.com.au': 'listed' });
    expect(await newEvents(4)).toEqual(['5 domain.listed more.com.au', '6 domain.listed tea.com.au']);
  });
});
