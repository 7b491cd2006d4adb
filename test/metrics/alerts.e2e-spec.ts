import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { DiscoveryService } from '@nestjs/core';
import { BUCKETS } from '../../src/observe/objectives.js';
import { MetricsServer } from '../../src/observe/metrics.module.js';
import { ReadingSource } from '../../src/observe/readings.js';
import { ServiceMinuteRepository } from '../../src/observe/service-minute.repository.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { addDomain, addInState } from '../support/domains.js';
import { makeFolder, until } from '../support/processes.js';
import { found, NOT_FOUND, startScriptedRegistry, type ScriptedRegistry } from '../support/registry.js';
import { WITH_EVERYTHING } from '../support/switches.js';

const FILE = join(__dirname, '../../deploy/prometheus/alerts.yml');
const CANARY = 'canary.com.au';

/** These depend on a rate, on whole minutes of a late event loop, or on Prometheus itself: promtool tests them. */
const BY_PROMETHEUS = ['BowerbirdDown', 'BowerbirdErrors', 'BowerbirdSlow', 'BowerbirdEventLoopLate'];

interface Series {
  readonly name: string;
  readonly labels: ReadonlyMap<string, string>;
  readonly value: number;
}

interface Alert {
  readonly name: string;
  /** One of them is enough. */
  readonly conditions: string[];
}

const COMPARISONS: Record<string, (value: number, bound: number) => boolean> = {
  '>': (value, bound) => value > bound,
  '<': (value, bound) => value < bound,
  '>=': (value, bound) => value >= bound,
  '==': (value, bound) => value === bound,
  '!=': (value, bound) => value !== bound,
};

function readAlerts(): Alert[] {
  const rules = readFileSync(FILE, 'utf8').split('- alert: ').slice(1);
  return rules.flatMap((rule) => {
    const [, name = ''] = /^(\w+)/.exec(rule) ?? [];
    const [, expression = ''] = /expr: \|?([^]*?)\n\s+(?:for|labels):/.exec(rule) ?? [];
    const conditions = expression.split(/\sor\s/).map((one) => one.trim());
    return BY_PROMETHEUS.includes(name) ? [] : [{ name, conditions }];
  });
}

function seriesOf(text: string): Series[] {
  return text.split('\n').flatMap((line) => {
    const [, name = '', labels = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    return name === '' ? [] : [{ name, labels: labelsOf(labels), value: Number(value) }];
  });
}

const labelsOf = (text: string) =>
  new Map([...text.matchAll(/(\w+)="([^"]*)"/g)].map(([, label = '', value = '']) => [label, value]));

/** @throws {Error} where the expression is of a form that is not known here */
function holds(condition: string, series: Series[]): boolean {
  const [, name = '', labels = '', comparison = '', factors = ''] =
    /^(\w+)(?:\{(.*)\})? (\S+) ([\d. *]+)$/.exec(condition) ?? [];
  const compare = COMPARISONS[comparison];
  if (!compare) throw new Error(`cannot judge: ${condition}`);
  const bound = factors.split('*').reduce((product, factor) => product * Number(factor), 1);
  const wanted = [...labelsOf(labels)];
  return series
    .filter((one) => one.name === name && wanted.every(([label, value]) => one.labels.get(label) === value))
    .some(({ value }) => compare(value, bound));
}

const ALERTS = readAlerts();

/** Everything is on but the jobs, which would do what an alert says is left undone. */
async function startWatched(environment: Record<string, string> = {}): Promise<TestApp> {
  return startTestApp({
    ...WITH_EVERYTHING,
    DATASET_JOBS: 'off',
    EXPORT_DIR: await makeFolder('exports'),
    METRICS_PORT: '0',
    REGISTRY_RDAP_URL: registry.url,
    REGISTRY_CANARIES: CANARY,
    LIST_DELETED_URLS: 'http://127.0.0.1:1/deleted.csv',
    ...environment,
  });
}

/** The alerts whose condition holds, as the service tells its figures now. */
async function findFiring(test: TestApp): Promise<string[]> {
  const answer = await fetch(`http://127.0.0.1:${test.app.get(MetricsServer).port}/metrics`);
  expect(answer.status).toBe(200);
  const series = seriesOf(await answer.text());
  const firing = ALERTS.filter(({ conditions }) => conditions.some((condition) => holds(condition, series)));
  return firing.map(({ name }) => name);
}

let registry: ScriptedRegistry;
beforeEach(async () => {
  registry = await startScriptedRegistry();
  registry.reply(found(CANARY), CANARY);
});
afterEach(() => registry.close());

it('no alert fires of a service that is well', async () => {
  const test = await startWatched();
  try {
    await test.caller().get('/v1/domains/check').query({ domain: 'well.com.au' }).expect(200);
    await addDomain(test.database);
    expect(await findFiring(test)).toEqual([]);
  } finally {
    await test.close();
  }
});

const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000);

/** What each of these alerts is about, made to happen. */
const CAUSES: Record<string, (test: TestApp) => Promise<unknown>> = {
  BowerbirdErrorBudgetSpent: async ({ database }) => {
    const counted = { durations: Array.from({ length: BUCKETS }, () => 0) };
    const minute = hoursAgo(2);
    minute.setSeconds(0, 0);
    await new ServiceMinuteRepository(database).add([
      { minute, subject: 'instance', requests: 0, failures: 0, ...counted },
      { minute, subject: 'door:v1', requests: 100, failures: 100, ...counted },
    ]);
  },
  BowerbirdRegistryLeftAlone: async (test) => {
    registry.reply({ status: 503 });
    for (let question = 0; question < 12; question += 1)
      await test
        .caller()
        .get('/v1/domains/check')
        .query({ domain: `left-${question}.com.au` })
        .expect(503);
  },
  BowerbirdFalseOffers: ({ database }) => addSamples(database, { of: 700, taken: 70, hoursBefore: 24 }),
  BowerbirdFalseOffersChanged: ({ database }) =>
    addSamples(database, { of: 3_000, taken: 30, hoursBefore: 700, until: 25 }),
  BowerbirdConfirmationLate: async ({ database }) => {
    await addInState(database, [{ domain: 'late.com.au', state: 'purged' }]);
    await database.query(`UPDATE domain SET purge_at = $1 WHERE domain = 'late.com.au'`, [hoursAgo(7)]);
  },
  BowerbirdListOld: ({ database }) =>
    database.query(
      `INSERT INTO list_fetch (address, kind, started_at, finished_at, outcome)
       VALUES ('http://127.0.0.1:1/deleted.csv', 'deleted', $1, $1, 'imported')`,
      [hoursAgo(37)],
    ),
  BowerbirdJobFails: ({ database }) => addWork(database, 'purge', { failures: 5, due: hoursAgo(0) }),
  BowerbirdJobOverdue: ({ database }) => addWork(database, 'reserve', { due: hoursAgo(1) }),
  BowerbirdJobPastDeadline: ({ database }) => addWork(database, 'sample', { overran: hoursAgo(1) }),
  BowerbirdNoAnswers: ({ database }) =>
    addWork(database, 'questions', { cursor: { moved_at: hoursAgo(1).toISOString() } }),
  BowerbirdCanariesNotAsked: ({ database }) =>
    database.query('UPDATE registry_health SET canary_at = $1', [hoursAgo(1)]),
  BowerbirdExportOld: ({ database }) =>
    database.query(
      `INSERT INTO export (id, kind, made_at, schema_version, first_event, last_event, rows, files)
       VALUES ('snapshot-old', 'snapshot', $1, 1, 1, 1, 0, '[]')`,
      [hoursAgo(27)],
    ),
  BowerbirdOrderingStopped: ({ database }) =>
    database.query(`INSERT INTO ordering_stop (reason, words, since) VALUES ('operator', 'a test', now())`),
  BowerbirdRegistrarFundsLow: ({ database }) =>
    database.query(`INSERT INTO registrar_state (registrar, balance_cents) VALUES ('short', 500)`),
  BowerbirdRegistrarDiffers: ({ database }) =>
    database.query(
      `INSERT INTO registrar_finding VALUES ('short', 'expiry', 'a.au', 'differs', now(), now())`,
    ),
  BowerbirdRegistrarNotCompared: ({ database }) =>
    database.query(`INSERT INTO registrar_state (registrar, reconciled_at) VALUES ('alone', $1)`, [
      hoursAgo(49),
    ]),
  BowerbirdRegistrarFails: ({ database }) => addExchanges(database, 'timeout'),
  BowerbirdRegistrarLimits: ({ database }) => addExchanges(database, '2502'),
  BowerbirdWebhooksLate: async ({ database }) => {
    await database.query('INSERT INTO webhook_outbox (last_event) VALUES (0) ON CONFLICT DO NOTHING');
    await database.query(
      `INSERT INTO domain_event (number, type, domain, occurred_at)
       SELECT last_event + 1, 'domain.purged', 'late.com.au', $1 FROM webhook_outbox`,
      [hoursAgo(1)],
    );
  },
};

/** These come of a process that does jobs, or keep others from firing. */
const APART = [
  'BowerbirdBackupLoss',
  'BowerbirdBackupOld',
  'BowerbirdCanaryFailed',
  'BowerbirdFiguresMissing',
  'BowerbirdWritesStopped',
];
const BY_READING = 'BowerbirdConnectionsShort';
const BY_SETTING = 'BowerbirdRegistrarCertificateEnds';

it('each alert fires of what it is about', async () => {
  const inAWeek = new Date(Date.now() + 7 * 86_400_000);
  const { cert, private: key } = await generate([], { notAfterDate: inAWeek, keyType: 'ec' });
  const test = await startWatched({
    ...{ EPP_ADDRESS: '127.0.0.1:1', EPP_CLIENT: 'SANDBOX', EPP_PASSWORD: 'sandbox-password' },
    ...{ EPP_CERTIFICATE: cert, EPP_KEY: key },
  });
  try {
    for (const cause of Object.values(CAUSES)) await cause(test);
    expect((await findFiring(test)).toSorted()).toEqual([...Object.keys(CAUSES), BY_SETTING].toSorted());
  } finally {
    await test.close();
  }
  expect([...Object.keys(CAUSES), ...APART, BY_READING, BY_SETTING].toSorted()).toEqual(
    ALERTS.map(({ name }) => name).toSorted(),
  );
});

it('lost canaries, old backups, stopped writes and figures that cannot be read are told', async () => {
  registry.reply(NOT_FOUND, CANARY);
  const test = await startWatched({ DATASET_JOBS: 'on', EXPORTS: 'off' });
  try {
    await test.caller().get('/v1/domains/check').query({ domain: 'unsure.com.au' }).expect(503);
    await test.database.query(
      `INSERT INTO audit_log (at, actor, action, subject, reason) VALUES ($1, 'job', 'backup', 'whole', '')`,
      [hoursAgo(27)],
    );
    await test.database.query(
      `UPDATE lifecycle_guard SET writes_stopped_at = now(), reason = 'too many flips'`,
    );
    await test.database.query('ALTER TABLE webhook_outbox RENAME TO away');
    const firing = await findFiring(test);
    await test.database.query('ALTER TABLE away RENAME TO webhook_outbox');
    expect(firing.toSorted()).toEqual(APART);
  } finally {
    await test.close();
  }
});

it('that no backup was ever made is told', async () => {
  const test = await startWatched({ DATASET_JOBS: 'on' });
  try {
    expect(await findFiring(test)).toContain('BowerbirdBackupOld');
  } finally {
    await test.close();
  }
});

it('work that waits for a connection is told', async () => {
  const test = await startWatched({ DATABASE_POOL_SIZE: '2' });
  const ends: (() => void)[] = [];
  try {
    const pools = test.app
      .get(DiscoveryService, { strict: false })
      .getProviders()
      .map(({ instance }) => instance as unknown)
      .find((one): one is ReadingSource => one instanceof ReadingSource && one.group === 'pools');
    const held = [1, 2].map(() =>
      test.database.transaction(() => new Promise<void>((resolve) => ends.push(resolve))),
    );
    await until('both connections are lent', async () => ends.length === 2);
    const waiting = test.database.query('SELECT 1');
    const readings = (await pools?.read()) ?? [];
    const wanted = readings.find(
      ({ gauge, label }) => gauge === 'database_connections_wanted' && label === 'main',
    );
    expect(wanted?.value).toBeGreaterThan(0);
    ends.forEach((end) => end());
    await Promise.all([waiting, ...held]);
  } finally {
    ends.forEach((end) => end());
    await test.close();
  }
});

/** Of a registrar that is known by its balance. */
async function addExchanges(database: TestApp['database'], result: string): Promise<void> {
  await database.query(
    `INSERT INTO registrar_exchange (registrar, command, sent_at, took_ms, result, request)
     SELECT 'short', 'create', now(), 1, $1, '' FROM generate_series(1, 30)`,
    [result],
  );
}

async function addWork(
  database: TestApp['database'],
  kind: string,
  { failures = 0, due = hoursAgo(-1), overran = null, cursor = null }: Partial<WorkSeed>,
): Promise<void> {
  await database.query('INSERT INTO work_kind (kind) VALUES ($1) ON CONFLICT DO NOTHING', [kind]);
  await database.query(
    `INSERT INTO work (kind, key, due_at, failures, overran_at, cursor) VALUES ($1, '', $2, $3, $4, $5)
     ON CONFLICT (kind, key) DO UPDATE
       SET due_at = excluded.due_at, failures = excluded.failures, overran_at = excluded.overran_at,
           cursor = excluded.cursor`,
    [kind, due, failures, overran, cursor],
  );
}

interface WorkSeed {
  readonly failures: number;
  readonly due: Date;
  readonly overran: Date | null;
  readonly cursor: object | null;
}

/** So many samples of offers, evenly over some hours. */
async function addSamples(
  database: TestApp['database'],
  { of, taken, hoursBefore, until = 0 }: { of: number; taken: number; hoursBefore: number; until?: number },
): Promise<void> {
  await database.query(
    `INSERT INTO truth_sample (domain, stratum, wayback, dropped_at, offered_since, asked_at, outcome)
     SELECT 'sampled.com.au', 'all', 20, NULL, at, at, CASE WHEN place < $1::int THEN 'taken' ELSE 'free' END
       FROM generate_series(0, $2::int - 1) AS place,
            LATERAL (SELECT now() - make_interval(secs => 3600 * ($3::int + ($4::int - $3::int) * (place + 0.5) / $2::int)) AS at) AS moment`,
    [taken, of, until, hoursBefore],
  );
}
