import { chown, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { binaryPath } from './binaries.js';
import { type Cluster, dataFolder, ROLE } from './cluster.js';
import { EmbeddedPostgresError } from './embedded-postgres-error.js';
import { findPostmaster } from './postmaster.js';
import { runProgram } from './program.js';

export type ServerSettings = Readonly<Record<string, string | number>>;

/** What the service needs of its server. fsync and full_page_writes stay on: what was committed survives a power cut. */
const SETTINGS: ServerSettings = {
  shared_buffers: '256MB',
  max_connections: 100,
  // The dataset lies in memory or on an SSD; the default of 4 would make the planner shun indexes.
  random_page_cost: 1.1,
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // A failed statement is the service's to log; a caller who provokes errors must not be able to fill the disk.
  log_min_messages: 'log',
  log_checkpoints: 'off',
};

const START_TIMEOUT_SECONDS = 60;
/** Crash recovery after a kill may take its time; the server is there, and waiting is right. */
const READY_TIMEOUT_MS = 120_000;
const POLL_MS = 50;
/** A killed server's last statement may hold its memory for seconds, and no new server starts before it is gone. */
const MAX_START_ATTEMPTS = 8;
const RETRY_AFTER_MS = 200;
const STOP_TIMEOUT_SECONDS = 30;
const MAX_LOG_BYTES = 1_000_000;
const LOG_TAIL_CHARACTERS = 2_000;

// Below 32768, where Linux begins to hand out ports to outgoing connections: the port should still be free after a restart.
const LOWEST_PORT = 20_000;
const HIGHEST_PORT = 32_000;
const PORT_ATTEMPTS = 50;

/**
 * Makes sure that the cluster's server runs and is ready: starts it, or finds the one that somebody else started. Any
 * number of processes may do this at once; PostgreSQL lets one win and the others find the winner.
 *
 * @param requiredPort the only port that will do, because connections were promised there
 * @returns the port it listens on
 */
export async function ensureServer(
  cluster: Cluster,
  { settings = {}, requiredPort }: { settings?: ServerSettings; requiredPort?: number } = {},
): Promise<number> {
  const deadline = Date.now() + READY_TIMEOUT_MS;
  let failures = 0;
  while (Date.now() < deadline) {
    const postmaster = await findPostmaster(cluster);
    if (postmaster?.ready) return postmaster.port;
    if (postmaster) {
      await pause(POLL_MS);
      continue;
    }
    const port = requiredPort ?? (await choosePort(cluster));
    if (await start(cluster, port, settings)) continue;
    if (await findPostmaster(cluster)) continue;
    failures += 1;
    if (failures === MAX_START_ATTEMPTS) throw new EmbeddedPostgresError(await describeFailure(cluster));
    await pause(RETRY_AFTER_MS * failures);
  }
  throw new EmbeddedPostgresError(await describeFailure(cluster));
}

/** Stops the server after rolling back what is under way; nothing committed is lost. */
export async function stopServer(cluster: Cluster): Promise<void> {
  const parameters = [
    '-D',
    dataFolder(cluster),
    '-m',
    'fast',
    '-w',
    '-t',
    String(STOP_TIMEOUT_SECONDS),
    'stop',
  ];
  const { code, output } = await runProgram(binaryPath(cluster.binaries, 'pg_ctl'), parameters, {
    user: cluster.user,
    timeoutMs: (STOP_TIMEOUT_SECONDS + 1) * 1000,
  });
  // It also fails when there is no server any more, which is what was asked for.
  if (code !== 0 && (await findPostmaster(cluster)))
    throw new EmbeddedPostgresError(`The embedded PostgreSQL did not stop: ${output.trim()}`, { advice: '' });
}

export function serverUrl(cluster: Cluster, port: number, database: string = ROLE): string {
  return `postgres://${ROLE}:${cluster.password}@127.0.0.1:${port}/${database}`;
}

async function start(cluster: Cluster, port: number, settings: ServerSettings): Promise<boolean> {
  await trimLog(cluster);
  const all = {
    ...SETTINGS,
    ...settings,
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: "''",
  };
  const options = Object.entries(all).map(([name, value]) => `-c ${name}=${value}`);
  const log = join(cluster.home, 'server.log');
  const wait = ['-w', '-t', String(START_TIMEOUT_SECONDS)];
  const { code } = await runProgram(
    binaryPath(cluster.binaries, 'pg_ctl'),
    ['-D', dataFolder(cluster), ...wait, '-l', log, '-o', options.join(' '), 'start'],
    { user: cluster.user, timeoutMs: (START_TIMEOUT_SECONDS + 1) * 1000, silent: true },
  );
  if (code === 0) await recordPort(cluster, port);
  return code === 0;
}

async function trimLog({ home }: Cluster): Promise<void> {
  const log = join(home, 'server.log');
  const size = await stat(log).then(
    (found) => found.size,
    () => 0,
  );
  if (size > MAX_LOG_BYTES) await rm(log, { force: true });
}

async function describeFailure({ home }: Cluster): Promise<string> {
  const log = join(home, 'server.log');
  const text = await readFile(log, 'utf8').catch(() => '(there is no log)');
  return `The embedded PostgreSQL does not start. The end of ${log}:\n${text.slice(-LOG_TAIL_CHARACTERS).trim()}\n`;
}

/** The port of last time where it is free, so that addresses written down elsewhere stay true; otherwise any free one. */
async function choosePort(cluster: Cluster): Promise<number> {
  const recorded = Number(await readFile(join(cluster.home, 'port'), 'utf8').catch(() => '0'));
  if (recorded > 0 && (await isFree(recorded))) return recorded;
  for (let attempt = 0; attempt < PORT_ATTEMPTS; attempt += 1) {
    const port = LOWEST_PORT + Math.floor(Math.random() * (HIGHEST_PORT - LOWEST_PORT));
    if (await isFree(port)) return port;
  }
  throw new EmbeddedPostgresError(
    `No free port was found between ${LOWEST_PORT} and ${HIGHEST_PORT} on 127.0.0.1.`,
  );
}

async function recordPort(cluster: Cluster, port: number): Promise<void> {
  const path = join(cluster.home, 'port');
  await writeFile(path, `${port}\n`);
  if (cluster.user) await chown(path, cluster.user.uid, cluster.user.gid);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen({ port, host: '127.0.0.1', exclusive: true }, () => probe.close(() => resolve(true)));
  });
}
