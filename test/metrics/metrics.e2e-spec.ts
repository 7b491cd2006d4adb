import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MetricsServer } from '../../src/observe/metrics.module.js';
import { mintOperatorKey } from '../../src/ops/operator-key.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { makeFolder, until } from '../support/processes.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { addDomain } from '../support/domains.js';
import { addKey } from '../support/accounts.js';
import { WITH_EVERYTHING } from '../support/switches.js';

const TOKEN = 'a-token-for-prometheus-of-32-characters';
const SECRET = 'a secret of the tests with 32 characters or more';

/** Values by series, as Prometheus reads them. */
function valuesOf(text: string): Map<string, number> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => [
      line.slice(0, line.lastIndexOf(' ')),
      Number(line.slice(line.lastIndexOf(' ') + 1)),
    ]),
  );
}

describe('/metrics behind a token', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await startTestApp({ METRICS_TOKEN: TOKEN, AUTH: 'on', AUTH_SECRET: SECRET, DATASET_JOBS: 'on' });
    await addDomain(test.database, { domain: 'surf.com.au' });
  });
  afterAll(() => test.close());

  const scrape = async () => {
    const { text, headers } = await test.caller().get('/metrics').auth(TOKEN, { type: 'bearer' }).expect(200);
    expect(headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(headers['cache-control']).toBe('no-store');
    return valuesOf(text);
  };

  it.each([[undefined], ['Bearer'], ['Bearer wrong'], [`Basic ${TOKEN}`], [`Bearer ${TOKEN}x`]])(
    'are told to nobody who shows %s',
    async (shown) => {
      const request = test.caller().get('/metrics');
      const { body, text } = await (
        shown === undefined ? request : request.set('Authorization', shown)
      ).expect(401);
      expect(body).toMatchObject({ error: { code: 'key_required' } });
      expect(text).not.toContain(TOKEN);
    },
  );

  it('count requests by route and tier, and never by path', async () => {
    await test.caller().get('/v1/domains/check').query({ domain: 'surf.com.au' }).expect(200);
    await test.caller().get('/api/v1/domains/surf.com.au').expect(200);
    await test.caller().get('/nowhere/surf.com.au').expect(404);
    await test.caller().get('/v1/suggest').query({ limit: 0 }).expect(400);
    const values = await scrape();
    const route = '/v1/domains/check';
    expect(
      values.get(`bowerbird_http_requests_total{method="GET",route="${route}",tier="demo",status="200"}`),
    ).toBe(1);
    expect(values.get(`bowerbird_http_request_seconds_count{method="GET",route="${route}"}`)).toBe(1);
    expect(
      values.get('bowerbird_http_requests_total{method="GET",route="none",tier="none",status="404"}'),
    ).toBe(1);
    expect(values.get('bowerbird_http_errors_total{code="invalid_parameter",tier="demo"}')).toBe(1);
    expect([...values.keys()].filter((series) => series.includes('surf'))).toEqual([]);
  });

  it('count questions to the registry by what came of them', async () => {
    await test.caller().get('/v1/domains/check').query({ domain: 'never-asked-before.com.au' }).expect(200);
    const values = await scrape();
    const asked = [...values].filter(([series]) =>
      series.startsWith('bowerbird_registry_questions_total{source="sandbox"'),
    );
    expect(asked.reduce((sum, [, count]) => sum + count, 0)).toBeGreaterThan(0);
  });

  it('tell how dataset, work and connections stand', async () => {
    const values = await scrape();
    const groups = [...values].filter(([series]) => series.startsWith('bowerbird_readings_known'));
    expect(groups.map(([series, isKnown]) => [/"(.*)"/.exec(series)?.[1], isKnown]).sort()).toEqual([
      ['admission', 1],
      ['backup', 1],
      ['dataset', 1],
      ['jobs', 1],
      ['pools', 1],
      ['proof_of_work', 1],
      ['registrars', 1],
      ['registry', 1],
    ]);
    expect(values.get('bowerbird_writes_stopped')).toBe(0);
    expect(values.get('bowerbird_queue_waiting{queue="confirmation"}')).toBe(0);
    for (const queue of ['confirmation', 'drops', 'repeat', 'retry', 'recheck', 'backlog']) {
      const [waiting, ends] = ['waiting', 'ends_seconds'].map((name) =>
        values.get(`bowerbird_queue_${name}{queue="${queue}"}`),
      );
      expect([queue, (ends ?? NaN) > 0]).toEqual([queue, (waiting ?? NaN) > 0]);
    }
    expect(values.get('bowerbird_database_connections_wanted{pool="main"}')).toBe(0);
    expect(values.get('nodejs_eventloop_lag_p99_seconds')).toBeGreaterThanOrEqual(0);
    expect(values.get('process_resident_memory_bytes')).toBeGreaterThan(0);
  });

  it('are in no document', async () => {
    const { text } = await test.caller().get('/api/v1/openapi.json').expect(200);
    expect(text).not.toContain('/metrics');
  });
});

describe('/metrics at a port of its own', () => {
  it('are there, without a token, and not where the world comes in', async () => {
    const test = await startTestApp({ METRICS_PORT: '0' });
    const address = `http://127.0.0.1:${test.app.get(MetricsServer).port}`;
    try {
      await test.caller().get('/metrics').expect(404);
      const answer = await fetch(`${address}/metrics`);
      expect(answer.status).toBe(200);
      const values = valuesOf(await answer.text());
      expect(values.get('bowerbird_readings_known{group="pools"}')).toBe(1);
      // Nothing was sampled yet, so the share is not known.
      expect(values.get('bowerbird_sampled_offers')).toBe(0);
      expect(values.has('bowerbird_false_offers_share')).toBe(false);
      expect((await fetch(`${address}/v1/stats`)).status).toBe(404);
      expect((await fetch(`${address}/metrics`, { method: 'POST' })).status).toBe(404);
    } finally {
      await test.close();
    }
    await expect(fetch(`${address}/metrics`)).rejects.toThrow();
  });

  it('want the token there where there is one', async () => {
    const test = await startTestApp({ METRICS_PORT: '0', METRICS_TOKEN: TOKEN });
    const address = `http://127.0.0.1:${test.app.get(MetricsServer).port}/metrics`;
    try {
      expect((await fetch(address)).status).toBe(401);
      expect((await fetch(address, { headers: { Authorization: `Bearer ${TOKEN}` } })).status).toBe(200);
    } finally {
      await test.close();
    }
  });
});

describe('without either', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await startTestApp();
  });
  afterAll(() => test.close());

  it('there are no metrics', async () => {
    await test.caller().get('/metrics').expect(404);
  });

  it('a request leaves a line with its tier and a digest of its address, which is not in it', async () => {
    await test.caller().get('/v1/stats').set('X-Forwarded-For', '203.0.113.77').expect(200);
    const lines = test.log.map((line) => JSON.parse(line) as Record<string, unknown>);
    const [line] = lines.filter(({ msg }) => msg === 'request completed').slice(-1);
    expect(line?.caller).toEqual({ address: expect.stringMatching(/^[0-9a-f]{16}$/), tier: 'demo' });
    expect(test.log.join('')).not.toContain('203.0.113.77');
  });
});

describe('with every switch on', () => {
  let own: TestDatabase;
  let test: TestApp;
  let text: string;
  const operator = mintOperatorKey();
  beforeAll(async () => {
    own = await createTestDatabase();
    // A snapshot of today, so that none is due.
    await own.database.query(
      `INSERT INTO export (id, kind, made_at, schema_version, first_event, last_event, rows, files)
       VALUES ('snapshot-20261122T050000Z', 'snapshot', now(), 1, 1, 1, 0, '[]')`,
    );
    test = await startTestApp({
      ...WITH_EVERYTHING,
      DATABASE_URL: own.url,
      EXPORT_DIR: await makeFolder('exports'),
      METRICS_TOKEN: TOKEN,
      OPERATOR_KEY_HASH: `alice:${operator.hash}`,
      STRIPE_WEBHOOK_SECRET: 'whsec_test',
      STRIPE_PRICE_TIERS: 'price_1:pro',
      // Nothing answers there, which the service has to live with.
      ARCHIVE_CDX_URL: 'http://127.0.0.1:9/cdx',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
      REGISTRY_AVAILABILITY_SERVICE: '127.0.0.1:9',
    });
    await until('a job has run', async () => {
      const rows = await test.database.query('SELECT FROM work WHERE last_success_at IS NOT NULL');
      return rows.length > 0;
    });
    ({ text } = await test.caller().get('/metrics').auth(TOKEN, { type: 'bearer' }).expect(200));
  });
  afterAll(async () => {
    await test.close();
    await own.close();
  });

  it('every group of figures is known', () => {
    const values = valuesOf(text);
    for (const group of ['dataset', 'exports', 'jobs', 'pools', 'registrars', 'registry', 'webhooks'])
      expect([group, values.get(`bowerbird_readings_known{group="${group}"}`)]).toEqual([group, 1]);
    expect(values.get('bowerbird_export_age_seconds{kind="snapshot"}')).toBeGreaterThanOrEqual(0);
    expect(values.get('bowerbird_webhook_events_waiting')).toBe(0);
    expect(values.get('bowerbird_webhook_oldest_seconds')).toBe(0);
    expect(values.get('bowerbird_registry_line_waiting')).toBe(0);
    expect([...values.keys()].filter((series) => series.startsWith('bowerbird_job_failures'))).not.toEqual(
      [],
    );
    expect(test.log.filter((line) => line.includes('are missing'))).toEqual([]);
  });

  it.each(['/livez', '/readyz', '/status', '/api/v1/status'])('%s answers', async (path) => {
    await test.caller().get(path).expect(200);
  });

  it("the report of a month and the operators' status answer", async () => {
    const { bearer } = await addKey(test.database, { tier: 'firehose' });
    const { body } = await test
      .caller()
      .get('/api/v1/status/report')
      .set('Authorization', bearer)
      .expect(200);
    expect(body).toMatchObject({ ok: true, objectives: expect.any(Array) });
    const status = await test
      .caller()
      .get('/ops/v1/status')
      .auth(operator.text, { type: 'bearer' })
      .expect(200);
    expect(status.body).toMatchObject({ jobs: { are_done: true }, webhooks: { enabled: 0 } });
  });

  it.each(['deploy/prometheus/alerts.yml', 'deploy/grafana/bowerbird.json'])(
    '%s names metrics that there are',
    (file) => {
      const config = readFileSync(join(__dirname, '../..', file), 'utf8');
      const named = [...new Set(config.match(/bowerbird_[a-z0-9_]+/g))];
      expect(named.length).toBeGreaterThan(10);
      const types = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)];
      const known = types.flatMap(([, name = '', type]) =>
        type === 'histogram' ? [name, ...['_bucket', '_count', '_sum'].map((part) => name + part)] : [name],
      );
      expect(named.filter((name) => !known.includes(name))).toEqual([]);
    },
  );
});
