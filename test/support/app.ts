import { Logger, type LoggerService } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import supertest from 'supertest';
import { AppLogger, createLogger } from '../../src/app/logger.js';
import { HTTP_LIMITS } from '../../src/app/http-adapter.js';
import { createApp, listen } from '../../src/app/setup.js';
import { readConfig } from '../../src/config/read-config.js';
import { Clock, Database } from '../../src/db/database.js';
import type { SandboxAnswer } from '../../src/demo/sandbox-names.js';
import { type SandboxRegistry, startSandboxRegistry } from '../../src/demo/sandbox-registry.js';
import { PATIENCE } from './clock.js';
import { cloneTemplate, dropDatabase, readingUrlOf } from './database.js';
import { untilReadAt } from './streaming-replica.js';

/** The real application on its own database, listening on loopback, with the sandbox registry behind it. */
export interface TestApp {
  readonly app: NestExpressApplication;
  readonly url: string;
  readonly database: Database;
  readonly databaseUrl: string;
  readonly registry: SandboxRegistry;
  /** Everything the service has logged so far, one JSON line an event. */
  readonly log: string[];
  /** A client with a new address, and so a budget of its own. */
  caller(): Client;
  close(): Promise<void>;
}

export type Client = ReturnType<typeof supertest.agent>;

// A client that shares a busy machine with the service is no slow client.
const PATIENT = { ...HTTP_LIMITS, requestMs: 600_000 };

let callers = 0;
/** Loggers of the running applications: Nest has one logger a process, that of the latest. */
const loggers: LoggerService[] = [];

/**
 * With TEST_POOLER, the service connects through that PgBouncer (host:port), and directly where it must. With
 * TEST_REPLICA_URL, it reads from that replica of the run's server (test/scale/on-replica.ts).
 */
function addressesOf(databaseUrl: string): Record<string, string> {
  const { TEST_POOLER, TEST_REPLICA_URL } = process.env;
  if (TEST_REPLICA_URL) {
    const replica = { DATABASE_REPLICA_URLS: readingUrlOf(databaseUrl), REPLICA_MAX_LAG_MS: '60000' };
    return { DATABASE_URL: databaseUrl, ...replica };
  }
  if (!TEST_POOLER) return { DATABASE_URL: databaseUrl };
  const pooled = new URL(databaseUrl);
  pooled.host = TEST_POOLER;
  return { DATABASE_URL: pooled.href, DATABASE_DIRECT_URL: databaseUrl };
}

/**
 * @param environment variables beside the ones that a test always sets
 * @param clock in the place of PostgreSQL's
 * @param names whose answers of the sandbox registry the test decides
 */
export async function startTestApp(
  environment: Record<string, string> = {},
  clock?: Pick<Clock, 'now'>,
  names?: ReadonlyMap<string, SandboxAnswer>,
): Promise<TestApp> {
  const databaseUrl = environment.DATABASE_URL ?? (await cloneTemplate());
  const registry = await startSandboxRegistry({ port: 0, ...(names && { names }) });
  const config = readConfig({
    HOST: '127.0.0.1',
    PORT: '0',
    BASE_URL: 'https://bowerbird.example',
    ...addressesOf(databaseUrl),
    // What a test sees is what it has done itself.
    DATASET_JOBS: 'off',
    ARCHIVE_CDX_URL: 'off',
    REGISTRY_RDAP_URL: registry.url,
    REGISTRY_SOURCE: 'sandbox',
    REGISTRY_RATE_PER_SECOND: '1000',
    REGISTRY_BURST: '1000',
    REGISTRY_CANARIES: '',
    ...PATIENCE,
    // A search that is cut short is what a few tests are about, and not what a slow machine should make of the others.
    SUGGEST_TIME_CAP_MS: '5000',
    // Lets a test speak as many callers: the one hop in front of the service is the test itself.
    TRUST_PROXY: '1',
    // A service opens as many connections as it has hooks at its start, and each learns the tables it reads.
    DATABASE_POOL_SIZE: '4',
    // A test sends as many requests at once as it likes.
    ADMISSION: 'off',
    ...environment,
  });
  const log: string[] = [];
  const logger = createLogger('info', { write: (line) => log.push(line) });
  const app = await createApp(config, logger, { limits: PATIENT });
  const own = new AppLogger(logger);
  loggers.push(own);
  if (clock) Object.assign(app.get(Clock), { now: () => clock.now() });
  const port = await listen(app, config);
  const url = `http://127.0.0.1:${port}`;
  const client = () => {
    callers += 1;
    const address = `198.18.${callers & 255}.${(callers >> 8) + 1}`;
    // To compress an answer costs more than to write and read it; test/app/answers asks for it.
    return supertest.agent(url).set({ 'X-Forwarded-For': address, 'Accept-Encoding': 'identity' });
  };
  const [replica] = config.database.replicaUrls;
  if (process.env.TEST_REPLICA_URL && replica)
    await untilReadAt(replica, async () => (await client().get('/v1/stats')).status);
  return {
    app,
    url,
    database: app.get(Database),
    databaseUrl,
    registry,
    log,
    caller: client,
    async close() {
      await app.close();
      loggers.splice(loggers.indexOf(own), 1);
      const latest = loggers.at(-1);
      if (latest) Logger.overrideLogger(latest);
      await registry.close();
      if (environment.DATABASE_URL === undefined) dropDatabase(databaseUrl);
    },
  };
}
