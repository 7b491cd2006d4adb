import { chmod, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, type QueryResultRow } from 'pg';
import { type SandboxCards, settingsOf, startSandboxCards } from '../../../src/demo/sandbox-cards.js';
import {
  makeSandboxIdentity,
  eppSettingsOf,
  SANDBOX_CLIENT,
  SANDBOX_PASSWORD,
} from '../../../src/demo/sandbox-registrar.js';
import { SANDBOX_KEY } from '../../../src/demo/sandbox-reseller.js';
import { startSandboxRegistry } from '../../../src/demo/sandbox-registry.js';
import { openCluster } from '../../../src/db/embedded/cluster.js';
import { ensureServer, findPostmaster, serverUrl, stopServer } from '../../../src/db/embedded/server.js';
import { migrate } from '../../../src/db/migrate.js';
import { WITH_ORDERS } from '../orders.js';
import { RESELLER_SUFFIX } from './faults.js';
import { compiledSources, freePort, makeFolder, run, type Running, until } from '../processes.js';

/** What a kill loses is only what was not written to the system: these settings are fast, and lose nothing to a kill. */
const DATABASE = { fsync: 'off', full_page_writes: 'off', shared_buffers: '64MB', max_connections: 100 };
const INSTANCES = 2;
/** The service's clock is PostgreSQL's and so much more: set in a row, for all instances at once. */
const MOVED_CLOCK = `
  CREATE SCHEMA moved;
  CREATE TABLE moved.clock (by interval NOT NULL);
  INSERT INTO moved.clock VALUES ('0');
  CREATE FUNCTION moved.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE
    AS 'SELECT pg_catalog.clock_timestamp() + (SELECT by FROM moved.clock)';
  CREATE FUNCTION moved.now() RETURNS timestamptz LANGUAGE sql STABLE
    AS 'SELECT pg_catalog.now() + (SELECT by FROM moved.clock)';
`;

/** Two instances, PostgreSQL and two registrars as processes, each of which can be killed and comes back. */
export interface StormWorld {
  readonly databaseUrl: string;
  readonly cards: SandboxCards;
  /** A file for each registrar, whose lines say what it did. */
  readonly records: readonly string[];
  /** Those that serve now come first. */
  urls(): string[];
  readonly kills: Readonly<Record<Victim, number>>;
  /** SIGKILL for an instance, an immediate stop for PostgreSQL. Resolves once it is back. */
  kill(victim: 'instance' | 'postgres'): Promise<void>;
  /** When each was away, as intervals of milliseconds. */
  readonly away: readonly { readonly of: Victim; readonly from: number; to: number }[];
  ask<Row extends QueryResultRow>(sql: string, values?: unknown[]): Promise<Row[]>;
  moveClock(seconds: number): Promise<void>;
  /** What the service's clock said when the registrar's, which is not moved, said `at`; both in milliseconds. */
  serviceTime(at: number): number;
  /** What the instances said last. */
  said(): string;
  /** Processes that ended by themselves. */
  readonly odd: readonly string[];
  close(): Promise<void>;
}
export type Victim = 'instance' | 'postgres' | 'registrar';

export async function startStormWorld(): Promise<StormWorld> {
  const compiled = await compiledSources();
  const folder = await makeFolder('storm');
  await chmod(folder, 0o755);
  const cluster = await openCluster(join(folder, 'database'));
  const databasePort = await freePort();
  const startDatabase = () => ensureServer(cluster, { settings: DATABASE, requiredPort: databasePort });
  await startDatabase();
  const databaseUrl = serverUrl(cluster, databasePort);
  await migrate(databaseUrl);
  const ask = async <Row extends QueryResultRow>(sql: string, values: unknown[] = []): Promise<Row[]> => {
    const client = new Client({ connectionString: databaseUrl });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query<Row>(sql, values)).rows;
    } finally {
      await client.end();
    }
  };
  await ask(MOVED_CLOCK);
  await ask(`DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET search_path = public, moved, pg_catalog',
    current_database()); END $$`);

  const registry = await startSandboxRegistry({ port: 0, names: EVERY_NAME_IS_FREE });
  const cards = await startSandboxCards(0);
  const identity = await makeSandboxIdentity();
  const [registrarPort, resellerPort] = [await freePort(), await freePort()];
  const records = ['registrar', 'reseller'].map((one) => join(folder, `${one}.jsonl`));
  const settings = {
    ...WITH_ORDERS,
    ...settingsOf(cards),
    DATABASE_URL: databaseUrl,
    HOST: '127.0.0.1',
    BASE_URL: 'https://bowerbird.example',
    LOG_LEVEL: 'warn',
    REGISTRY_RDAP_URL: registry.url,
    REGISTRY_SOURCE: 'sandbox',
    REGISTRY_RATE_PER_SECOND: '1000',
    REGISTRY_BURST: '1000',
    REGISTRY_CANARIES: '',
    REGISTRY_AVAILABILITY_SERVICE: 'off',
    ...eppSettingsOf({
      ...{ host: '127.0.0.1', port: registrarPort, client: SANDBOX_CLIENT, password: SANDBOX_PASSWORD },
      ...identity,
    }),
    EPP_REGISTRAR: 'Storm',
    EPP_TIMEOUT_MS: '3000',
    EPP_YEAR_CENTS: 'com.au:2180',
    EPP_CANCEL_HOURS: '24',
    DREAMSCAPE_URL: `http://127.0.0.1:${resellerPort}`,
    DREAMSCAPE_KEY: SANDBOX_KEY,
    DREAMSCAPE_TIMEOUT_MS: '3000',
    DREAMSCAPE_YEAR_CENTS: `${RESELLER_SUFFIX}:2180`,
    TOP_UP_FIRST_WAIT_HOURS: '0',
    TOP_UP_FIRST_MAX_CENTS: '100000000',
    TOP_UP_DAY_MAX_CENTS: '100000000',
  };

  let isClosing = false;
  const odd: string[] = [];
  const kills = { instance: 0, postgres: 0, registrar: 0 };
  const away: { of: Victim; from: number; to: number }[] = [];
  const gone = (of: Victim) => {
    const interval = { of, from: Date.now(), to: Infinity };
    away.push(interval);
    return () => (interval.to = Date.now());
  };

  const registrars: Running[] = [];
  const startRegistrar = async (place: number) => {
    const isBack = gone('registrar');
    const program = ['registrar', 'reseller'][place] ?? '';
    const registrar = run(join(compiled, `dist/test/support/storm/${program}.js`), [
      ...[String([registrarPort, resellerPort][place]), records[place] ?? '', JSON.stringify(identity)],
    ]);
    registrars[place] = registrar;
    void registrar.ended.then((end) => {
      if (isClosing) return;
      if (end !== 'SIGKILL') odd.push(`the ${program} ended with ${end}: ${registrar.output()}`);
      kills.registrar += 1;
      void startRegistrar(place);
    });
    await registrar.says(/is up/);
    isBack();
  };

  const ports = await Promise.all(Array.from({ length: INSTANCES }, freePort));
  const instances: (Running | null)[] = ports.map(() => null);
  const outputs: string[] = ports.map(() => '');
  const startInstance = async (place: number) => {
    const environment = { ...settings, PORT: String(ports[place]) };
    const instance = run(join(compiled, 'dist/main.js'), [], { environment });
    void instance.ended.then((end) => {
      outputs[place] = instance.output();
      if (!isClosing && end !== 'SIGKILL') odd.push(`an instance ended with ${end}: ${instance.output()}`);
    });
    await until('an instance serves', () =>
      fetch(`http://127.0.0.1:${ports[place]}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      ),
    );
    instances[place] = instance;
    outputs[place] = '';
    return instance;
  };

  for (const place of records.keys()) await startRegistrar(place);
  for (const place of ports.keys()) await startInstance(place);
  let next = 0;
  const moves: { readonly at: number; readonly ms: number }[] = [];
  return {
    ...{ databaseUrl, cards, records, kills, away, ask, odd },
    urls: () =>
      ports
        .map((port, place) => ({ url: `http://127.0.0.1:${port}`, isUp: instances[place] !== null }))
        .sort((one, other) => Number(other.isUp) - Number(one.isUp))
        .map(({ url }) => url),
    async kill(victim) {
      kills[victim] += 1;
      if (victim === 'postgres') {
        const isBack = gone('postgres');
        const postmaster = await findPostmaster(cluster);
        if (postmaster?.pid) process.kill(postmaster.pid, 'SIGQUIT');
        await until(
          'PostgreSQL is gone',
          async () => (await findPostmaster(cluster))?.pid !== postmaster?.pid,
        );
        await startDatabase();
        isBack();
        return;
      }
      const isBack = gone('instance');
      const place = (next += 1) % INSTANCES;
      const instance = instances[place];
      instances[place] = null;
      await instance?.stop('SIGKILL');
      await startInstance(place);
      isBack();
    },
    async moveClock(seconds) {
      await ask(`UPDATE moved.clock SET by = by + make_interval(secs => $1)`, [seconds]);
      moves.push({ at: Date.now(), ms: seconds * 1_000 });
    },
    serviceTime: (at) => moves.reduce((time, move) => time + (move.at <= at ? move.ms : 0), at),
    said: () => instances.map((one, place) => (one?.output() || outputs[place]) ?? '').join('\n'),
    async close() {
      isClosing = true;
      await Promise.all(instances.map((instance) => instance?.stop('SIGKILL')));
      await Promise.all(registrars.map((registrar) => registrar.stop('SIGKILL')));
      await registry.close();
      await cards.close();
      await stopServer(cluster);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const EVERY_NAME_IS_FREE = { get: () => 'available' } as unknown as ReadonlyMap<string, 'available'>;
