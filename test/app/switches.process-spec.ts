import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mintOperatorKey } from '../../src/ops/operator-key.js';
import { addKey, ORDER_SECRET_KEY, WITH_WEBHOOKS } from '../support/accounts.js';
import { startTestApp } from '../support/app.js';
import { freePort, makeFolder, until } from '../support/processes.js';
import { startRedis, type TestRedis } from '../support/redis.js';
import { type Pair, startPair } from '../support/streaming-replica.js';
import { type Factor, SWITCHES } from '../support/switches.js';

const TOKEN = 'a-token-for-prometheus-of-32-characters';
const BROWSER = 'text/html,application/xhtml+xml';
const operator = mintOperatorKey();

type Row = ReadonlyMap<string, string>;

const PARTS = ['redis', 'replica', 'pgbouncer', 'metrics', 'operators', 'payments', 'traces'] as const;
const FACTORS: readonly Factor[] = [...SWITCHES, ...PARTS.map((name): Factor => [name, ['on', 'off']])];

/** The service says at its start that they need accounts. */
const NEED_ACCOUNTS = ['WEBHOOKS', 'EXPORTS', 'ORDERS', 'payments'];
const isPossible = (row: Row) =>
  row.get('AUTH') !== 'off' || NEED_ACCOUNTS.every((name) => row.get(name) !== 'on');

type Choice = readonly [name: string, state: string];
const pairOf = (one: Choice, other: Choice) => [one.join('='), other.join('=')].sort().join(' & ');

function pairsOf(row: Row): string[] {
  const choices = [...row];
  return choices.flatMap((one, place) => choices.slice(place + 1).map((other) => pairOf(one, other)));
}

/** Rows in which every two states of two factors that can be had together are so at least once; all is on in the first. */
function coveringRows(): Row[] {
  const missing = new Set(
    FACTORS.flatMap(([name, states], place) =>
      FACTORS.slice(place + 1).flatMap(([other, others]) =>
        states.flatMap((state) =>
          others
            .filter((second) =>
              isPossible(
                new Map([
                  [name, state],
                  [other, second],
                ]),
              ),
            )
            .map((second) => pairOf([name, state], [other, second])),
        ),
      ),
    ),
  );
  const rows: Row[] = [];
  const take = (row: Row) => {
    rows.push(row);
    for (const pair of pairsOf(row)) missing.delete(pair);
  };
  take(new Map(FACTORS.map(([name, [first = '']]) => [name, first])));
  for (let [seed] = missing; seed !== undefined; [seed] = missing) {
    const row = new Map(seed.split(' & ').map((choice) => choice.split('=') as [string, string]));
    for (const [name, states] of FACTORS) {
      if (row.has(name)) continue;
      const gain = (state: string) =>
        [...row].filter((other) => missing.has(pairOf([name, state], other))).length;
      const [best = ''] = states
        .filter((state) => isPossible(new Map([...row, [name, state]])))
        .sort((one, other) => gain(other) - gain(one));
      row.set(name, best);
    }
    take(row);
  }
  return rows;
}

const rows = coveringRows();

/** Where there is no Redis or no PgBouncer, their rows run without. */
let pair: Pair;
let redis: TestRedis | null = null;
let pooler: Pooler | null = null;
beforeAll(async () => {
  pair = await startPair();
  if (existsSync('/usr/bin/redis-server')) redis = await startRedis();
  if (existsSync(PGBOUNCER)) pooler = await startPooler(pair.primaryUrl);
});
afterAll(async () => {
  pooler?.stop();
  await redis?.close();
  await pair.close();
});

it('every two switches are both on, both off, and either alone, somewhere below', () => {
  expect(SWITCHES.map(([name]) => name)).toEqual(
    expect.arrayContaining(['AUTH', 'DATASET_JOBS', 'EXPORTS', 'PROOF_OF_WORK', 'WEBHOOKS']),
  );
  expect(rows.every(isPossible)).toBe(true);
  const covered = new Set(rows.flatMap(pairsOf));
  for (const [one, other] of [
    ['redis=on', 'replica=on'],
    ['pgbouncer=on', 'replica=on'],
    ['AUTH=off', 'NETWORK_LIMITS=observe'],
    ['EXPORTS=off', 'WEBHOOKS=on'],
  ])
    expect(covered).toContain([one, other].sort().join(' & '));
});

it.each(rows.map((row) => [describeRow(row), row] as const))(
  'the service answers with %s',
  async (_, row) => {
    const isOn = (name: string) => row.get(name) === 'on';
    const test = await startTestApp(await environmentOf(row));
    try {
      const answers = await Promise.all(
        Object.entries(await expectedOf(row, test)).map(async ([path, [status, headers]]) => {
          const answer = await test
            .caller()
            .get(path)
            .set(headers ?? {});
          return [path, answer.status, status] as const;
        }),
      );
      expect(answers.filter(([, got, wanted]) => got !== wanted)).toEqual([]);
      if (isOn('metrics')) {
        const { text } = await test.caller().get('/metrics').auth(TOKEN, { type: 'bearer' });
        expect([...text.matchAll(/^bowerbird_readings_known\{group="(\w+)"\} 0/gm)]).toEqual([]);
      }
      expect(test.log.filter((line) => /"level":(?:"error"|"fatal"|50|60)/.test(line))).toEqual([]);
    } finally {
      await test.close();
    }
  },
);

/** Statuses by path, for one with a key where there are accounts. */
async function expectedOf(
  row: Row,
  { database }: Pick<Awaited<ReturnType<typeof startTestApp>>, 'database'>,
): Promise<Record<string, [status: number, headers?: Record<string, string>]>> {
  const isOn = (name: string) => row.get(name) === 'on';
  const when = (name: string) => (isOn(name) ? 200 : 404);
  const bearer = isOn('AUTH')
    ? (await addKey(database, { tier: 'firehose', scopes: ['read', 'webhooks'] })).bearer
    : null;
  return {
    '/livez': [200],
    '/readyz': [200],
    '/v1/stats': [200],
    '/v1/suggest?limit=3': [200],
    '/v1/domains/check?domain=sandbox-available.au': [200],
    '/api/v1/status': [200],
    '/': [200, { Accept: BROWSER }],
    '/drops': [200],
    '/sign-in': [when('AUTH')],
    '/metrics': [when('metrics'), { Authorization: `Bearer ${TOKEN}` }],
    '/ops/v1/status': [when('operators'), { Authorization: `Bearer ${operator.text}` }],
    ...(bearer !== null && {
      '/api/v1/usage': [200, { Authorization: bearer }],
      '/api/v1/search?per_page=2': [200, { Authorization: bearer }],
      '/api/v1/watches': [200, { Authorization: bearer }],
      ...(isOn('WEBHOOKS') && { '/api/v1/webhooks': [200, { Authorization: bearer }] }),
    }),
  };
}

async function environmentOf(row: Row): Promise<Record<string, string>> {
  const isOn = (name: string) => row.get(name) === 'on';
  const direct = pair.primaryUrl;
  const { WEBHOOK_SECRET_KEY, AUTH_SECRET } = WITH_WEBHOOKS;
  return {
    ...Object.fromEntries(SWITCHES.map(([name]) => [name, row.get(name) ?? ''])),
    ...{
      WEBHOOK_SECRET_KEY,
      ORDER_SECRET_KEY,
      AUTH_SECRET,
      EXPORT_DIR: await makeFolder('exports'),
      REPLICA_MAX_LAG_MS: '60000',
    },
    ...(pooler && isOn('pgbouncer')
      ? { DATABASE_URL: pooler.url, DATABASE_DIRECT_URL: direct }
      : { DATABASE_URL: direct }),
    ...(isOn('replica') && { DATABASE_REPLICA_URLS: pair.replicaUrl }),
    ...(redis && isOn('redis') && { REDIS_URL: redis.url }),
    ...(isOn('metrics') && { METRICS_TOKEN: TOKEN }),
    ...(isOn('operators') && { OPERATOR_KEY_HASH: `alice:${operator.hash}` }),
    ...(isOn('payments') && { STRIPE_WEBHOOK_SECRET: 'whsec_test', STRIPE_PRICE_TIERS: 'price_1:pro' }),
    // Nothing answers there, which the service has to live with.
    ...(isOn('traces') && { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' }),
  };
}

function describeRow(row: Row): string {
  const named = (state: string) => [...row].filter(([, its]) => its === state).map(([name]) => name);
  const observed = named('observe').map((name) => `${name}=observe`);
  return [...named('on'), ...observed].join(', ');
}

const PGBOUNCER = '/usr/sbin/pgbouncer';

interface Pooler {
  readonly url: string;
  stop(): void;
}

/** As docs/operations/scale.md has it; in session mode where it is older than 1.21, which knows no prepared statements. */
async function startPooler(direct: string): Promise<Pooler> {
  const { username, password, port, pathname, hostname } = new URL(direct);
  const folder = await makeFolder('pgbouncer');
  await chmod(folder, 0o755);
  const listen = await freePort();
  const ini = join(folder, 'pgbouncer.ini');
  const [, minor = '0'] =
    /PgBouncer 1\.(\d+)/.exec(spawnSync(PGBOUNCER, ['--version'], { encoding: 'utf8' }).stdout) ?? [];
  const mode =
    Number(minor) >= 21
      ? ['pool_mode = transaction', 'max_prepared_statements = 200']
      : ['pool_mode = session', 'default_pool_size = 100'];
  await writeFile(join(folder, 'users'), `"${username}" "${decodeURIComponent(password)}"\n`);
  await writeFile(
    ini,
    [
      '[databases]',
      `* = host=${hostname} port=${port}`,
      '[pgbouncer]',
      ...['listen_addr = 127.0.0.1', `listen_port = ${listen}`, 'unix_socket_dir =', 'auth_type = plain'],
      ...[`auth_file = ${join(folder, 'users')}`, ...mode],
      'ignore_startup_parameters = statement_timeout,lock_timeout',
      '',
    ].join('\n'),
  );
  const asWhom = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
  const child: ChildProcess = spawn(PGBOUNCER, [...asWhom, ini], { stdio: 'ignore' });
  const url = new URL(direct);
  url.port = String(listen);
  url.pathname = pathname;
  const { Client } = await import('pg');
  await until('PgBouncer answers', async () => {
    const client = new Client({ connectionString: url.href });
    try {
      await client.connect();
      await client.query('SELECT 1');
      return true;
    } catch {
      return false;
    } finally {
      await client.end().catch(() => undefined);
    }
  });
  return { url: url.href, stop: () => void child.kill() };
}
