import { appendFile, chmod, chown, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, type QueryResultRow } from 'pg';
import { migrate } from '../../src/db/migrate.js';
import { binaryPath } from '../../src/db/embedded/binaries.js';
import { ROLE, type Cluster, dataFolder, openCluster } from '../../src/db/embedded/cluster.js';
import { findPostmaster, ensureServer, serverUrl, stopServer } from '../../src/db/embedded/server.js';
import { runProgram } from '../../src/db/embedded/system.js';
import { hasCode } from '../../src/validation/unknown-values.js';
import { freePort, makeFolder, until } from './processes.js';

const SETTINGS = { fsync: 'off', shared_buffers: '32MB', wal_keep_size: '64MB', max_connections: 200 };
const COPY_LIMIT_MS = 60_000;

/** What the service needs none of: the tests may stop the replay besides, and have every commit wait for it. */
const RIGHTS = `
  GRANT EXECUTE ON FUNCTION pg_wal_replay_pause(), pg_wal_replay_resume(), pg_switch_wal(), pg_reload_conf()
    TO bowerbird;
  GRANT ALTER SYSTEM ON PARAMETER synchronous_standby_names, synchronous_commit TO bowerbird;
`;

/** A server that writes, and one that streams from it. */
export interface Pair {
  readonly primaryUrl: string;
  readonly replicaUrl: string;
  onPrimary<Row extends QueryResultRow>(sql: string): Promise<Row[]>;
  onReplica<Row extends QueryResultRow>(sql: string): Promise<Row[]>;
  /** Resolves once the replica shows all that the primary has now. */
  caughtUp(): Promise<void>;
  /** What is committed from now on the replica receives and does not show. */
  pauseReplay(): Promise<void>;
  resumeReplay(): Promise<void>;
  /** From now on whoever commits something goes on once the replica shows it. */
  keepInStep(): Promise<void>;
  killReplica(): Promise<void>;
  startReplica(): Promise<void>;
  /** Stops or resumes every process of the replica, as a machine does that stands still. */
  signalReplica(signal: 'SIGSTOP' | 'SIGCONT'): Promise<void>;
  close(): Promise<void>;
}

export async function startPair(): Promise<Pair> {
  const folder = await makeFolder('pair');
  await chmod(folder, 0o755);
  const primary = await openCluster(join(folder, 'primary'));
  await grantReplication(primary, RIGHTS);
  const replica = await copyOf(primary, join(folder, 'replica'));
  const primaryUrl = serverUrl(primary, (await ensureServer(primary, { settings: SETTINGS })).port);
  await follow(replica, primaryUrl);
  const requiredPort = await freePort();
  const startReplica = () => ensureServer(replica, { settings: SETTINGS, requiredPort });
  const { port } = await startReplica();
  const replicaUrl = serverUrl(replica, port);
  await migrate(primaryUrl);
  const onPrimary = <Row extends QueryResultRow>(sql: string) => ask<Row>(primaryUrl, sql);
  const onReplica = <Row extends QueryResultRow>(sql: string) => ask<Row>(replicaUrl, sql);
  return {
    primaryUrl,
    replicaUrl,
    onPrimary,
    onReplica,
    async caughtUp() {
      const [now] = await onPrimary<{ place: string }>('SELECT pg_current_wal_flush_lsn()::text AS place');
      await until('the replica is up to date', async () => {
        const [row] = await onReplica<{ there: boolean }>(
          `SELECT pg_last_wal_replay_lsn() >= '${now?.place}' AS there`,
        );
        return row?.there;
      });
    },
    async pauseReplay() {
      await onReplica('SELECT pg_wal_replay_pause()');
      await until('the replay stands', async () => {
        const [row] = await onReplica<{ state: string }>('SELECT pg_get_wal_replay_pause_state() AS state');
        return row?.state === 'paused';
      });
    },
    async resumeReplay() {
      await onReplica('SELECT pg_wal_replay_resume()');
    },
    async keepInStep() {
      await onPrimary(`ALTER SYSTEM SET synchronous_commit = 'remote_apply'`);
      await onPrimary(`ALTER SYSTEM SET synchronous_standby_names = '*'`);
      await onPrimary('SELECT pg_reload_conf()');
    },
    async killReplica() {
      process.kill(await pidOf(replica), 'SIGKILL');
      await until('the replica is dead', async () => !(await findPostmaster(replica)));
    },
    async startReplica() {
      await startReplica();
    },
    signalReplica: (signal) => signalAll(replica, signal),
    async close() {
      await signalAll(replica, 'SIGCONT');
      await stopServer(replica);
      await stopServer(primary);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** More than others may have left behind: what a session read is counted when it has had time for that. */
const READS = 3;

/** @param askForStats asks the service for its stats until the replica has answered; the status that it got */
export async function untilReadAt(replicaUrl: string, askForStats: () => Promise<number>): Promise<void> {
  const before = await readsAt(replicaUrl);
  await until('the replica is read from', async () => {
    const status = await askForStats();
    if (status !== 200) throw new Error(`the stats were answered with ${status}`);
    return (await readsAt(replicaUrl)) >= before + READS;
  });
}

/** How often the counters of the dataset were read at the replica. */
async function readsAt(replicaUrl: string): Promise<number> {
  const [row] = await ask<{ reads: number }>(
    replicaUrl,
    `SELECT (seq_scan + coalesce(idx_scan, 0))::int AS reads FROM pg_stat_user_tables WHERE relname = 'dataset'`,
  );
  return row?.reads ?? 0;
}

/** A copy of a server that does not run: then the folder is whole. */
export async function copyOf(cluster: Cluster, folder: string): Promise<Cluster> {
  await mkdir(folder, { mode: 0o755 });
  const home = join(folder, 'postgres');
  const { code, output } = await runProgram('/bin/cp', ['-a', cluster.home, home], {
    user: undefined,
    timeoutMs: COPY_LIMIT_MS,
  });
  if (code !== 0) throw new Error(`the cluster was not copied: ${output}`);
  return { ...cluster, home };
}

/** Has a copy stream from the server that it was made of, from its next start on. */
export async function follow(replica: Cluster, primaryUrl: string): Promise<void> {
  const data = dataFolder(replica);
  const signal = join(data, 'standby.signal');
  await writeFile(signal, '');
  if (replica.user) await chown(signal, replica.user.uid, replica.user.gid);
  await appendFile(join(data, 'postgresql.auto.conf'), `primary_conninfo = '${primaryUrl}'\n`);
}

/**
 * Lets the service's role stream from a server that does not run: its superuser cannot be used over TCP, so the
 * server's own program does it.
 *
 * @param besides more statements for the superuser
 */
export async function grantReplication(cluster: Cluster, besides = ''): Promise<void> {
  const { code, output } = await runProgram(
    binaryPath(cluster.binaries, 'postgres'),
    ['--single', '-D', dataFolder(cluster), '-c', 'exit_on_error=on', ROLE],
    {
      user: cluster.user,
      timeoutMs: COPY_LIMIT_MS,
      input: `ALTER ROLE ${ROLE} REPLICATION; ${besides}`.replaceAll(/\n\s*/g, ' '),
    },
  );
  if (code !== 0) throw new Error(`replication was not granted: ${output}`);
}

async function ask<Row extends QueryResultRow>(url: string, sql: string): Promise<Row[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}

async function pidOf(cluster: Cluster): Promise<number> {
  const postmaster = await findPostmaster(cluster);
  if (!postmaster?.pid) throw new Error('there is no server');
  return postmaster.pid;
}

async function signalAll(cluster: Cluster, signal: NodeJS.Signals): Promise<void> {
  const postmaster = await findPostmaster(cluster);
  if (!postmaster?.pid) return;
  process.kill(postmaster.pid, signal);
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
    if (status.includes(`PPid:\t${postmaster.pid}\n`)) signalIfThere(Number(pid), signal);
  }
}

/** One that has ended meanwhile needs no signal. */
function signalIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!hasCode(error, 'ESRCH')) throw error;
  }
}
