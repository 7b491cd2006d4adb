import { chown, cp, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { binaryPath } from '../../src/database/embedded/binaries.js';
import { ROLE } from '../../src/database/embedded/cluster-home.js';
import { type Cluster, dataFolder, openCluster } from '../../src/database/embedded/cluster.js';
import { findPostmaster } from '../../src/database/embedded/postmaster.js';
import { ensureServer, serverUrl, stopServer } from '../../src/database/embedded/server.js';
import { runProgram } from '../../src/database/embedded/system.js';
import { type Part, until } from './parts.js';

const SETTINGS = { wal_keep_size: '512MB', max_connections: 200 };
const LIMIT_MS = 60_000;

export interface DatabasePart extends Part {
  readonly url: string;
  readonly cluster: Cluster;
}

/** The primary: an embedded PostgreSQL of which a replica may be made, on a port that stays. */
export async function primaryPart(folder: string, port: number): Promise<DatabasePart> {
  const cluster = await openCluster(folder, join(folder, 'shared'));
  // Its superuser cannot be used over TCP; before the first start the server's own program grants what is missing.
  const { code, output } = await runProgram(
    binaryPath(cluster.binaries, 'postgres'),
    ['--single', '-D', dataFolder(cluster), '-c', 'exit_on_error=on', 'postgres'],
    { user: cluster.user, input: `ALTER ROLE ${ROLE} REPLICATION;\n`, timeoutMs: LIMIT_MS },
  );
  if (code !== 0) throw new Error(`The primary was not prepared: ${output}`);
  return serverPart('primary', cluster, port);
}

/** A streaming replica, from a copy of the files of a primary that is stopped. */
export async function replicaPart(
  primary: DatabasePart,
  folder: string,
  port: number,
): Promise<DatabasePart> {
  const cluster: Cluster = { ...primary.cluster, home: join(folder, 'postgres') };
  await mkdir(folder, { recursive: true, mode: 0o755 });
  await cp(primary.cluster.home, cluster.home, { recursive: true });
  const { hostname, port: primaryPort, username, password } = new URL(primary.url);
  const conninfo = `host=${hostname} port=${primaryPort} user=${username} password=${password}`;
  await writeFile(join(dataFolder(cluster), 'postgresql.auto.conf'), `primary_conninfo = '${conninfo}'\n`);
  await writeFile(join(dataFolder(cluster), 'standby.signal'), '');
  await own(cluster);
  return serverPart('replica', cluster, port);
}

function serverPart(name: string, cluster: Cluster, port: number): DatabasePart {
  return {
    ...{ name, cluster, url: serverUrl(cluster, port) },
    start: async () => {
      await ensureServer(cluster, { settings: SETTINGS, requiredPort: port });
    },
    async kill(signal) {
      if (signal === 'SIGTERM') return stopServer(cluster);
      const postmaster = await findPostmaster(cluster);
      if (!postmaster?.pid) return;
      process.kill(postmaster.pid, signal);
      await until(
        () => findPostmaster(cluster).then((left) => left?.pid !== postmaster.pid),
        `${name}'s end`,
      );
    },
  };
}

async function own({ home, user }: Cluster): Promise<void> {
  if (!user) return;
  for (const name of ['', ...(await readdir(home, { recursive: true }))])
    await chown(join(home, name), user.uid, user.gid);
}
