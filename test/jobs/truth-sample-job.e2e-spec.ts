import type { Database } from '../../src/db/database.js';
import { cloneTemplate, dropDatabase } from '../support/database.js';
import { addDomain, addDomains } from '../support/domains.js';
import type { Engine } from '../../src/work/engine.js';
import { after, createEngine, startJobs, type StartedJobs, stateOf } from '../support/jobs.js';
import { found, type ScriptedRegistry, startScriptedRegistry } from '../support/registry.js';

const BEGIN = new Date('2026-11-20T05:00:00Z');
/** At a hundred a day. */
const BETWEEN_SECONDS = 864;

describe('the daily sample of offers', () => {
  let url: string;
  let jobs: StartedJobs;
  let database: Database;
  let registry: ScriptedRegistry;
  let engine: Engine;
  const start = async (samplePerDay = '100') => {
    url = await cloneTemplate();
    registry = await startScriptedRegistry();
    jobs = await startJobs(url, {
      REGISTRY_RDAP_URL: registry.url,
      REGISTRY_RATE_PER_SECOND: '0.05',
      REGISTRY_BURST: '3',
      REGISTRY_CANARIES: '',
      SAMPLE_PER_DAY: samplePerDay,
    });
    ({ database } = jobs);
    await database.query(`UPDATE registry_pace SET full_at = $1::timestamptz - interval '1 hour'`, [BEGIN]);
    engine = createEngine(database, jobs.job('truth-sample'));
  };
  afterEach(async () => {
    await jobs.close();
    await registry.close();
    dropDatabase(url);
  });
  const runAt = async (now: Date) => {
    jobs.clock.set(now);
    await engine.runDue(now);
  };
  const samples = () =>
    database.query<{ domain: string; stratum: string; outcome: string; wayback: number; asked_at: Date }>(
      'SELECT domain, stratum, outcome, wayback, asked_at FROM truth_sample ORDER BY id',
    );

  it('asks about offers over the day, and writes down which were free', async () => {
    await start();
    const domain = await addDomain(database, { wayback: 30 });
    for (let turn = 0; turn < 3; turn += 1) await runAt(after(BEGIN, turn * BETWEEN_SECONDS));
    expect((await samples()).map((sample) => ({ ...sample, asked_at: undefined }))).toEqual(
      ['all', 'all', 'top_10000'].map((stratum) => ({ domain, stratum, outcome: 'free', wayback: 30 })),
    );
    expect(await database.query(`SELECT sum(exposure_days)::int > 0 AS learned FROM taken_rate`)).toEqual([
      { learned: true },
    ]);
  });

  it('draws now and then from the age that was sampled the least', async () => {
    await start();
    await addDomains(
      database,
      ['old', 'young'].flatMap((age) =>
        Array.from({ length: 30 }, (_, place) => ({
          domain: `${age}-${place}.com.au`,
          ...{ wayback: 0, first_seen: null, available: true, hidden: false },
        })),
      ),
    );
    await database.query(
      `UPDATE domain SET dropped_at = $1::timestamptz - make_interval(days => CASE WHEN name LIKE 'old%' THEN 100 ELSE 3 END)`,
      [BEGIN],
    );
    // As many of both before, and six young ones today.
    await database.query(
      `INSERT INTO truth_sample (domain, stratum, wayback, dropped_at, offered_since, asked_at, outcome)
       SELECT domain, 'all', 0, dropped_at, $1, $1::timestamptz - make_interval(days => 2), 'free' FROM domain
        UNION ALL
       SELECT domain, 'all', 0, dropped_at, $1, $1, 'free' FROM domain WHERE domain ~ '^young-[1-6]\\.'`,
      [BEGIN],
    );
    for (let turn = 0; turn < 5; turn += 1) await runAt(after(BEGIN, turn * BETWEEN_SECONDS));
    expect((await samples()).filter(({ stratum }) => stratum === 'age')).toMatchObject([
      { domain: expect.stringMatching(/^old-/) },
    ]);
  });

  it('asks no sooner than its share of the day', async () => {
    await start();
    await addDomain(database);
    await runAt(BEGIN);
    await runAt(after(BEGIN, BETWEEN_SECONDS - 1));
    expect(await samples()).toHaveLength(1);
  });

  it('finds an offer that is taken, which leaves the offers by it', async () => {
    await start();
    const domain = await addDomain(database);
    registry.reply(found(domain, 'active'));
    await runAt(BEGIN);
    expect(await samples()).toMatchObject([{ domain, outcome: 'taken', asked_at: BEGIN }]);
    expect(await database.query('SELECT state FROM domain')).toEqual([{ state: 'taken' }]);
    await runAt(after(BEGIN, BETWEEN_SECONDS));
    expect(await samples()).toHaveLength(1);
  });

  it('writes down that the registry said nothing of a name, as unknown', async () => {
    await start();
    const domain = await addDomain(database);
    registry.reply({ status: 500 });
    await runAt(BEGIN);
    expect(await samples()).toMatchObject([{ domain, outcome: 'unknown' }]);
  });

  it('keeps an offer that there was no turn for, and asks about it and no other', async () => {
    await start();
    await addDomains(
      database,
      Array.from({ length: 40 }, (_, place) => ({
        domain: `offer-${place}.com.au`,
        wayback: place,
        first_seen: null,
        available: true,
        hidden: false,
      })),
    );
    await database.query(`UPDATE registry_pace SET full_at = $1::timestamptz + interval '40 seconds'`, [
      BEGIN,
    ]);
    await runAt(BEGIN);
    expect(registry.asked).toEqual([]);
    const waiting = (await stateOf(database, 'truth-sample'))?.cursor?.waiting;
    expect(waiting).toMatch(/^offer-/);
    await runAt(after(BEGIN, 300));
    expect(registry.asked).toEqual([waiting]);
  });

  it('trusts no answer while the guard has stopped the writing of answers', async () => {
    await start();
    await addDomain(database);
    await database.query(`UPDATE lifecycle_guard SET writes_stopped_at = $1, reason = 'test'`, [BEGIN]);
    await runAt(BEGIN);
    expect(registry.asked).toEqual([]);
    expect(await samples()).toEqual([]);
  });

  it('can be turned off', async () => {
    await start('0');
    await addDomain(database);
    await runAt(BEGIN);
    expect(registry.asked).toEqual([]);
  });

  it('forgets samples of more than 400 days ago', async () => {
    await start();
    await addDomain(database);
    await runAt(BEGIN);
    await runAt(after(BEGIN, 401 * 86_400));
    expect(await samples()).not.toContainEqual(expect.objectContaining({ asked_at: BEGIN }));
  });
});
