import { readConfig } from '../../src/config/read-config.js';
import type { Database } from '../../src/db/database.js';
import { Freshness } from '../../src/domains/freshness/freshness.js';
import { bandOf, cellOf, RATE_CELLS } from '../../src/domains/freshness/rate-table.js';
import { FreshnessRepository } from '../../src/domains/freshness/freshness.repository.js';
import { FIRST_THRESHOLD } from '../../src/domains/freshness/next-ask.js';
import { Lifecycle, type Outcome } from '../../src/domains/lifecycle/lifecycle.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { addDomain, VOUCHED_AT } from '../support/domains.js';
import { lifecycleOn } from '../support/lifecycle.js';

const DAY_MS = 86_400_000;
const days = (count: number) => new Date(VOUCHED_AT.getTime() + count * DAY_MS);

describe('which names are asked about again', () => {
  let test: TestDatabase;
  let database: Database;
  let stored: FreshnessRepository;
  let freshness: Freshness;
  const config = readConfig({});
  beforeEach(async () => {
    test = await createTestDatabase();
    database = test.database;
    stored = new FreshnessRepository(database);
    freshness = new Freshness(stored, config);
    await freshness.refresh();
  });
  afterEach(() => test.close());

  const lifecycle = () => new Lifecycle(database, config.lifecycle, freshness);
  const nextCheckOf = async (domain: string) => {
    const [row] = await database.query<{ ask_at: Date }>('SELECT ask_at FROM recheck WHERE domain = $1', [
      domain,
    ]);
    return row?.ask_at;
  };
  const observe = (domain: string, state: 'available' | 'registered', checkedAt: Date) =>
    lifecycle().observeAnswer(domain, { state, source: 'rdap', checkedAt, registeredAt: null });
  const learnFrom = async (state: 'available' | 'registered', at: Date, wayback = 50) => {
    const domain = await addDomain(database, { wayback });
    await database.query('UPDATE domain SET dropped_at = $2 WHERE domain = $1', [domain, VOUCHED_AT]);
    const outcome = await observe(domain, state, at);
    await freshness.learn(outcome, at);
    return outcome;
  };
  const schedule = async (domain: string, nextCheckAt: Date, checkedAt = VOUCHED_AT) => {
    await database.query('UPDATE domain SET dropped_at = $2 WHERE domain = $1', [domain, VOUCHED_AT]);
    await database.query('INSERT INTO recheck (domain, ask_at, checked_at) VALUES ($1, $2, $3)', [
      domain,
      nextCheckAt,
      checkedAt,
    ]);
  };

  it('an answer that a name is free has the better names asked about the sooner', async () => {
    const [good, poor] = [
      await addDomain(database, { wayback: 5_000 }),
      await addDomain(database, { wayback: 0 }),
    ];
    await observe(good, 'available', days(1));
    await observe(poor, 'available', days(1));
    const [first, second] = [await nextCheckOf(good), await nextCheckOf(poor)];
    expect(first?.getTime()).toBeGreaterThan(days(1).getTime());
    expect(second?.getTime()).toBeGreaterThan(first?.getTime() ?? Infinity);
  });

  it('whoever writes an answer schedules by what was learned, a command too', async () => {
    const cells = Array.from({ length: RATE_CELLS }, (_, cell) => ({ cell, exposureDays: 100, taken: 20 }));
    await stored.addEvidence(cells, days(1));
    const [before, after] = [await addDomain(database), await addDomain(database)];
    const answer = { state: 'available', source: 'rdap', checkedAt: days(1), registeredAt: null } as const;
    await lifecycle().observeAnswer(before, answer);
    await lifecycleOn(database).observeAnswer(after, answer);
    const [prior, learned] = [await nextCheckOf(before), await nextCheckOf(after)];
    expect(learned?.getTime()).toBeLessThan(prior?.getTime() ?? 0);
  });

  it('an answer is written also when nobody can read what was learned', async () => {
    const domain = await addDomain(database);
    await database.query('ALTER TABLE taken_rate RENAME TO gone');
    expect(
      await lifecycleOn(database).observeAnswer(domain, {
        state: 'registered',
        source: 'rdap',
        checkedAt: days(1),
        registeredAt: null,
      }),
    ).toMatchObject({ to: 'taken' });
  });

  describe('learns', () => {
    it('days that a name was free, in the cells that it went through', async () => {
      await learnFrom('available', days(2.5));
      const { exposureDays, taken, observedAt } = await stored.readEvidence();
      const seen = Array.from({ length: 4 }, (_, bucket) => exposureDays[cellOf(bucket, bandOf(50))]);
      expect(seen).toEqual([1, 1, 0.5, 0]);
      expect(Math.max(...taken)).toBe(0);
      expect(observedAt).toEqual(days(2.5));
    });

    it('that a name was taken, at some moment since the answer before', async () => {
      await learnFrom('registered', days(2));
      const { exposureDays, taken } = await stored.readEvidence();
      expect(taken.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 9);
      expect(exposureDays.reduce((sum, share) => sum + share, 0)).toBeLessThan(1.5);
    });

    it('less from what is long ago: half as much after 180 days', async () => {
      const shares = [{ cell: 7, exposureDays: 40, taken: 2 }];
      await stored.addEvidence(shares, days(0));
      await stored.addEvidence([{ cell: 7, exposureDays: 1, taken: 0 }], days(180));
      const { exposureDays, taken } = await stored.readEvidence();
      expect([exposureDays[7], taken[7]]).toEqual([21, 1]);
    });

    it('nothing from an answer that is neither, or about a name that was not on offer', async () => {
      const outcome = await learnFrom('available', days(1));
      const before = await stored.readEvidence();
      const unknown: Outcome[] = [
        { ...outcome, to: 'unconfirmed' },
        { ...outcome, from: 'taken' },
        { ...outcome, name: null },
      ];
      for (const one of unknown) await freshness.learn(one, days(1));
      expect(await stored.readEvidence()).toEqual(before);
    });

    it('until names of a cell are asked about as often as they deserve', async () => {
      const name = { droppedAt: VOUCHED_AT, wayback: 50, checkedAt: days(40) };
      const before = freshness.nextCheckAt(name);
      const cells = Array.from({ length: RATE_CELLS }, (_, cell) => ({ cell, exposureDays: 100, taken: 20 }));
      await stored.addEvidence(cells, days(40));
      await freshness.refresh();
      expect(freshness.nextCheckAt(name).getTime()).toBeLessThan(before.getTime());
    });
  });

  describe('every minute', () => {
    it('the threshold rises while more are due than turns can be chosen for', async () => {
      // The turns of 20 minutes at 0.01 a second are 12.
      freshness = new Freshness(stored, readConfig({ REGISTRY_RATE_PER_SECOND: '0.01' }));
      for (let name = 0; name < 30; name += 1)
        await schedule(await addDomain(database, { wayback: 0 }), days(300), days(-500));
      await learnFrom('available', days(1));
      await database.query('UPDATE recheck SET ask_at = $1', [days(1)]);
      await freshness.keepUp(days(1.01), '');
      const first = await stored.readThreshold();
      expect(first?.current).toBeGreaterThan(FIRST_THRESHOLD.current);
      await database.query('UPDATE recheck SET ask_at = $1', [days(400)]);
      await freshness.keepUp(days(1.2), '');
      expect((await stored.readThreshold())?.current).toBeLessThan(first?.current ?? 0);
    });

    it('of the former policy: the threshold rises while the queue runs late, and those who are due wait less', async () => {
      freshness = new Freshness(stored, readConfig({ REGISTRY_POLICY: 'former' }));
      await freshness.refresh();
      await learnFrom('available', days(1));
      const domain = await addDomain(database, { wayback: 0 });
      await schedule(domain, days(1));
      await freshness.keepUp(days(1.02), '');
      const first = await stored.readThreshold();
      await database.query('UPDATE recheck SET ask_at = $2 WHERE domain = $1', [domain, days(1)]);
      await learnFrom('available', days(1.4));
      await freshness.keepUp(days(1.4), '');
      const second = await stored.readThreshold();
      expect(first?.current).toBeLessThan(FIRST_THRESHOLD.current);
      expect(second?.current).toBeGreaterThan(first?.current ?? Infinity);
      expect((await nextCheckOf(domain))?.getTime()).toBeGreaterThan(days(1.4).getTime());
    });

    it('the threshold stays while the queue runs late because the registry gives no answers', async () => {
      await schedule(await addDomain(database), days(1));
      await freshness.keepUp(days(3), '');
      expect(await stored.readThreshold()).toBeNull();
    });

    it('the threshold falls while nobody is due', async () => {
      await schedule(await addDomain(database), days(30));
      await freshness.keepUp(days(1), '');
      expect((await stored.readThreshold())?.current).toBeLessThan(FIRST_THRESHOLD.current);
    });

    it('names are looked over in turn, and their moments corrected', async () => {
      const names = ['b.com.au', 'a.com.au'];
      for (const domain of names) await addDomain(database, { domain, wayback: 5_000 });
      for (const domain of names) await schedule(domain, days(500));
      expect(await freshness.keepUp(days(0), '')).toBe('');
      for (const domain of names)
        expect((await nextCheckOf(domain))?.getTime()).toBeLessThan(days(30).getTime());
    });

    it('a name that the registry gave no answer for keeps its later moment', async () => {
      const domain = await addDomain(database, { wayback: 5_000 });
      await schedule(domain, days(500));
      await database.query('INSERT INTO question_failure (domain, failures, failed_at) VALUES ($1, 1, $2)', [
        domain,
        VOUCHED_AT,
      ]);
      await freshness.keepUp(days(0), '');
      expect(await nextCheckOf(domain)).toEqual(days(500));
    });
  });

  it('a moment that an answer has moved meanwhile is not moved back', async () => {
    const domain = await addDomain(database);
    await schedule(domain, days(3));
    await stored.move([{ domain, from: days(2), to: days(9) }]);
    expect(await nextCheckOf(domain)).toEqual(days(3));
    await stored.move([{ domain, from: days(3), to: days(9) }]);
    expect(await nextCheckOf(domain)).toEqual(days(9));
  });
});
