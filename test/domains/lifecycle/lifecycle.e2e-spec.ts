import { Client } from 'pg';
import { CubeCheck } from '../../../src/domains/search/cube/cube.repository.js';
import { findDomain } from '../../../src/domains/domain.repository.js';
import type { Lifecycle, Outcome } from '../../../src/domains/lifecycle/lifecycle.js';
import type { RegistryState } from '../../../src/domains/schema/states.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { addDomain, settle, VOUCHED_AT, whenUnlocked } from '../../support/domains.js';
import { importText, importVouched, readDataset } from '../../support/import.js';
import { lifecycleOn } from '../../support/lifecycle.js';

const PURGE = new Date('2026-11-20T03:00:00Z');
const after = (minutes: number) => new Date(PURGE.getTime() + minutes * 60_000);
const NAME = 'surf.com.au';

let test: TestDatabase;
let lifecycle: Lifecycle;
beforeEach(async () => {
  test = await createTestDatabase();
  lifecycle = lifecycleOn(test.database);
});
afterEach(() => test.close());

const find = (domain = NAME) => findDomain(domain, test.database);
const answer = (
  state: RegistryState,
  checkedAt: Date,
  { domain = NAME, registeredAt = null }: { domain?: string; registeredAt?: Date | null } = {},
): Promise<Outcome> => lifecycle.observeAnswer(domain, { state, source: 'rdap', checkedAt, registeredAt });
/** Names whose purge runs at PURGE, listed the day before. */
const list = (...names: string[]) =>
  importText(
    test.database,
    `Date,Eligible Purge Time,Domain Name\n${names.map((name) => `2026-11-19,04:00:00,${name}\n`).join('')}`,
    { now: after(-600), listKind: 'deleted' },
  );
const events = async () => (await readDataset(test.database)).events;
const recheckOf = async (domain = NAME) =>
  (
    await test.database.query('SELECT ask_at, checked_at, offered FROM recheck WHERE domain = $1', [domain])
  )[0];

const NOT_CAPTURED = { firstCapture: null, lastCapture: null, captures: 0 };

describe('the life of a name', () => {
  it('goes from a list to its purge, to offer, and to somebody who takes it', async () => {
    await list(NAME);
    expect(await answer('pending_delete', after(-5))).toMatchObject({
      known: true,
      from: 'listed',
      to: 'listed',
    });
    expect(await lifecycle.observePurges(after(-1), 10)).toBe(0);
    expect(await lifecycle.observePurges(after(0), 10)).toBe(1);
    expect(await find()).toMatchObject({
      state: 'purged',
      available: false,
      registryState: 'pending_delete',
    });
    expect(await answer('available', after(1))).toMatchObject({
      from: 'purged',
      to: 'available',
      event: 'domain.dropped',
      name: { wayback: 0, droppedAt: null, checkedAt: after(-5) },
    });
    expect(await find()).toMatchObject({
      state: 'available',
      available: true,
      checkedAt: after(1),
      confirmedBy: 'rdap',
      droppedAt: after(1),
      registryState: 'available',
    });
    expect(await recheckOf()).toMatchObject({ checked_at: after(1), offered: true });
    expect(await answer('available', after(60))).toMatchObject({ to: 'available', event: null });
    expect(await find()).toMatchObject({ checkedAt: after(60), droppedAt: after(1) });
    expect((await readDataset(test.database)).availableRecords).toBe(1);
    expect(await answer('registered', after(90))).toMatchObject({ to: 'taken', event: 'domain.taken' });
    expect(await recheckOf()).toBeUndefined();
    expect(await readDataset(test.database)).toMatchObject({
      availableRecords: 0,
      events: [
        `1 domain.listed ${NAME}`,
        `2 domain.purged ${NAME}`,
        `3 domain.dropped ${NAME}`,
        `4 domain.taken ${NAME}`,
      ],
    });
  });

  it('an event has the time of its answer, but never one before the last event', async () => {
    await list(NAME, 'reef.com.au');
    await answer('available', after(10));
    await answer('available', after(5), { domain: 'reef.com.au' });
    const times = await test.database.query<{ occurred_at: Date }>(
      `SELECT occurred_at FROM domain_event WHERE type = 'domain.dropped' ORDER BY number`,
    );
    expect(times.map(({ occurred_at }) => occurred_at)).toEqual([after(10), after(10)]);
  });

  it('tells a name that was caught from one that never dropped', async () => {
    await list(NAME, 'reef.com.au');
    await lifecycle.observePurges(after(0), 10);
    await answer('registered', after(10), { registeredAt: after(5) });
    await answer('registered', after(10), { domain: 'reef.com.au', registeredAt: after(-500_000) });
    expect(await find()).toMatchObject({ state: 'taken', confirmedBy: 'rdap', checkedAt: after(10) });
    expect(await find('reef.com.au')).toMatchObject({ state: 'rescued' });
    expect((await events()).slice(2)).toEqual([
      '3 domain.purged reef.com.au',
      `4 domain.purged ${NAME}`,
      '5 domain.rescued reef.com.au',
    ]);
  });

  it('knows by the clock that a purge is over before the job has noted it', async () => {
    await list(NAME);
    expect(await answer('available', after(1))).toMatchObject({
      from: 'listed',
      to: 'available',
      event: 'domain.dropped',
    });
  });

  it('a name that is on offer and called pending is withdrawn without an event, and may come back', async () => {
    await importVouched(test.database, `domain\n${NAME}\n`);
    expect(await answer('pending_delete', after(0))).toMatchObject({ to: 'unconfirmed', event: null });
    expect(await find()).toMatchObject({ available: false, checkedAt: after(0), confirmedBy: null });
    expect((await readDataset(test.database)).availableRecords).toBe(0);
    expect(await answer('available', after(10))).toMatchObject({ to: 'available', event: null });
    // The same drop as before, of which everybody was told.
    expect(await find()).toMatchObject({ droppedAt: VOUCHED_AT });
    expect(await events()).toEqual([`1 domain.dropped ${NAME}`]);
  });

  it('a name that was taken is announced again when it drops once more', async () => {
    await importVouched(test.database, `domain\n${NAME}\n`);
    expect(await answer('registered', after(0))).toMatchObject({ to: 'taken', event: 'domain.taken' });
    await answer('available', after(1));
    expect(await answer('available', after(6))).toMatchObject({ to: 'available', event: 'domain.dropped' });
    expect(await events()).toEqual([
      `1 domain.dropped ${NAME}`,
      `2 domain.taken ${NAME}`,
      `3 domain.dropped ${NAME}`,
    ]);
  });

  it('a name that becomes free without a drop needs a second answer', async () => {
    await addDomain(test.database, { domain: NAME, available: false });
    await lifecycle.observeScore(NAME, { ...NOT_CAPTURED, status: 'none', wayback: 0 });
    expect(await answer('available', after(0))).toMatchObject({
      to: 'taken',
      needsSecondAnswer: true,
      event: null,
    });
    expect(await find()).toMatchObject({
      state: 'taken',
      checkedAt: VOUCHED_AT,
      confirmedBy: 'vouched:test',
    });
    expect(await answer('available', after(4))).toMatchObject({ to: 'taken', needsSecondAnswer: true });
    expect(await answer('registered', after(5))).toMatchObject({ to: 'taken', needsSecondAnswer: false });
    expect(await answer('available', after(6))).toMatchObject({ needsSecondAnswer: true });
    expect(await answer('available', after(11))).toMatchObject({ to: 'available', event: 'domain.dropped' });
    // Somebody has held it meanwhile: the archive may know more of it.
    expect(await find()).toMatchObject({ archive: { status: 'pending' } });
  });

  it('has no events while the operator withholds it, and is told when it is shown again', async () => {
    await importText(test.database, 'domain,hidden,first_seen\nsurf.com.au,true,2026-11-19\n', {
      now: after(0),
    });
    await answer('available', after(1));
    expect(await find()).toMatchObject({ available: true, hidden: true });
    expect(await readDataset(test.database)).toMatchObject({ availableRecords: 0, events: [] });
    await importText(test.database, 'domain,hidden\nsurf.com.au,false\n', { now: after(2) });
    expect(await readDataset(test.database)).toMatchObject({
      availableRecords: 1,
      events: [`1 domain.dropped ${NAME}`],
    });
  });

  it('an answer about a name that the dataset does not have changes nothing', async () => {
    expect(await answer('available', after(0))).toMatchObject({ known: false, from: null, to: null });
    expect(await readDataset(test.database)).toMatchObject({ rows: [], events: [] });
  });
});

describe('time that passes', () => {
  it('purges in batches, the earliest first, and forgets what was said before', async () => {
    await list('b.com.au', 'aa.com.au', 'cc.com.au');
    await test.database.query(
      `INSERT INTO registry_answer (domain, state, source, checked_at, expires_at)
       SELECT domain, 'registered', 'rdap', $1, $2 FROM domain`,
      [after(-5), after(60)],
    );
    expect(await lifecycle.observePurges(after(1), 1)).toBe(1);
    expect(await lifecycle.observePurges(after(1), 5)).toBe(1);
    expect(await lifecycle.observePurges(after(1), 5)).toBe(0);
    expect(await test.database.query('SELECT FROM registry_answer')).toEqual([]);
  });

  it('takes from offer what nobody asked about for too long, without an event, until somebody does', async () => {
    const old = await addDomain(test.database);
    const secret = await addDomain(test.database, { hidden: true });
    const fresh = await addDomain(test.database);
    expect(await lifecycle.scheduleRechecks('', 100)).toMatchObject({ scheduled: 3 });
    await answer('available', after(0), { domain: fresh });
    const atLast = new Date(VOUCHED_AT.getTime() + 120 * 86_400_000);
    expect(await lifecycle.observeStale(atLast, 10)).toBe(0);
    expect(await lifecycle.observeStale(after(0), 1)).toBe(1);
    expect(await lifecycle.observeStale(after(0), 10)).toBe(1);
    expect(await lifecycle.observeStale(after(0), 10)).toBe(0);
    for (const domain of [old, secret])
      expect(await find(domain)).toMatchObject({ state: 'stale', available: false });
    expect(await recheckOf(old)).toMatchObject({ offered: false });
    expect(await readDataset(test.database)).toMatchObject({ availableRecords: 1, events: [] });
    expect(await answer('available', after(1), { domain: old })).toMatchObject({
      from: 'stale',
      to: 'available',
      event: null,
    });
    expect(await recheckOf(old)).toMatchObject({ offered: true, checked_at: after(1) });
    expect((await readDataset(test.database)).availableRecords).toBe(2);
  });

  it('puts a row of the schedule right that no longer agrees with the name', async () => {
    const gone = await addDomain(test.database, { available: false });
    const newer = await addDomain(test.database);
    await test.database.query(
      `INSERT INTO recheck (domain, ask_at, checked_at) VALUES ($1, $3, $3), ($2, $3, $3)`,
      [gone, newer, new Date('2020-01-01T00:00:00Z')],
    );
    expect(await lifecycle.observeStale(new Date('2025-12-02T00:00:00Z'), 10)).toBe(0);
    expect(await test.database.query('SELECT FROM recheck')).toEqual([]);
  });

  it('schedules what an import brought, in batches, once', async () => {
    const rows = ['a1', 'a2', 'a3', 'a4', 'a5'].map((name) => `${name}.com.au\n`).join('');
    await importVouched(test.database, `domain\n${rows}`);
    await answer('registered', after(0), { domain: 'a2.com.au' });
    const first = await lifecycle.scheduleRechecks('', 3);
    expect(first).toEqual({ scheduled: 2, next: 'a3.com.au' });
    expect(await lifecycle.scheduleRechecks(first.next ?? '', 3)).toEqual({
      scheduled: 2,
      next: 'a5.com.au',
    });
    expect(await lifecycle.scheduleRechecks('a5.com.au', 3)).toEqual({ scheduled: 0, next: null });
    expect(await lifecycle.scheduleRechecks('', 3)).toEqual({ scheduled: 0, next: 'a3.com.au' });
    expect(await test.database.query('SELECT FROM recheck')).toHaveLength(4);
  });
});

describe('a score', () => {
  const score = {
    status: 'ok',
    wayback: 120,
    firstCapture: '2001-02-03',
    lastCapture: '2024-05-06',
    captures: 300,
  } as const;

  it('changes the name and nothing else', async () => {
    await addDomain(test.database, { domain: NAME });
    await lifecycle.observeScore(NAME, score);
    expect(await find()).toMatchObject({
      wayback: 120,
      archive: { status: 'ok', firstCapture: '2001-02-03', lastCapture: '2024-05-06', captures: 300 },
      state: 'available',
    });
    expect(await events()).toEqual([]);
  });

  it('that could not be had changes what is known of the archive only when that is nothing', async () => {
    await addDomain(test.database, { domain: NAME, wayback: 7 });
    const failed = {
      status: 'error',
      wayback: null,
      firstCapture: null,
      lastCapture: null,
      captures: null,
    } as const;
    await lifecycle.observeScore(NAME, failed);
    expect(await find()).toMatchObject({ wayback: 7, archive: { status: 'error' } });
    await lifecycle.observeScore(NAME, score);
    await lifecycle.observeScore(NAME, failed);
    expect(await find()).toMatchObject({ wayback: 120, archive: { status: 'ok', captures: 300 } });
  });
});

describe('a registry that contradicts too much', () => {
  it('stops all writes of answers until the operator resumes them', async () => {
    lifecycle = lifecycleOn(test.database, { REGISTRY_MAX_FLIPS_PER_HOUR: '2' });
    const names = await Promise.all(Array.from({ length: 4 }, () => addDomain(test.database)));
    const [first = '', second = '', third = '', fourth = ''] = names;
    await answer('registered', after(0), { domain: first });
    await answer('registered', after(59), { domain: second });
    expect(await lifecycle.readGuard()).toMatchObject({ flips: 2, writesStoppedAt: null, reason: null });
    const before = await readDataset(test.database);
    expect(await answer('registered', after(59), { domain: third })).toMatchObject({
      known: true,
      from: 'available',
      to: 'available',
      isStopped: true,
    });
    expect(await lifecycle.readGuard()).toMatchObject({
      writesStoppedAt: after(59),
      reason: 'more than 2 answers within an hour contradicted what was known',
    });
    expect(await answer('available', after(600), { domain: fourth })).toMatchObject({ isStopped: true });
    expect(await readDataset(test.database)).toEqual(before);
    expect(await lifecycle.resumeWrites('ops', after(600))).toEqual({
      stoppedAt: after(59),
      reason: 'more than 2 answers within an hour contradicted what was known',
      flips: 3,
      resumedAt: after(600),
      resumedBy: 'ops',
    });
    expect(await lifecycle.resumeWrites('ops', after(600))).toBeNull();
    expect(await lifecycle.listResumedWrites(5)).toMatchObject([{ resumedBy: 'ops' }]);
    expect(await answer('registered', after(601), { domain: third })).toMatchObject({
      to: 'taken',
      isStopped: false,
    });
  });

  it('counts names that were registered and are free, and begins anew with the hour', async () => {
    lifecycle = lifecycleOn(test.database, { REGISTRY_MAX_FLIPS_PER_HOUR: '1' });
    const taken = await Promise.all(
      Array.from({ length: 3 }, () => addDomain(test.database, { available: false })),
    );
    const [first = '', second = '', third = ''] = taken;
    expect(await answer('available', after(0), { domain: first })).toMatchObject({ needsSecondAnswer: true });
    expect(await answer('available', after(60), { domain: second })).toMatchObject({
      needsSecondAnswer: true,
    });
    expect(await answer('available', after(61), { domain: third })).toMatchObject({ isStopped: true });
  });

  it('does not count drops that a list foretold', async () => {
    lifecycle = lifecycleOn(test.database, { REGISTRY_MAX_FLIPS_PER_HOUR: '1' });
    const names = Array.from({ length: 5 }, (_, place) => `drop-${place}.com.au`);
    await list(...names);
    for (const domain of names)
      expect(await answer('available', after(1), { domain })).toMatchObject({ to: 'available' });
  });
});

it('an answer that finds a name still free moves no column that an index has', async () => {
  const domain = await addDomain(test.database);
  const columnsOf = async () => {
    const rows = await test.database.query<{ name: string; value: string }>(
      'SELECT key AS name, value::text FROM domain AS row, jsonb_each(to_jsonb(row)) WHERE domain = $1',
      [domain],
    );
    return Object.fromEntries(rows.map(({ name, value }) => [name, value]));
  };
  const before = await columnsOf();
  await answer('available', after(0), { domain });
  const now = await columnsOf();
  const moved = Object.keys(now).filter((column) => now[column] !== before[column]);
  expect(moved.sort()).toEqual(['checked_at', 'confirmed_by', 'registry_state']);
  // Columns of keys, of expressions and of conditions: with one of these, every index would get a new entry.
  const indexed = await test.database.query<{ column: string }>(
    `SELECT DISTINCT attname AS column
       FROM pg_index
       JOIN pg_depend ON classid = 'pg_class'::regclass AND objid = indexrelid AND refobjid = indrelid
       JOIN pg_attribute ON attrelid = indrelid AND attnum = refobjsubid
      WHERE indrelid = 'domain'::regclass`,
  );
  expect(indexed.map(({ column }) => column)).toEqual(
    expect.arrayContaining(['wayback', 'name', 'available', 'ask_at']),
  );
  expect(indexed.map(({ column }) => column).filter((column) => moved.includes(column))).toEqual([]);
});

describe('several at once', () => {
  it('numbers events without a gap, in the order in which they become visible, whoever writes', async () => {
    const names = await Promise.all(Array.from({ length: 40 }, () => addDomain(test.database)));
    const seen: number[] = [];
    let writing = true;
    const reader = (async () => {
      while (writing) {
        const rows = await test.database.query<{ number: number }>(
          'SELECT number::int FROM domain_event WHERE number > $1 ORDER BY number',
          [seen.at(-1) ?? 0],
        );
        seen.push(...rows.map(({ number }) => number));
      }
    })();
    await Promise.all(names.map((domain) => settle(test.database, domain, false, PURGE)));
    const [end] = await test.database.query<{ last: number }>('SELECT last_event::int AS last FROM dataset');
    while ((seen.at(-1) ?? 0) < (end?.last ?? 0)) await new Promise(setImmediate);
    writing = false;
    await reader;
    // A reader that asks for what comes after the last number it saw misses nothing.
    expect(seen).toEqual(Array.from({ length: end?.last ?? 0 }, (_, at) => at + 1));
  });

  it('answers about one name come to one event, in whatever order they are written', async () => {
    await list(NAME);
    const outcomes = await Promise.all(
      [1, 2, 3, 4, 5].map((minutes) => whenUnlocked(() => answer('available', after(minutes)))),
    );
    expect(outcomes.filter(({ event }) => event !== null)).toHaveLength(1);
    expect(await find()).toMatchObject({ state: 'available', checkedAt: after(5) });
    expect((await readDataset(test.database)).availableRecords).toBe(1);
  });

  it('a purge leaves rows alone that somebody holds, and comes back for them', async () => {
    await list(NAME, 'reef.com.au');
    const holder = new Client({ connectionString: test.url });
    await holder.connect();
    await holder.query('BEGIN');
    await holder.query('SELECT FROM domain WHERE domain = $1 FOR UPDATE', [NAME]);
    expect(await lifecycle.observePurges(after(1), 10)).toBe(1);
    await holder.query('COMMIT');
    await holder.end();
    expect(await lifecycle.observePurges(after(1), 10)).toBe(1);
  });

  it.each([
    ['the row', `SELECT FROM domain WHERE domain = 'surf.com.au' FOR UPDATE`],
    ['the dataset', 'SELECT FROM dataset FOR UPDATE'],
    ['the table', 'LOCK TABLE domain IN SHARE ROW EXCLUSIVE MODE'],
  ])('an answer does not wait for long for whoever holds %s, and writes nothing then', async (_, lock) => {
    await list(NAME);
    const before = await readDataset(test.database);
    const holder = new Client({ connectionString: test.url });
    await holder.connect();
    await holder.query('BEGIN');
    await holder.query(lock);
    await expect(answer('available', after(1))).rejects.toMatchObject({ code: '55P03' });
    await holder.query('COMMIT');
    await holder.end();
    expect(await readDataset(test.database)).toEqual(before);
    expect(await recheckOf()).toBeUndefined();
  });
});

describe("the operator's word", () => {
  const nothing = async () => undefined;
  const counts = async () => {
    const { availableRecords, events: all } = await readDataset(test.database);
    return { availableRecords, events: all.length };
  };

  it('hides a name, tells who holds a copy, and shows it again as what it is now', async () => {
    await addDomain(test.database, { domain: NAME });
    expect(await lifecycle.observeHidden(NAME, true, after(1), nothing)).toBe(true);
    expect(await lifecycle.observeHidden(NAME, true, after(2), nothing)).toBe(false);
    expect(await counts()).toEqual({ availableRecords: 0, events: 1 });
    expect((await events()).at(-1)).toContain(`domain.removed ${NAME}`);
    expect(await find()).toMatchObject({ hidden: true, available: true });
    expect(await new CubeCheck(test.database).findDrift(60_000)).toBeNull();
    expect(await lifecycle.observeHidden(NAME, false, after(3), nothing)).toBe(true);
    expect(await counts()).toEqual({ availableRecords: 1, events: 2 });
    expect((await events()).at(-1)).toContain(`domain.dropped ${NAME}`);
    expect(await new CubeCheck(test.database).findDrift(60_000)).toBeNull();
  });

  it('has a name forgotten, counted out, and brought back by the next list', async () => {
    await addDomain(test.database, { domain: NAME });
    expect(await lifecycle.forget(NAME, after(1), nothing)).toBe(true);
    expect(await lifecycle.forget(NAME, after(1), nothing)).toBe(false);
    expect(await find()).toBeNull();
    expect(await counts()).toEqual({ availableRecords: 0, events: 1 });
    expect((await events()).at(-1)).toContain(`domain.removed ${NAME}`);
    expect(await new CubeCheck(test.database).findDrift(60_000)).toBeNull();
    await list(NAME);
    expect(await find()).toMatchObject({ state: 'listed' });
  });

  it('by a list tells the same: removed, and restored where nothing else tells of it', async () => {
    await addDomain(test.database, { domain: NAME, available: false });
    await importText(test.database, `domain,hidden\n${NAME},true\nnever-told.com.au,true\n`, {
      now: after(1),
    });
    expect(await events()).toEqual([`1 domain.removed ${NAME}`]);
    await importText(test.database, `domain,hidden\n${NAME},true\n`, { now: after(2) });
    await importText(test.database, `domain,hidden\n${NAME},false\n`, { now: after(3) });
    expect((await events()).at(-1)).toContain(`domain.restored ${NAME}`);
    expect(await lifecycle.observeHidden(NAME, true, after(4), nothing)).toBe(true);
    expect(await lifecycle.forget(NAME, after(5), nothing)).toBe(true);
    expect((await events()).slice(2)).toEqual([`3 domain.removed ${NAME}`]);
  });

  it('is not taken where what is written with it fails', async () => {
    await addDomain(test.database, { domain: NAME });
    const fail = () => Promise.reject(new Error('no audit'));
    await expect(lifecycle.forget(NAME, after(1), fail)).rejects.toThrow('no audit');
    await expect(lifecycle.observeHidden(NAME, true, after(1), fail)).rejects.toThrow('no audit');
    expect(await find()).toMatchObject({ hidden: false, available: true });
    expect(await lifecycle.observeHidden('nowhere.au', true, after(1), nothing)).toBeNull();
  });
});
