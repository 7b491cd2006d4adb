import type { SandboxAnswer } from '../../src/demo/sandbox-names.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { HandedClock } from '../support/clock.js';
import { addDrops, countStates } from '../support/drops.js';
import { readDataset } from '../support/import.js';
import { after, startJobs, type StartedJobs } from '../support/jobs.js';

// DROPS=2000 npm test -- test/jobs/questions plays a whole day's.
const DROPS = Number(process.env.DROPS ?? 120);
const PURGE_AT = new Date('2026-11-20T03:00:00Z');
const PACE = { REGISTRY_RATE_PER_SECOND: '0.5', REGISTRY_BURST: '2' };
const MINUTE = 60;

jest.setTimeout(90_000 + DROPS * 500);

describe('names that wait for the registry', () => {
  let test: TestApp;
  let clock: HandedClock;
  const started: StartedJobs[] = [];
  let answers: Map<string, SandboxAnswer>;
  beforeEach(async () => {
    clock = new HandedClock(PURGE_AT);
    answers = new Map();
  });
  afterEach(async () => {
    for (const jobs of started.splice(0)) await jobs.close();
    await test.close();
  });

  /** The service, which itself does no jobs; a caller for whom no turn is left is refused, as nobody waits here. */
  const startService = async () => {
    test = await startTestApp({ ...PACE, REGISTRY_MAX_WAIT_MS: '0' }, clock, answers);
  };
  const start = async (environment: Record<string, string> = {}) => {
    const jobs = await startJobs(
      test.databaseUrl,
      { ...PACE, REGISTRY_RDAP_URL: test.registry.url, REGISTRY_SOURCE: 'sandbox', ...environment },
      clock,
    );
    started.push(jobs);
    return jobs;
  };
  /** Plays three minutes up to and after each of these minutes, and skips the time between, in which nothing is due. */
  const playAround = async (jobs: StartedJobs, minutes: number[]) => {
    for (const minute of minutes)
      await jobs.play(after(PURGE_AT, (minute - 1) * MINUTE), after(PURGE_AT, (minute + 2) * MINUTE));
  };
  const allAre = (answer: SandboxAnswer, names: string[]) =>
    names.forEach((name) => answers.set(name, answer));
  const statesOf = async (domains: string[]) => {
    const rows = await test.database.query<{ domain: string; state: string; at: number | null }>(
      `SELECT domain, state, extract(epoch FROM coalesce(dropped_at, checked_at) - $1)::float8 AS at FROM domain`,
      [PURGE_AT],
    );
    const byName = new Map(rows.map((row) => [row.domain, row]));
    return domains.map((domain) => ({
      state: byName.get(domain)?.state,
      at: byName.get(domain)?.at ?? Infinity,
    }));
  };
  /** What the answers made known, without the purges before them. */
  const events = async () => {
    const all = (await readDataset(test.database)).events.map((event) => event.replace(/^\d+ /, ''));
    return all.filter((event) => !event.startsWith('domain.purged'));
  };

  it(`the ${DROPS} drops of a day are confirmed at the pace of 2,000 in 70 minutes, the best hundred within four`, async () => {
    await startService();
    const names = await addDrops(test.database, DROPS, PURGE_AT);
    allAre('available', names);
    const jobs = await start();
    const limit = (70 * MINUTE * DROPS) / 2_000;
    await jobs.play(after(PURGE_AT, -10), after(PURGE_AT, limit));
    expect(await countStates(test.database)).toEqual({ available: DROPS });
    const times = (await statesOf(names)).map(({ at }) => at);
    const hundredth = times[Math.min(99, DROPS - 1)];
    if (process.env.DROPS)
      process.stdout.write(
        `${DROPS} drops: the hundredth after ${hundredth} s, the last after ${Math.max(...times)} s\n`,
      );
    expect(hundredth).toBeLessThan(4 * MINUTE);
    expect(Math.max(...times)).toBeLessThan(limit);
    // The best score first, and one after the other.
    expect(times).toEqual([...times].sort((one, other) => one - other));
    expect(new Set(times).size).toBe(DROPS);
    // A few of the first ones are asked about again meanwhile, for they are the first to be caught.
    expect(test.registry.requests()).toBeGreaterThanOrEqual(DROPS);
    expect(test.registry.requests()).toBeLessThanOrEqual(DROPS * 1.05);
    expect(await events()).toEqual(names.map((name) => `domain.dropped ${name}`));
  });

  it('are what the registry says: free, held, or neither, and only the free are offered', async () => {
    await startService();
    const [free = '', held = '', pending = '', reserved = '', broken = ''] = await addDrops(
      test.database,
      5,
      PURGE_AT,
    );
    answers.set(free, 'available').set(held, 'registered').set(pending, 'pending_delete');
    answers.set(reserved, 'reserved').set(broken, 'garbage');
    const jobs = await start();
    await jobs.play(PURGE_AT, after(PURGE_AT, 2 * MINUTE));
    const states = (await statesOf([free, held, pending, reserved, broken])).map(({ state }) => state);
    expect(states).toEqual(['available', 'rescued', 'purged', 'purged', 'purged']);
    expect(await events()).toEqual([`domain.dropped ${free}`, `domain.rescued ${held}`]);
    // What was no answer is asked for again, later each time.
    const asked = test.registry.requests();
    answers.set(broken, 'available').set(pending, 'available');
    await playAround(jobs, [5, 15, 30]);
    expect((await statesOf([broken]))[0]).toMatchObject({ state: 'available' });
    expect((await statesOf([pending]))[0]).toMatchObject({ state: 'available' });
    expect(test.registry.requests() - asked).toBeLessThan(10);
  });

  it('that can never be answered for do not hold up the others', async () => {
    await startService();
    const names = await addDrops(test.database, 40, PURGE_AT);
    const broken = names.slice(0, 20);
    allAre('registered', names);
    allAre('garbage', broken);
    const jobs = await start({ REGISTRY_BREAKER_FAILURES: '1000' });
    await jobs.play(PURGE_AT, after(PURGE_AT, 3 * MINUTE));
    expect(await countStates(test.database)).toEqual({ rescued: 20, purged: 20 });
    await playAround(jobs, [5, 15, 35, 70]);
    // Again after 5, 10 and 20 minutes, and not more often.
    expect(test.registry.requests()).toBe(20 + 20 * 4);
  });

  it('on offer are asked again after one and two minutes where the answer said nothing', async () => {
    await startService();
    const names = await addDrops(test.database, 1, PURGE_AT);
    allAre('available', names);
    const jobs = await start({ REGISTRY_BREAKER_FAILURES: '1000' });
    await jobs.play(PURGE_AT, after(PURGE_AT, 2 * MINUTE));
    // A good one, which is asked about within the hour.
    await test.database.query('UPDATE domain SET wayback = 500');
    allAre('garbage', names);
    const before = test.registry.requests();
    await jobs.play(after(PURGE_AT, 60 * MINUTE), after(PURGE_AT, 66 * MINUTE));
    expect(test.registry.requests() - before).toBe(3);
  });

  it('leave a turn to callers, who are slowed by one at most', async () => {
    await startService();
    allAre('available', await addDrops(test.database, 100, PURGE_AT));
    const jobs = await start();
    let asked = 0;
    for (let second = 0; second < 2 * MINUTE; second += 10) {
      await jobs.play(after(PURGE_AT, second), after(PURGE_AT, second + 10));
      // Within a moment of a job's question there is a turn for a caller, who need not wait.
      const { status, body } = await test.caller().get(`/v1/domains/check?domain=caller-${second}.com.au`);
      expect(status).toBe(200);
      expect(body.registry.cached).toBe(false);
      const next = await test.caller().get(`/v1/domains/check?domain=caller-${second}-too.com.au`);
      if (next.status !== 200) {
        expect(next.status).toBe(503);
        // One turn, at 0.5 a second.
        expect(Number(next.headers['retry-after'])).toBeLessThanOrEqual(2);
        asked += 1;
      } else asked += 2;
    }
    expect(asked).toBeGreaterThanOrEqual(12);
    // The pace is one: what callers took is what the jobs did not.
    expect(test.registry.requests()).toBeLessThanOrEqual((2 * MINUTE) / 2 + 2);
  });

  it('are asked about by one of two processes, and by the other when that one is killed', async () => {
    await startService();
    const names = await addDrops(test.database, 60, PURGE_AT);
    allAre('available', names);
    const [first, second] = [await start(), await start()];
    const countFound = async () => (await countStates(test.database)).available ?? 0;
    let at = 0;
    // What a turn waits for its lock is added to the clock: on a slow machine fewer names fit into a minute.
    for (; (await countFound()) <= 25 && at < 5 * MINUTE; at += 5) {
      await first.play(after(PURGE_AT, at), after(PURGE_AT, at + 5));
      await second.play(after(PURGE_AT, at), after(PURGE_AT, at + 5));
    }
    expect(await countFound()).toBeGreaterThan(25);
    // Nothing is heard of the first one from now on.
    await second.play(after(PURGE_AT, at), after(PURGE_AT, at + 4 * MINUTE));
    expect(await countStates(test.database)).toEqual({ available: 60 });
    const times = (await statesOf(names)).map(({ at }) => at);
    const gaps = times.slice(1).map((time, place) => time - (times[place] ?? 0));
    expect(Math.max(...gaps)).toBeLessThan(MINUTE);
    expect(test.registry.requests()).toBe(60);
    expect(await events()).toHaveLength(60);
  });
});
