import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import type { Config } from '../../src/config/config.js';
import { readConfig } from '../../src/config/read-config.js';
import { type DomainName, parseDomainName } from '../../src/domains/name/domain-name.js';
import { Database, Clock } from '../../src/db/database.js';
import { createLifecycle } from '../../src/domains/domains.module.js';
import { RdapBootstrap } from '../../src/registry/rdap-bootstrap.js';
import { RegistryCache } from '../../src/registry/registry-cache.js';
import { RegistryHealthRepository } from '../../src/registry/registry-health.repository.js';
import { RegistryPace } from '../../src/registry/registry-pace.js';
import { TurnRepository } from '../../src/registry/turn.repository.js';
import { AnswerLog } from '../../src/registry/answer-log.js';
import { AnswerLogRepository } from '../../src/registry/answer-log.repository.js';
import { LearnedWordings } from '../../src/registry/learned-wordings.repository.js';
import { createRegistry } from '../../src/registry/registry.module.js';
import type { Registry } from '../../src/registry/registry.js';
import { RegistryRepository } from '../../src/registry/registry.repository.js';
import { ReadDatabase } from '../../src/db/replicas/read-database.js';
import { PATIENCE } from './clock.js';
import { createTestDatabase } from './database.js';

/** What the scripted registry does with a question: a plain reply, or anything that can be done with a response. */
export type Reply =
  | { status: number; headers?: Record<string, string>; body?: unknown }
  | ((request: IncomingMessage, response: ServerResponse) => void);

export interface ScriptedRegistry {
  readonly url: string;
  /** Sets what a name gets from now on; without a name, what every other name gets. */
  reply(reply: Reply, domain?: string): void;
  /** The names asked so far, in order. */
  readonly asked: string[];
  /** When they were asked, in milliseconds of performance.now(). */
  readonly askedAtMs: number[];
  /** Fulfilled once so many questions have come. */
  received(count: number): Promise<void>;
  close(): Promise<void>;
}

export const NOT_FOUND: Reply = { status: 404, body: { errorCode: 404, title: 'Not Found' } };

export function found(ldhName: string, ...status: string[]): Reply {
  return { status: 200, body: { objectClassName: 'domain', ldhName, status } };
}

/** An RDAP server that says whatever a test tells it to; at first every name is "not found". */
export async function startScriptedRegistry(): Promise<ScriptedRegistry> {
  const replies = new Map<string, Reply>();
  const asked: string[] = [];
  const askedAtMs: number[] = [];
  const waiting: { count: number; resolve: () => void }[] = [];
  let fallback = NOT_FOUND;
  const server = createHttpServer((request, response) => {
    // So that a test can have its own clock, or its own Date.
    response.sendDate = false;
    const domain = decodeURIComponent(request.url ?? '').replace(/^\/domain\//, '');
    asked.push(domain);
    askedAtMs.push(performance.now());
    perform(replies.get(domain) ?? fallback, request, response);
    for (const { count, resolve } of waiting) if (asked.length >= count) resolve();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    reply(reply, domain) {
      if (domain === undefined) fallback = reply;
      else replies.set(domain, reply);
    },
    asked,
    askedAtMs,
    received: (count) =>
      asked.length >= count
        ? Promise.resolve()
        : new Promise<void>((resolve) => waiting.push({ count, resolve })),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function perform(reply: Reply, request: IncomingMessage, response: ServerResponse): void {
  if (typeof reply === 'function') return reply(request, response);
  const { status, headers, body = '' } = reply;
  response.writeHead(status, { 'Content-Type': 'application/rdap+json', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

export interface ScriptedAvailabilityService {
  /** host:port, as REGISTRY_AVAILABILITY_SERVICE takes it. */
  readonly address: string;
  /** What was received, line ends included. */
  readonly received: string[];
  close(): Promise<void>;
}

/** A TCP service that does as told with each connection once a line has come. */
export async function startAvailabilityService(
  respond: (socket: Socket, line: string) => void,
): Promise<ScriptedAvailabilityService> {
  const received: string[] = [];
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket.unref());
    socket.on('error', () => undefined); // clients that hang up are part of the play
    socket.once('data', (data) => {
      received.push(data.toString());
      respond(socket, data.toString());
    });
  });
  // A test that fails before it closes the service must not keep the run alive.
  server.unref();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

/** A database and a registry of one's own, with as many instances of the service as are asked for. */
export interface RegistryStage {
  readonly database: Database;
  readonly rdap: ScriptedRegistry;
  instance(environment?: Record<string, string>, clock?: Clock): RegistryInstance;
  close(): Promise<void>;
}

export async function openRegistryStage(): Promise<RegistryStage> {
  const [{ database, close }, rdap] = await Promise.all([createTestDatabase(), startScriptedRegistry()]);
  return {
    database,
    rdap,
    instance: (environment, clock) =>
      createInstance(database, { REGISTRY_RDAP_URL: rdap.url, ...environment }, clock),
    close: async () => {
      await rdap.close();
      await close();
    },
  };
}

/** A look-up as one instance of the service has it; several on one database are several instances. */
export interface RegistryInstance {
  readonly registry: Registry;
  readonly cache: RegistryCache;
  readonly pace: RegistryPace;
  readonly config: Config;
}

function createInstance(
  database: Database,
  environment: Record<string, string>,
  clock: Clock = new Clock(database),
): RegistryInstance {
  const config = readConfig({
    REGISTRY_RATE_PER_SECOND: '1000',
    REGISTRY_BURST: '1000',
    ...PATIENCE,
    REGISTRY_BREAKER_FAILURES: '1000',
    REGISTRY_CANARIES: '',
    ...environment,
  });
  const repository = new RegistryRepository(database);
  const pace = new RegistryPace(new TurnRepository(database), config, clock);
  const cache = new RegistryCache(repository, config);
  const lifecycle = createLifecycle(database, config);
  const health = new RegistryHealthRepository(database);
  const bootstrap = new RdapBootstrap(config);
  const reads = ReadDatabase.open(database, config, () => undefined);
  const log = new AnswerLog(new AnswerLogRepository(database), config);
  const wordings = new LearnedWordings(database, config);
  const registry = createRegistry(
    config,
    bootstrap,
    pace,
    cache,
    lifecycle,
    health,
    clock,
    reads,
    log,
    wordings,
  );
  return { registry, cache, pace, config };
}

/** When the bucket of turns is full again: it moves with every turn that is handed out. */
export async function fullAt(database: Database): Promise<number> {
  const [row] = await database.query<{ at: number }>(
    'SELECT extract(epoch FROM full_at)::float8 AS at FROM registry_pace',
  );
  return row?.at ?? 0;
}

/** How many wait in the line for a turn. */
export async function waitingForTurn(database: Database): Promise<number> {
  const [row] = await database.query<{ count: number }>(
    `SELECT coalesce(jsonb_array_length(line->'waiting'), 0) AS count FROM registry_pace`,
  );
  return row?.count ?? 0;
}

let names = 0;

/** A valid name that no other test has asked about. */
export function freshName(): DomainName {
  names += 1;
  return parseDomainName(`fresh-name-${process.pid}-${names}.com.au`);
}
