import { MetricsServer } from '../../src/observe/metrics.module.js';
import { mintOperatorKey } from '../../src/ops/operator-key.js';
import { type Kind, WorkKinds } from '../../src/work/kind.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { HandedClock } from '../support/clock.js';
import { addInState } from '../support/domains.js';
import { until } from '../support/processes.js';

const MINUTE_MS = 60_000;
const START = new Date();
const NOBODY = 'http://127.0.0.1:9/';
const operator = mintOperatorKey();

/** Hangs in spite of its deadline until it is told to succeed. */
class Hanging implements Kind {
  readonly name = 'webhook-purge';
  readonly everyMs = MINUTE_MS;
  readonly deadlineMs = 20;
  readonly graceMs = 10;
  hangs = true;

  run(): Promise<object> {
    return this.hangs ? new Promise(() => undefined) : Promise.resolve({});
  }
}

let test: TestApp;
let readyUrl: string;
const clock = new HandedClock(START);
const hanging = new Hanging();
const after = (minutes: number) => new Date(START.getTime() + minutes * MINUTE_MS);

async function readReadiness(): Promise<{ status: number; body: unknown }> {
  const response = await fetch(readyUrl);
  return { status: response.status, body: await response.json() };
}

async function readMetric(series: string): Promise<number> {
  const text = await (await fetch(readyUrl.replace('/readyz', '/metrics'))).text();
  const line = text.split('\n').find((one) => one.startsWith(`${series} `));
  return Number(line?.split(' ').at(-1));
}

beforeAll(async () => {
  test = await startTestApp(
    {
      ...{ METRICS_PORT: '0', DATASET_JOBS: 'on', OPERATOR_KEY_HASH: `alice:${operator.hash}` },
      ...{ REGISTRY_RDAP_URL: NOBODY, REGISTRY_CANARIES: 'canary.com.au', SAMPLE_PER_DAY: '0' },
    },
    clock,
  );
  readyUrl = `http://127.0.0.1:${test.app.get(MetricsServer).port}/readyz`;
  await until('the queue is empty', async () => {
    const rows = await test.database.query(
      `SELECT FROM work WHERE kind = 'questions' AND cursor IS NOT NULL`,
    );
    return rows.length > 0;
  });
});
afterAll(() => test.close());

it('while work moves, the port of metrics says so', async () => {
  expect(await readReadiness()).toEqual({ status: 200, body: { ok: true } });
});

it('names that wait without an answer, silent canaries and a run past its deadline are told, and are no reason not to serve', async () => {
  await addInState(test.database, [{ domain: 'waits.com.au', state: 'purged' }]);
  await test.database.query(
    `INSERT INTO registry_health (source, address, canary, canary_at) VALUES ('sandbox', $1, 'ok', $2)
     ON CONFLICT (source, address) DO UPDATE SET canary = excluded.canary, canary_at = excluded.canary_at`,
    [NOBODY, START],
  );
  test.app.get(WorkKinds).add(hanging);
  clock.set(after(14));
  expect(await readReadiness()).toMatchObject({ status: 200 });
  clock.set(after(20));
  const stalled = [
    'No answer of a registry for 20 minutes while names wait.',
    'The job webhook-purge has run past its deadline.',
    'The registry sandbox has not been asked about its canaries for 20 minutes.',
  ];
  // A job that runs while the clock is moved on is past its deadline as well, until it has ended.
  const found = await until('the run is past its deadline', async () => {
    const { status, body } = await readReadiness();
    const told = ((body as { stalled?: string[] }).stalled ?? []).toSorted();
    return told.join() === stalled.join() && { status, told };
  });
  expect(found).toEqual({ status: 503, told: stalled });
  await test.caller().get('/readyz').expect(200);

  const { body } = await test
    .caller()
    .get('/ops/v1/status')
    .auth(operator.text, { type: 'bearer' })
    .expect(200);
  expect(body.stalled).toEqual(expect.arrayContaining(stalled));
  expect(await readMetric('bowerbird_registry_silence_seconds')).toBe(20 * 60);
  expect(await readMetric('bowerbird_registry_canary_age_seconds{source="sandbox"}')).toBe(20 * 60);
  expect(await readMetric('bowerbird_job_past_deadline{job="webhook-purge"}')).toBe(1);
  expect(await readMetric('bowerbird_job_past_deadline{job="questions"}')).toBe(0);
});

it('what moves again is not told any more', async () => {
  hanging.hangs = false;
  await test.database.query('DELETE FROM domain');
  await test.database.query('UPDATE registry_health SET canary_at = $1', [after(60)]);
  clock.set(after(60));
  await until('everything moves', async () => (await readReadiness()).status === 200);
});
