import { readConfig } from '../../src/config/read-config.js';
import { createRegistryQueues } from '../../src/domains/domains.module.js';
import { type RegistryQueues, unansweredOf } from '../../src/domains/freshness/registry-queues.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { addDomain, addInState } from '../support/domains.js';
import { lifecycleOn } from '../support/lifecycle.js';

const NOW = new Date('2026-11-20T12:00:00Z');
const MINUTE_MS = 60_000;
const before = (minutes: number) => new Date(NOW.getTime() - minutes * MINUTE_MS);
const DAY = 1_440;

describe('the queues of the registry', () => {
  let test: TestDatabase;
  let queues: RegistryQueues;
  beforeEach(async () => {
    test = await createTestDatabase();
    queues = createRegistryQueues(test.database, readConfig({}));
  });
  afterEach(() => test.close());

  const purge = async (domain: string, minutes: number, listedAt: Date | null = null) => {
    await addInState(test.database, [{ domain, state: 'purged' }]);
    await test.database.query('UPDATE domain SET purge_at = $2, listed_at = $3 WHERE domain = $1', [
      domain,
      before(minutes),
      listedAt,
    ]);
  };

  it('say of each how many wait, since when and until when', async () => {
    await purge('fresh.com.au', 600);
    await purge('older.com.au', 3 * DAY);
    await purge('postponed.com.au', 600);
    await lifecycleOn(test.database).postpone('postponed.com.au', before(5));
    await addInState(test.database, [{ domain: 'unconfirmed.com.au', state: 'unconfirmed' }]);
    const offered = await addDomain(test.database, { domain: 'offered.com.au' });
    await test.database.query('INSERT INTO recheck (domain, ask_at, checked_at) VALUES ($1, $2, $2)', [
      offered,
      before(60),
    ]);
    const states = await queues.read(NOW);
    const one = { waiting: 1, precision: 'exact', endsAt: expect.any(Date) };
    expect(states).toMatchObject({
      confirmation: { ...one, waiting: 2, oldest: before(3 * DAY) },
      drops: { ...one, oldest: before(600) },
      retry: { ...one, oldest: before(5) },
      recheck: { ...one, oldest: before(60) },
      unconfirmed: { ...one, oldest: null },
      backlog: { ...one, waiting: 2, oldest: before(3 * DAY) },
    });
    expect(unansweredOf(states)).toEqual({
      ...{ names: 4, precision: 'exact', isBacklog: true },
      endsAt: new Date(Math.max(...[states.retry, states.backlog].map(({ endsAt }) => Number(endsAt)))),
    });
  });

  it('count young offers whose cap is over as repeats', async () => {
    const domain = await addDomain(test.database, { domain: 'young.com.au', wayback: 50 });
    await test.database.query(
      `UPDATE domain SET purge_at = $2, dropped_at = $2, checked_at = $3, first_seen = $2::timestamptz::date
        WHERE domain = $1`,
      [domain, before(240), before(180)],
    );
    expect((await queues.read(NOW)).repeat).toMatchObject({ waiting: 1, endsAt: expect.any(Date) });
    await test.database.query('UPDATE domain SET checked_at = $2 WHERE domain = $1', [domain, before(1)]);
    expect((await queues.read(NOW)).repeat).toMatchObject({ waiting: 0, endsAt: null });
  });

  it('say of a drop on a late list that it waits since it was listed', async () => {
    await purge('late.com.au', DAY, before(30));
    expect((await queues.read(NOW)).drops.oldest).toEqual(before(30));
  });

  it('estimate what is not counted, and say so', async () => {
    await addInState(
      test.database,
      Array.from({ length: 300 }, (_, place) => ({
        domain: `backlog-${place}.com.au`,
        state: 'unconfirmed' as const,
      })),
    );
    await test.database.query('ANALYZE domain');
    expect((await queues.read(NOW, 100)).backlog).toMatchObject({ waiting: 300, precision: 'estimated' });
    expect((await queues.read(NOW)).backlog).toMatchObject({ waiting: 300, precision: 'exact' });
  });

  it.each([
    [
      'the writing of answers is stopped',
      `UPDATE lifecycle_guard SET writes_stopped_at = now(), reason = 'test'`,
    ],
    [
      'the job is paused',
      `INSERT INTO work_kind (kind, paused_at, paused_by, pause_reason) VALUES ('questions', now(), 'test', 'test')`,
    ],
  ])('know no end while %s', async (_, change) => {
    await purge('fresh.com.au', 600);
    await test.database.query(change);
    const states = await queues.read(NOW);
    expect(states.drops).toMatchObject({ waiting: 1, endsAt: null });
    expect(unansweredOf(states)).toMatchObject({ names: 1, endsAt: null });
  });
});
