import { gzipSync } from 'node:zlib';
import { findDomain } from '../../src/domains/domain.repository.js';
import { ArchiveQueue } from '../../src/archive/archive-queue.repository.js';
import { QueueLengthRepository } from '../../src/domains/freshness/queue-length.repository.js';
import { QuestionQueue } from '../../src/domains/lifecycle/question-queue.repository.js';
import { ImportError } from '../../src/ingest/import/reading/import-error.js';
import { describeReport } from '../../src/ingest/import/import-report.js';
import type { ImportOptions } from '../../src/ingest/import/importer.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { settle } from '../support/domains.js';
import { countsOf, importText, importVouched, readDataset } from '../support/import.js';
import { lifecycleOn } from '../support/lifecycle.js';

const HEADER = 'Date,Eligible Purge Time,Domain Name\n';
const NOON = new Date('2026-11-20T12:00:00Z');
const minutesAfter = (time: string, minutes: number) => new Date(Date.parse(time) + minutes * 60_000);

let test: TestDatabase;
beforeEach(async () => {
  test = await createTestDatabase();
});
afterEach(() => test.close());

const load = (rows: string, options: Partial<ImportOptions> = {}) =>
  importText(test.database, rows, { now: NOON, ...options });
const list = (rows: string, options: Partial<ImportOptions> = {}) => load(HEADER + rows, options);
const find = async (domain: string) => findDomain(domain, test.database);
const stateOf = async (domain: string) => (await find(domain))?.state;
const events = async () => (await readDataset(test.database)).events;
const answer = (domain: string, state: 'available' | 'registered', checkedAt: Date) =>
  lifecycleOn(test.database).observeAnswer(domain, {
    state,
    source: 'rdap',
    checkedAt,
    registeredAt: null,
  });

describe('a drop list', () => {
  const ROWS = '2026-11-20,02:59:59,past.com.au\n20/11/2026,03:00:00,ahead.com.au\n';

  it.each([
    ['deleted', '2026-11-20T03:00:00.000Z', '2026-11-21T03:00:00.000Z'],
    ['expired', '2026-11-20T03:30:00.000Z', '2026-11-21T03:30:00.000Z'],
    [null, '2026-11-20T03:30:00.000Z', '2026-11-21T03:30:00.000Z'],
  ] as const)('of the kind %s sets the purge, and offers nothing', async (listKind, past, ahead) => {
    const report = await list(ROWS, { listKind, listSource: 'https://lists.example/today' });
    expect(await find('past.com.au')).toMatchObject({
      state: 'purged',
      available: false,
      listKind,
      listSource: 'https://lists.example/today',
      listedAt: NOON,
      purgeAt: new Date(past),
      firstSeen: '2026-11-20',
      checkedAt: null,
      droppedAt: null,
      confirmedBy: null,
    });
    expect(await find('ahead.com.au')).toMatchObject({ state: 'listed', purgeAt: new Date(ahead) });
    expect(await readDataset(test.database)).toMatchObject({
      availableRecords: 0,
      events: ['1 domain.listed ahead.com.au'],
    });
    expect(report.dropList).toEqual({ kind: listKind, ahead: 1 });
    expect(describeReport(report)).toContain(
      `Purges ahead: 1 (${listKind ?? 'of a list whose kind is not known'}).`,
    );
  });

  it('is of the kind that its name speaks of', async () => {
    await list(ROWS, { listKind: undefined });
    expect(await find('past.com.au')).toMatchObject({ listKind: null, listSource: 'test.csv' });
  });

  it('says nothing new a second time', async () => {
    await list(ROWS, { listKind: 'deleted' });
    const before = await readDataset(test.database);
    expect(countsOf(await list(ROWS, { listKind: 'deleted' }))).toMatchObject({ changed: 0, unchanged: 2 });
    // An older kind of knowledge: the hour of the same purge.
    expect(countsOf(await list(ROWS, { listKind: null }))).toMatchObject({ changed: 0, unchanged: 2 });
    expect(await readDataset(test.database)).toEqual(before);
  });

  it('that knows the hour better corrects it, without another event', async () => {
    await list(ROWS, { listKind: null });
    await list(ROWS, { listKind: 'deleted' });
    expect(await find('ahead.com.au')).toMatchObject({
      state: 'listed',
      listKind: 'deleted',
      purgeAt: new Date('2026-11-21T03:00:00Z'),
    });
    expect(await events()).toHaveLength(1);
  });

  it('of an earlier purge than the one that is known is old news', async () => {
    await list('2026-11-20,03:00:00,later.com.au\n');
    await list('2026-11-10,02:00:00,later.com.au\n');
    expect(await find('later.com.au')).toMatchObject({ state: 'listed', firstSeen: '2026-11-20' });
  });

  it('takes a name from offer that it lists again, and says so to those who were told of it', async () => {
    await importVouched(
      test.database,
      'domain,first_seen,hidden\nold.com.au,2025-01-01,\nsecret.com.au,2025-01-01,true\n',
    );
    await list('2026-11-20,03:00:00,old.com.au\n2026-11-20,03:00:00,secret.com.au\n');
    expect(await find('old.com.au')).toMatchObject({
      state: 'listed',
      available: false,
      droppedAt: null,
      confirmedBy: null,
      firstSeen: '2026-11-20',
    });
    expect(await readDataset(test.database)).toMatchObject({
      availableRecords: 0,
      events: ['1 domain.dropped old.com.au', '2 domain.taken old.com.au', '3 domain.listed old.com.au'],
    });
  });

  it('has a name scored again that it lists again, as a new drop; until then the row shows the score of before', async () => {
    await importVouched(
      test.database,
      'domain,first_seen\nold.com.au,2025-01-01\nwaiting.com.au,2025-01-01\n',
    );
    const score = { firstCapture: '2009-03-14', lastCapture: '2024-05-06', captures: 300 } as const;
    await lifecycleOn(test.database).observeScore('old.com.au', { ...score, status: 'ok', wayback: 120 });
    const queue = new ArchiveQueue(test.database);
    expect(await queue.next(NOON)).toBe('waiting.com.au');
    await list('2026-11-20,01:00:00,old.com.au\n', { listKind: 'deleted' });
    expect(await find('old.com.au')).toMatchObject({
      wayback: 120,
      archive: { ...score, status: 'pending' },
    });
    expect(await queue.next(NOON)).toBe('old.com.au');
    await lifecycleOn(test.database).observeScore('old.com.au', { ...score, status: 'ok', wayback: 121 });
    // The list says nothing new of this drop.
    await list('2026-11-20,01:00:00,old.com.au\n', { listKind: 'deleted' });
    expect(await find('old.com.au')).toMatchObject({ wayback: 121, archive: { status: 'ok' } });
  });

  it('does not bring back a name that was caught after its purge', async () => {
    await importVouched(test.database, 'domain\ncaught.com.au\nearly.com.au\n');
    await settle(test.database, 'caught.com.au', false, minutesAfter('2026-11-20T03:00:00Z', 5));
    await settle(test.database, 'early.com.au', false, minutesAfter('2026-11-20T03:00:00Z', -5));
    await list('2026-11-20,02:00:00,caught.com.au\n2026-11-20,02:00:00,early.com.au\n', {
      listKind: 'deleted',
    });
    expect(await stateOf('caught.com.au')).toBe('taken');
    expect(await stateOf('early.com.au')).toBe('purged');
  });

  it('keeps the operator’s word: who vouches for it after its purge offers it', async () => {
    const vouch = { by: 'registrar-x', at: new Date('2026-11-20T05:00:00Z') };
    await list(ROWS, { vouch, listKind: 'deleted' });
    expect(await find('past.com.au')).toMatchObject({
      state: 'available',
      confirmedBy: 'vouched:registrar-x',
      checkedAt: vouch.at,
      droppedAt: vouch.at,
      purgeAt: new Date('2026-11-20T03:00:00Z'),
    });
    // Nobody can vouch for a purge to come.
    expect(await stateOf('ahead.com.au')).toBe('listed');
    expect(await events()).toEqual(['1 domain.listed ahead.com.au', '2 domain.dropped past.com.au']);
  });

  describe('imported again after the purge', () => {
    const AGAIN = { listKind: 'deleted', asksAgain: true } as const;
    const AFTER = minutesAfter('2026-11-20T03:00:00Z', 30);

    beforeEach(async () => {
      const names = ['free', 'caught', 'waiting', 'late'].map(
        (name) => `2026-11-20,02:00:00,${name}.com.au\n`,
      );
      await list(names.join(''), { listKind: 'deleted' });
      await answer('free.com.au', 'available', AFTER);
      await answer('caught.com.au', 'registered', AFTER);
      await lifecycleOn(test.database).postpone('late.com.au', minutesAfter('2026-11-25T00:00:00Z', 0));
    });

    it('by hand asks again about each name, and changes nothing else', async () => {
      const before = await readDataset(test.database);
      const rows = ['free', 'caught', 'waiting', 'late'].map(
        (name) => `2026-11-20,02:00:00,${name}.com.au\n`,
      );
      const report = await list(rows.join(''), AGAIN);
      expect(report).toMatchObject({ changed: 0, unchanged: 4, askedAgain: 3 });
      expect(describeReport(report)).toContain('Asked about again: 3.');
      expect(await readDataset(test.database)).toEqual(before);
      const due = await test.database.query(
        `SELECT domain, ask_at FROM domain WHERE ask_at IS NOT NULL UNION ALL SELECT domain, ask_at FROM recheck ORDER BY domain`,
      );
      expect(due).toEqual([
        { domain: 'caught.com.au', ask_at: NOON },
        { domain: 'free.com.au', ask_at: NOON },
      ]);
      // The other two are to be confirmed; the one that had to wait no longer does.
      const queue = new QuestionQueue(test.database);
      expect(await queue.next(NOON)).toEqual({ domain: 'late.com.au', reason: 'confirmation' });
    });

    it('by the fetcher asks nothing', async () => {
      const report = await list('2026-11-20,02:00:00,free.com.au\n', { listKind: 'deleted' });
      expect(report).toMatchObject({ unchanged: 1, askedAgain: 0 });
    });
  });
});

describe('rows without evidence', () => {
  it.each([
    ['into an empty dataset', false],
    ['beside other rows', true],
  ])('come in as unconfirmed, %s', async (_, hasRows) => {
    if (hasRows) await importVouched(test.database, 'domain\nother.com.au\n');
    const before = await readDataset(test.database);
    await load('domain,wayback,first_seen\nmade-up.com.au,2000000,2026-11-19\n');
    expect(await find('made-up.com.au')).toMatchObject({
      state: 'unconfirmed',
      available: false,
      checkedAt: null,
      confirmedBy: null,
      droppedAt: null,
      wayback: 2_000_000,
    });
    const { availableRecords, events: after } = await readDataset(test.database);
    expect({ availableRecords, after }).toEqual({
      availableRecords: before.availableRecords,
      after: before.events,
    });
  });

  it('are available when a registry says so, which is news for a week after their day', async () => {
    await load('domain,first_seen\nnew.com.au,2026-11-19\nold.com.au,2026-10-01\nundated.com.au,\n');
    for (const name of ['new', 'old', 'undated']) await answer(`${name}.com.au`, 'available', NOON);
    expect(await readDataset(test.database)).toMatchObject({
      availableRecords: 3,
      events: ['1 domain.dropped new.com.au'],
    });
  });

  it('leave a name on offer that is confirmed', async () => {
    await importVouched(test.database, 'domain,first_seen\nsurf.com.au,2026-01-01\n');
    expect(countsOf(await load('domain,first_seen\nsurf.com.au,2026-11-19\n'))).toMatchObject({
      unchanged: 1,
    });
    expect(await stateOf('surf.com.au')).toBe('available');
  });
});

describe('a file of scores', () => {
  it.each([
    'domain,wayback\nthere.com.au,7\nabsent.com.au,9\n',
    'domain,hidden\nthere.com.au,true\nabsent.com.au,true\n',
  ])('changes what is there and adds nothing: %j', async (text) => {
    await importVouched(test.database, 'domain\nthere.com.au\n');
    const report = await load(text);
    expect(countsOf(report)).toMatchObject({ added: 0, changed: 1, unchanged: 0 });
    expect(report.absent).toBe(1);
    expect(describeReport(report)).toMatch(/absent +1\n[^]*--add adds them/);
    expect(await find('absent.com.au')).toBeNull();
  });

  it('adds nothing to an empty dataset either', async () => {
    expect(await load('domain,wayback\nabsent.com.au,9\n')).toMatchObject({ added: 0, absent: 1 });
  });

  it('adds names when it is told to', async () => {
    expect(await load('domain,wayback\nadded.com.au,9\n', { adds: true })).toMatchObject({
      added: 1,
      absent: 0,
    });
    expect(await find('added.com.au')).toMatchObject({ state: 'unconfirmed', wayback: 9 });
  });
});

describe('names that somebody vouches for', () => {
  const vouch = { by: 'registrar-x', at: new Date('2026-11-19T00:00:00Z') };
  const ROWS = 'domain,first_seen\nnew.com.au,2026-11-13\nold.com.au,2026-11-11\nundated.com.au,\n';

  it.each([
    ['into an empty dataset', false],
    ['beside other rows', true],
  ])('are offered on that word, which is news for a week after their day, %s', async (_, hasRows) => {
    if (hasRows) await load('domain\nother.com.au\n');
    await load(ROWS, { vouch });
    expect(await find('old.com.au')).toMatchObject({
      state: 'available',
      confirmedBy: 'vouched:registrar-x',
      checkedAt: vouch.at,
      droppedAt: vouch.at,
    });
    expect(await readDataset(test.database)).toMatchObject({
      availableRecords: 3,
      events: ['1 domain.dropped new.com.au'],
    });
    expect(countsOf(await load(ROWS, { vouch }))).toMatchObject({ changed: 0, unchanged: 3 });
  });

  it('are all announced when the operator asks for events', async () => {
    await load(ROWS, { vouch, announcesOldDrops: true });
    expect(await events()).toHaveLength(3);
  });

  it('are not taken on a word about the future', async () => {
    const future = { by: 'x', at: minutesAfter('2026-11-20T12:00:00Z', 1) };
    await expect(load(ROWS, { vouch: future })).rejects.toThrow(ImportError);
  });

  it('keep the newer answer', async () => {
    await load(ROWS, { vouch });
    await answer('old.com.au', 'available', NOON);
    await load(ROWS, { vouch });
    expect(await find('old.com.au')).toMatchObject({ confirmedBy: 'rdap', checkedAt: NOON });
  });
});

describe('of rows that name a domain twice', () => {
  it.each([
    ['an empty dataset', false],
    ['a dataset with rows', true],
  ])('the newest counts, into %s', async (_, hasRows) => {
    if (hasRows) await load('domain\nother.com.au\n');
    const report = await load(
      'domain,wayback,first_seen\ntwice.com.au,1,2026-11-19\ntwice.com.au,2,2026-10-01\ntwice.com.au,3,\nties.com.au,4,2026-11-01\nties.com.au,5,2026-11-01\n',
    );
    expect(await find('twice.com.au')).toMatchObject({ wayback: 1, firstSeen: '2026-11-19' });
    expect(await find('ties.com.au')).toMatchObject({ wayback: 5 });
    expect(report.rejects).toEqual([
      { line: 3, text: 'twice.com.au', reason: 'repeated on line 2, which counts' },
      { line: 4, text: 'twice.com.au', reason: 'repeated on line 2, which counts' },
      { line: 5, text: 'ties.com.au', reason: 'repeated on line 6, which counts' },
    ]);
  });

  it('of a drop list the later purge counts', async () => {
    await list('2026-11-20,04:00:00,twice.com.au\n2026-11-10,01:00:00,twice.com.au\n');
    expect(await find('twice.com.au')).toMatchObject({ state: 'listed', firstSeen: '2026-11-20' });
  });
});

it.each(['utf16le', 'utf16be'])(
  'a list in %s is read, also where a character is cut, and packed',
  async (encoding) => {
    const text = Buffer.from('\ufeff' + HEADER + '2026-11-20,02:59:59,past.com.au\r\n', 'utf16le');
    const bytes = encoding === 'utf16le' ? text : Buffer.from(text).swap16();
    const chunks = Array.from(bytes, (byte) => Buffer.from([byte]));
    expect(countsOf(await importText(test.database, chunks, { now: NOON }))).toMatchObject({
      added: 1,
      rejected: 0,
    });
    expect(countsOf(await importText(test.database, gzipSync(bytes), { now: NOON }))).toMatchObject({
      unchanged: 1,
    });
    expect(await stateOf('past.com.au')).toBe('purged');
  },
);

it('more names than are counted are estimated, from the statistics of the table', async () => {
  const rows = Array.from({ length: 300 }, (_, place) => `2026-11-20,02:00:00,name${place}.com.au\n`).join(
    '',
  );
  await list(rows, { listKind: 'deleted' });
  const queues = new QueueLengthRepository(test.database);
  const drops = async (limit: number) => (await queues.measure(NOON, limit)).lengths.drops;
  expect(await drops(500)).toMatchObject({ waiting: 300, precision: 'exact' });
  expect(await drops(100)).toMatchObject({ waiting: expect.any(Number), precision: expect.any(String) });
  await test.database.query('ANALYZE domain');
  expect(await drops(100)).toMatchObject({ waiting: 300, precision: 'estimated' });
});
