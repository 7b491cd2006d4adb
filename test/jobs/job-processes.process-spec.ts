import { join } from 'node:path';
import { JobsModule } from '../../src/app/jobs.module.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { addDrops, countStates } from '../support/drops.js';
import { compiledSources, freePort, run, type Running, until } from '../support/processes.js';

const LONG_PURGED = new Date('2026-01-10T03:00:00Z');
const QUICK = { REGISTRY_RATE_PER_SECOND: '1000', REGISTRY_BURST: '1000', LOG_LEVEL: 'info' };

describe('the jobs of a service', () => {
  let test: TestApp;
  afterEach(() => test.close());
  const holders = () =>
    test.database.query(`SELECT FROM work_holder WHERE until > clock_timestamp() AND 'purge' = ANY (kinds)`);

  it('run by themselves with DATASET_JOBS=on', async () => {
    test = await startTestApp({ DATASET_JOBS: 'on' });
    await addDrops(test.database, 30, LONG_PURGED);
    await until('they are asked about', async () => test.registry.requests() >= 30);
    await until(
      'the answers are written',
      async () => ((await countStates(test.database)).available ?? 0) > 20,
    );
    expect(await holders()).toHaveLength(1);
  });

  it('do not exist with DATASET_JOBS=off', async () => {
    test = await startTestApp({ DATASET_JOBS: 'off' });
    await addDrops(test.database, 3, LONG_PURGED);
    expect(() => test.app.select(JobsModule)).toThrow();
    expect(await holders()).toEqual([]);
  });
});

describe('bowerbird worker', () => {
  let test: TestApp;
  const started: Running[] = [];
  beforeAll(async () => {
    test = await startTestApp();
  });
  afterAll(async () => {
    for (const { child } of started) child.kill('SIGKILL');
    await Promise.all(started.map(({ ended }) => ended));
    await test.close();
  });

  it('does the jobs without webhooks, and lets the next one go on at once when it is told to stop', async () => {
    const compiled = await compiledSources();
    // Both workers: the second goes on without the port that the first has.
    const metricsPort = String(await freePort());
    const start = () => {
      const environment = {
        ...QUICK,
        METRICS_PORT: metricsPort,
        DATASET_JOBS: 'on',
        DATABASE_URL: test.databaseUrl,
        REGISTRY_RDAP_URL: test.registry.url,
        REGISTRY_SOURCE: 'sandbox',
      };
      const worker = run(join(compiled, 'dist/cli.js'), ['worker'], { environment });
      started.push(worker);
      return worker;
    };
    const leaseHolder = async () =>
      (
        await test.database.query<{ id: string }>('SELECT id FROM work_holder WHERE $1 = ANY (kinds)', [
          'purge',
        ])
      )[0]?.id ?? '';
    const holds = async (holder: string) =>
      (
        await test.database.query('SELECT FROM work_holder WHERE id = $1 AND until > clock_timestamp()', [
          holder,
        ])
      ).length > 0;
    const confirmed = async (count: number) => ((await countStates(test.database)).available ?? 0) >= count;
    await addDrops(test.database, 20, LONG_PURGED, 'first');
    const first = start();
    await until('it has asked', () => confirmed(15));
    const held = await leaseHolder();
    expect(await holds(held)).toBe(true);
    const ready = await fetch(`http://127.0.0.1:${metricsPort}/readyz`);
    expect([ready.status, await ready.json()]).toEqual([200, { ok: true }]);
    const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    expect(metrics).toContain('bowerbird_job_past_deadline{job="questions"} 0');
    const second = start();
    await second.says(/working/);
    expect(await first.stop('SIGTERM')).toBe('SIGTERM');
    expect(await holds(held)).toBe(false);
    await addDrops(test.database, 20, LONG_PURGED, 'second');
    await until('the other one has asked', () => confirmed(30));
    expect(await second.stop('SIGTERM')).toBe('SIGTERM');
  });
});
