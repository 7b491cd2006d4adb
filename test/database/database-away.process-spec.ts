import { chmod, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { mintApiKey } from '../../src/access/api-key.js';
import { createDataSource } from '../../src/db/data-source.js';
import { Database } from '../../src/db/database.js';
import { hasCode } from '../../src/validation/unknown-values.js';
import { type Cluster, openCluster } from '../../src/db/embedded/cluster.js';
import { findPostmaster, ensureServer, serverUrl, stopServer } from '../../src/db/embedded/server.js';
import { type SandboxRegistry, startSandboxRegistry } from '../../src/demo/sandbox-registry.js';
import { addKey, WITH_KEYS } from '../support/accounts.js';
import { addDomain } from '../support/domains.js';
import { compiledSources, freePort, makeFolder, run, type Running, until } from '../support/processes.js';

jest.setTimeout(150_000);

const SETTINGS = { fsync: 'off' };
/** No answer may take longer, whatever has happened to the database: a few statements, each with its time limit. */
const MAX_ANSWER_MS = 25_000;

let compiled: string;
let folder: string;
let cluster: Cluster;
let databaseUrl: string;
let registry: SandboxRegistry;
let service: Service | undefined;

beforeAll(async () => {
  compiled = await compiledSources();
  folder = await makeFolder('away');
  await chmod(folder, 0o755);
  registry = await startSandboxRegistry({ port: 0 });
  cluster = await openCluster(folder);
  const requiredPort = await freePort();
  databaseUrl = serverUrl(cluster, (await ensureServer(cluster, { settings: SETTINGS, requiredPort })).port);
});
afterEach(async () => {
  await service?.stop('SIGKILL');
  service = undefined;
});
afterAll(async () => {
  await signalServer('SIGCONT');
  await stopServer(cluster);
  await registry.close();
  await rm(folder, { recursive: true, force: true });
});

const startServer = () =>
  ensureServer(cluster, { settings: SETTINGS, requiredPort: Number(new URL(databaseUrl).port) });

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: {
    error?: { code: string; request_id: string };
    rate?: { remaining: number };
    quota?: object;
    result?: { isError: boolean; content: { text: string }[] };
    available_records?: number;
  };
}

interface Service extends Running {
  get(path: string, caller?: string, request?: RequestInit): Promise<Answer>;
}

/** The service as a process of its own: what is not caught anywhere must end that, and the test must see it. */
async function startService(environment: Record<string, string>): Promise<Service> {
  const running = run(join(compiled, 'dist/main.js'), [], {
    environment: {
      HOST: '127.0.0.1',
      PORT: '0',
      TRUST_PROXY: '1',
      REGISTRY_RDAP_URL: registry.url,
      REGISTRY_SOURCE: 'sandbox',
      REGISTRY_BOOTSTRAP_URL: 'off',
      REGISTRY_CANARIES: '',
      REGISTRY_RATE_PER_SECOND: '1000',
      REGISTRY_BURST: '1000',
      ...environment,
    },
  });
  service = {
    ...running,
    async get(path, caller = '198.51.100.1', request = {}) {
      const [, port] = await running.says(/"port":(\d+),"msg":"listening"/);
      const response = await fetch(`http://127.0.0.1:${port}${path}`, {
        ...request,
        headers: { 'X-Forwarded-For': caller, ...request.headers },
        signal: AbortSignal.timeout(MAX_ANSWER_MS),
      });
      const text = await response.text();
      // Agents of 2025 are answered in an event.
      const [, event] = /^data: (.*)$/m.exec(text) ?? [];
      return {
        status: response.status,
        headers: response.headers,
        body: JSON.parse(event ?? text) as Answer['body'],
      };
    },
  };
  return service;
}

async function seed(url: string): Promise<void> {
  const dataSource = await createDataSource(url, 2, () => undefined).initialize();
  const database = new Database(dataSource);
  await database.query('DELETE FROM domain');
  await database.query('UPDATE dataset SET available_records = 0');
  for (let number = 0; number < 10; number += 1) await addDomain(database, { wayback: number });
  await dataSource.destroy();
}

/** Never 0, which would be the tests themselves. */
async function pidOf(of: Cluster): Promise<number> {
  const postmaster = await findPostmaster(of);
  if (!postmaster?.pid) throw new Error('there is no server');
  return postmaster.pid;
}

/** One that has ended meanwhile needs no signal. */
function signalIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!hasCode(error, 'ESRCH')) throw error;
  }
}

/** Kills without warning. The signal alone is not yet the end. */
async function killServer(): Promise<void> {
  process.kill(await pidOf(cluster), 'SIGKILL');
  await until('the server is dead', async () => !(await findPostmaster(cluster)));
}

/** Stops or resumes every process of the server, as a machine does that stands still. */
async function signalServer(signal: 'SIGSTOP' | 'SIGCONT'): Promise<void> {
  const postmaster = await findPostmaster(cluster);
  if (!postmaster) return;
  process.kill(postmaster.pid, signal);
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
    if (status.includes(`PPid:\t${postmaster.pid}\n`)) signalIfThere(Number(pid), signal);
  }
}

function expectUnavailable({ status, headers, body }: Answer): void {
  expect([status, body.error?.code]).toEqual([503, 'database_unavailable']);
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  // What is left is not known.
  expect(headers.get('x-ratelimit-remaining')).toBeNull();
  expect(body.error?.request_id).toBe(headers.get('x-request-id'));
}

/** Nest closes everything and then lets the signal take its course. */
async function endsWell(running: Service): Promise<void> {
  expect([await running.stop('SIGTERM'), running.output()]).toEqual([
    'SIGTERM',
    expect.not.stringMatching(/"level":[56]0/),
  ]);
}

const isServing = (running: Service) => async () => (await running.get('/readyz')).status === 200;

describe('the database goes away and comes back', () => {
  // A test that failed may have left it stopped.
  beforeEach(() => startServer());

  it('a request under way is answered 503, so are all others meanwhile; nothing is charged; nobody restarts anything', async () => {
    const running = await startService({ DATABASE_URL: databaseUrl });
    await running.get('/livez');
    await seed(databaseUrl);
    expect((await running.get('/v1/suggest?limit=2')).body.rate?.remaining).toBe(3);

    const { answer, cutOff } = await stuckOn('dataset', () => running.get('/v1/stats'));
    await cutOff();
    expectUnavailable(await answer);
    await stopServer(cluster);

    for (const path of [
      '/v1/stats',
      '/v1/suggest',
      '/v1/domains/check?domain=sandbox-available.com.au',
      '/readyz',
    ]) {
      expectUnavailable(await running.get(path));
    }
    expect((await running.get('/livez')).status).toBe(200);
    expect((await running.get('/v1/suggest?limit=0')).status).toBe(400);

    await startServer();
    await until('the service is ready', isServing(running));
    expect((await running.get('/v1/stats')).body.available_records).toBe(10);
    const after = await running.get('/v1/suggest?limit=1', '198.51.100.2');
    expect([after.status, after.body.rate?.remaining]).toEqual([200, 4]);
    const minute = (await running.get('/v1/suggest?limit=1')).body.rate?.remaining;
    // 2, or 4 when a new minute has begun: what failed was not charged.
    expect([2, 4]).toContain(minute);
    await endsWell(running);
  });

  it('keys are believed no more than before: 503, and neither a free pass nor the demo tier', async () => {
    const running = await startService({
      DATABASE_URL: databaseUrl,
      ...WITH_KEYS,
    });
    await running.get('/livez');
    await seed(databaseUrl);
    const dataSource = await createDataSource(databaseUrl, 1, () => undefined).initialize();
    const known = await addKey(new Database(dataSource), { tier: 'starter' });
    await dataSource.destroy();
    const { text } = mintApiKey('live');
    const ask = (path: string, Authorization: string) =>
      running.get(path, undefined, { headers: { Authorization } });
    expect((await ask('/v1/suggest?limit=2', known.bearer)).status).toBe(200);
    const before = await ask('/api/v1/usage', known.bearer);

    await stopServer(cluster);
    const paths = [
      '/v1/suggest',
      '/v1/stats',
      '/api/v1/search',
      '/api/v1/usage',
      '/api/v1/dropped?since=2026-01-01T00:00:00Z',
    ];
    for (const bearer of [known.bearer, `Bearer ${text}`])
      for (const path of paths) expectUnavailable(await ask(path, bearer));
    expect((await ask('/v1/suggest', 'Bearer nonsense')).status).toBe(401);

    await startServer();
    await until('the service is ready', isServing(running));
    expect((await ask('/v1/stats', `Bearer ${text}`)).status).toBe(401);
    expect((await ask('/api/v1/usage', known.bearer)).body.quota).toEqual(before.body.quota);
    await endsWell(running);
  });

  it('an agent is told in a result that it can act on', async () => {
    const running = await startService({ DATABASE_URL: databaseUrl });
    await running.get('/livez');
    await stopServer(cluster);
    const message = { name: 'suggest_domains', arguments: { limit: 1 } };
    const { status, body } = await running.get('/mcp', undefined, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: message }),
    });
    expect([status, body.result?.isError]).toEqual([200, true]);
    expect(JSON.parse(body.result?.content[0]?.text ?? '')).toEqual({
      code: 'database_unavailable',
      message: expect.any(String),
      retry_after_seconds: expect.any(Number),
      what_next: expect.stringContaining('Nothing was charged'),
    });
    await startServer();
    await until('the service is ready', isServing(running));
    await endsWell(running);
  });

  it('under load, killed without warning: every answer is an answer or 503, and the service lives', async () => {
    const running = await startService({
      DATABASE_URL: databaseUrl,
      TIERS: JSON.stringify({ demo: { recordsPerMinute: 100_000, requestsPerMinute: 100_000 } }),
    });
    await running.get('/livez');
    await seed(databaseUrl);
    const answers: Answer[] = [];
    let stopping = false;
    const paths = [
      '/v1/stats',
      '/v1/suggest?limit=3',
      '/v1/suggest?q=name&limit=3',
      '/v1/domains/check?domain=sandbox-taken.com.au',
    ];
    const callers = paths
      .flatMap((path) => [path, path])
      .map(async (path) => {
        while (!stopping) answers.push(await running.get(path));
      });
    for (let round = 0; round < 3; round += 1) {
      const before = answers.length;
      await until('answers', () => answers.slice(before).filter(({ status }) => status === 200).length > 20);
      await killServer();
      const killed = answers.length;
      await until('refusals', () => answers.slice(killed).some(({ status }) => status === 503));
      await startServer();
      await until('the service is ready', isServing(running));
    }
    stopping = true;
    await Promise.all(callers);
    const kinds = new Set(answers.map(({ status, body }) => `${status} ${body.error?.code ?? 'ok'}`));
    expect([...kinds].sort()).toEqual(['200 ok', '503 database_unavailable']);
    expect(running.child.exitCode).toBeNull();
    await endsWell(running);
  });

  it('that stands still without closing a connection is away as well', async () => {
    const running = await startService({ DATABASE_URL: databaseUrl });
    await running.get('/livez');
    await seed(databaseUrl);
    await running.get('/v1/stats');
    await signalServer('SIGSTOP');
    try {
      const paths = [
        '/v1/stats',
        '/v1/suggest',
        '/v1/domains/check?domain=sandbox-available.com.au',
        '/readyz',
      ];
      const answers = await Promise.all(paths.map((path, index) => running.get(path, `203.0.113.${index}`)));
      answers.forEach(expectUnavailable);
    } finally {
      await signalServer('SIGCONT');
    }
    await until('the service is ready', isServing(running));
    expect((await running.get('/v1/suggest?limit=1', '198.51.100.3')).body.rate?.remaining).toBe(4);
    await endsWell(running);
  });

  it('is waited for at the start', async () => {
    await stopServer(cluster);
    const running = await startService({ DATABASE_URL: databaseUrl });
    await running.says(/Waiting for PostgreSQL at 127\.0\.0\.1:\d+\/bowerbird/);
    await startServer();
    expect((await running.get('/readyz')).status).toBe(200);
    await endsWell(running);
  });
});

describe('the embedded database dies under the service', () => {
  it('and is brought back: 503 meanwhile, then answers again, with the same data', async () => {
    const dataDir = await makeFolder('embedded');
    await chmod(dataDir, 0o755);
    const running = await startService({ DATA_DIR: dataDir });
    await running.get('/livez');
    const own = await openCluster(dataDir);
    await seed(serverUrl(own, (await findPostmaster(own))?.port ?? 0));

    process.kill(await pidOf(own), 'SIGKILL');
    await running.says(/"msg":"The embedded PostgreSQL is back"/);
    await until('the service is ready', isServing(running));
    expect((await running.get('/v1/stats')).body.available_records).toBe(10);
    await endsWell(running);
    expect(await findPostmaster(own)).toBeUndefined();
  });
});

describe('a database that cannot be used', () => {
  it.each([
    ['a wrong password', (url: URL) => (url.password = 'wrong'), /password authentication failed/],
    [
      'a database that is not there',
      (url: URL) => (url.pathname = '/nothing'),
      /database "nothing" does not exist/,
    ],
  ])('%s is said at once, without the password', async (_name, change, message) => {
    const url = new URL(databaseUrl);
    change(url);
    const running = await startService({ DATABASE_URL: url.href });
    expect(await running.ended).toBe(1);
    expect(running.output()).toMatch(message);
    expect(running.output()).not.toContain(url.password);
  });
});

/**
 * Begins a request and waits until it waits for a table that somebody else has locked.
 *
 * @returns how to end its connection as a server does that shuts down. (A real shutdown ends them in any order: where the
 * one that holds the lock goes first, the request is answered after all.)
 */
async function stuckOn(
  table: string,
  request: () => Promise<Answer>,
): Promise<{ answer: Promise<Answer>; cutOff: () => Promise<void> }> {
  const waiting = 'FROM pg_locks WHERE NOT granted AND relation = $1::regclass';
  const holder = new Client({ connectionString: databaseUrl });
  await holder.connect();
  await holder.query(`BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
  const answer = request();
  await until('the request waits', async () => {
    const { rowCount } = await holder.query(`SELECT ${waiting}`, [table]);
    return rowCount === 1;
  });
  return {
    answer,
    async cutOff() {
      await holder.query(`SELECT pg_terminate_backend(pid) ${waiting}`, [table]);
      await answer;
      await holder.end();
    },
  };
}
