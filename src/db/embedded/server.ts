import { chown, readFile, stat, writeFile, readlink, rename, link, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { binaryPath, hasLibrary } from './binaries.js';
import { allowReplication, ROLE, type Cluster, dataFolder } from './cluster.js';
import { EmbeddedPostgresError, runProgram, isAlive } from './system.js';
import { hasCode } from '../../validation/unknown-values.js';

/** What the server's own pid file says about it; the pid is 0 while the file is being written. */
export interface Postmaster {
  readonly pid: number;
  readonly port: number;
  readonly ready: boolean;
}

/**
 * Finds the server of this cluster, also one that another process started: postmaster.pid is PostgreSQL's own lock
 * on the data folder. A file left by a killed server is moved away when its process id is gone, a zombie or
 * another program's. PostgreSQL itself only checks whether a process has that id, which is likely in a restarted
 * container.
 */
export async function findPostmaster(cluster: Cluster): Promise<Postmaster | undefined> {
  const path = join(dataFolder(cluster), 'postmaster.pid');
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const postmaster = parse(text);
  if (postmaster ? await isPostmaster(postmaster.pid, cluster) : await isYoung(path))
    return postmaster ?? { pid: 0, port: 0, ready: false };
  await moveAway(path, text);
  return undefined;
}

/** A server that starts writes its file at once; one that is still empty later was left by a server that was killed. */
const MAX_WRITING_MS = 5_000;

async function isYoung(path: string): Promise<boolean> {
  const written = await stat(path).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  });
  return written !== undefined && Date.now() - written.mtimeMs < MAX_WRITING_MS;
}

// Lines of postmaster.pid, counted from 0: process id, data folder, start time, port, socket folder, address,
// memory, status.
const PORT_LINE = 3;
const STATUS_LINE = 7;

function parse(text: string): Postmaster | undefined {
  const lines = text.split('\n').map((line) => line.trim());
  const pid = Number(lines[0]);
  if (!Number.isInteger(pid) || pid <= 0) return undefined;
  return { pid, port: Number(lines[PORT_LINE] ?? 0), ready: lines[STATUS_LINE] === 'ready' };
}

async function isPostmaster(pid: number, cluster: Cluster): Promise<boolean> {
  if (!isAlive(pid)) return false;
  if (process.platform !== 'linux') return true;
  try {
    const [, program, state] = /^\d+ \((.*)\) (\S)/s.exec(await readFile(`/proc/${pid}/stat`, 'utf8')) ?? [];
    // Without an init process to collect dead children, as in a container, a killed server stays a zombie.
    if (program !== 'postgres' || state === 'Z' || state === 'X') return false;
    const folder = await readlink(`/proc/${pid}/cwd`);
    return folder === dataFolder(cluster);
  } catch (error) {
    // Without the right to look (root in a container lacks CAP_SYS_PTRACE), the name and the owner have to do.
    if (hasCode(error, 'EACCES', 'EPERM'))
      return (await stat(`/proc/${pid}`)).uid === (await stat(dataFolder(cluster))).uid;
    if (hasCode(error, 'ENOENT', 'ESRCH')) return false;
    throw error;
  }
}

/**
 * Renames first and looks then, because another process may have done the same and started a new server in between; its
 * file goes back. (PostgreSQL's shared memory keeps a second server out while the file is away.)
 */
async function moveAway(path: string, expected: string): Promise<void> {
  const aside = `${path}.stale-${process.pid}`;
  try {
    await rename(path, aside);
    if ((await readFile(aside, 'utf8')) !== expected) await link(aside, path);
    await rm(aside, { force: true });
  } catch (error) {
    if (!hasCode(error, 'ENOENT', 'EEXIST')) throw error;
  }
}

type ServerSettings = Readonly<Record<string, string | number>>;

const MEMORY_SHARE = 8;
const MIN_BUFFERS_MB = 128;
const MAX_BUFFERS_MB = 4_096;

/** The settings that the service needs. fsync and full_page_writes stay on: committed data survives a power cut. */
const SETTINGS: ServerSettings = {
  shared_buffers: `${sharedBuffersMb()}MB`,
  max_connections: 100,
  unix_socket_directories: "''",
  // The dataset lies in memory or on an SSD; the default of 4 would make the planner shun indexes.
  random_page_cost: 1.1,
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // A failed statement is the service's to log; a caller who provokes errors must not be able to fill the disk.
  log_min_messages: 'log',
  log_checkpoints: 'off',
  // The log that a backup has not read yet; a backup that does not work may not fill the disk.
  max_slot_wal_keep_size: '4GB',
};

// The server's own cache, beside that of the system; taken as it fills. Over ten million names the slowest
// hundredth of searches took 2.2 to 3.1 ms with 256 MB of it, and 1.4 to 1.7 ms with 1 GB. The names with their
// indexes are 5 GB: with 1 GB, more than half of the CPU time of writing a row went to reading pages.
function sharedBuffersMb(): number {
  // The limit of a container, where there is one; a machine without says 0 or more than it has.
  const memoryBytes = Math.min(totalmem(), process.constrainedMemory() || Infinity);
  const share = Math.round(memoryBytes / MEMORY_SHARE / 2 ** 20);
  return Math.min(MAX_BUFFERS_MB, Math.max(MIN_BUFFERS_MB, share));
}

const START_TIMEOUT_SECONDS = 60;
/** Crash recovery after a kill may take its time; the server is there, and waiting is right. */
const READY_TIMEOUT_MS = 120_000;
const POLL_MS = 50;
/** A killed server's last statement may hold its memory for seconds, and no new server starts before it is gone. */
const MAX_START_ATTEMPTS = 8;
/**
 * Failures that pass with time: another process was faster, the port is being given up, a killed server is not
 * gone yet, or the server did start and its last user stopped it before we had looked.
 */
const TRANSIENT_FAILURE = new RegExp(
  [
    /lock file "postmaster\.pid"|could not bind|pre-existing shared memory block/,
    /received \w+ shutdown request|ready to accept connections/,
  ]
    .map(({ source }) => source)
    .join('|'),
);
const RETRY_AFTER_MS = 200;
const STOP_TIMEOUT_MS = 30_000;
const LOG_TAIL_CHARACTERS = 2_000;

/**
 * Makes sure that the cluster's server runs and is ready: starts it, or finds one that is running. Any number of
 * processes may do this at once; PostgreSQL lets one win and the others find the winner.
 *
 * @param requiredPort the only acceptable port, because connections were promised there
 * @returns the process and its port
 */
export async function ensureServer(
  cluster: Cluster,
  {
    settings = {},
    requiredPort,
    readyLimitMs = READY_TIMEOUT_MS,
  }: { settings?: ServerSettings; requiredPort?: number; readyLimitMs?: number } = {},
): Promise<Postmaster> {
  const deadline = Date.now() + readyLimitMs;
  let failures = 0;
  /** Where the log of the last attempt begins; null: none is open. */
  let logged: number | null = null;
  while (Date.now() < deadline) {
    const postmaster = await findPostmaster(cluster);
    if (postmaster?.ready) return postmaster;
    if (postmaster) {
      await pause(POLL_MS);
    } else if (logged === null) {
      await allowReplication(cluster);
      const port = requiredPort ?? (await choosePort(cluster));
      logged = await sizeOfLog(cluster);
      await start(cluster, port, settings);
    } else {
      // It did not start, or it ended before it was ready: pg_ctl takes a server that replays its log for started.
      failures += 1;
      const log = await readLog(cluster, logged);
      if (failures >= MAX_START_ATTEMPTS || !TRANSIENT_FAILURE.test(log)) throw doesNotStart(cluster, log);
      logged = null;
      await pause(RETRY_AFTER_MS * failures);
    }
  }
  throw doesNotStart(cluster, await readLog(cluster));
}

/**
 * Stops the server after rolling back transactions in progress; committed data stays. `pg_ctl stop` would confuse
 * it with the next server when another process starts one at once, and then fail or wait for the end of that one.
 */
export async function stopServer(cluster: Cluster, limitMs = STOP_TIMEOUT_MS): Promise<void> {
  const stopped = await findPostmaster(cluster);
  // It is gone already, or another one is starting in its place.
  if (!stopped?.pid) return;
  const { output } = await runProgram(
    binaryPath(cluster.binaries, 'pg_ctl'),
    ['kill', 'INT', String(stopped.pid)],
    { user: cluster.user, timeoutMs: STOP_TIMEOUT_MS },
  );
  const deadline = Date.now() + limitMs;
  while ((await findPostmaster(cluster))?.pid === stopped.pid) {
    if (Date.now() > deadline)
      throw new EmbeddedPostgresError(`The embedded PostgreSQL did not stop. ${output.trim()}`, {
        advice: '',
      });
    await pause(POLL_MS);
  }
}

export function serverUrl(cluster: Cluster, port: number, database: string = ROLE): string {
  return `postgres://${ROLE}:${cluster.password}@127.0.0.1:${port}/${database}`;
}

async function start(cluster: Cluster, port: number, settings: ServerSettings): Promise<void> {
  const all = {
    ...SETTINGS,
    ...(await preloaded(cluster)),
    ...settings,
    port,
    listen_addresses: '127.0.0.1',
  };
  const options = Object.entries(all).map(([name, value]) => `-c ${name}=${value}`);
  const wait = ['-w', '-t', String(START_TIMEOUT_SECONDS)];
  const { code } = await runProgram(
    binaryPath(cluster.binaries, 'pg_ctl'),
    ['-D', dataFolder(cluster), ...wait, '-l', logFile(cluster), '-o', options.join(' '), 'start'],
    { user: cluster.user, timeoutMs: (START_TIMEOUT_SECONDS + 1) * 1000, silent: true },
  );
  if (code === 0) await recordPort(cluster, port);
}

// The cached pages of the last stop, or of at most five minutes before a kill, are loaded again at the start.
async function preloaded({ binaries }: Cluster): Promise<ServerSettings> {
  return (await hasLibrary(binaries, 'pg_prewarm')) ? { shared_preload_libraries: 'pg_prewarm' } : {};
}

function doesNotStart(cluster: Cluster, log: string): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    `The embedded PostgreSQL does not start. The end of ${logFile(cluster)}:\n${log.trim()}\n`,
  );
}

async function sizeOfLog(cluster: Cluster): Promise<number> {
  return (await stat(logFile(cluster)).catch(() => ({ size: 0 }))).size;
}

/** The end of the log, after the first `from` bytes. */
async function readLog(cluster: Cluster, from = 0): Promise<string> {
  const bytes = await readFile(logFile(cluster)).catch((error: unknown) => Buffer.from(String(error)));
  return bytes.subarray(from).toString().slice(-LOG_TAIL_CHARACTERS);
}

const logFile = (cluster: Cluster) => join(cluster.home, 'server.log');

// Below 32768, where Linux begins to hand out ports to outgoing connections: the port should still be free after a
// restart.
const LOWEST_PORT = 20_000;
const HIGHEST_PORT = 32_000;
const PORT_ATTEMPTS = 50;

/**
 * The port of last time where it is free, so that addresses written down elsewhere stay true; otherwise any free
 * one.
 */
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
