import { join } from 'node:path';
import { type Cluster, openCluster } from '../../src/db/embedded/cluster.js';
import { findPostmaster, ensureServer, serverUrl, stopServer } from '../../src/db/embedded/server.js';
import { until } from '../support/processes.js';
import { copyOf, follow, grantReplication } from '../support/streaming-replica.js';
import type { Part } from './parts.js';

const SETTINGS = { wal_keep_size: '512MB', max_connections: 200 };

export interface DatabasePart extends Part {
  readonly url: string;
  readonly cluster: Cluster;
}

/** The primary: an embedded PostgreSQL of which a replica may be made, on a port that stays. */
export async function primaryPart(folder: string, port: number): Promise<DatabasePart> {
  const cluster = await openCluster(folder, join(folder, 'shared'));
  await grantReplication(cluster);
  return serverPart('primary', cluster, port);
}

/** A streaming replica, from a copy of the files of a primary that is stopped. */
export async function replicaPart(
  primary: DatabasePart,
  folder: string,
  port: number,
): Promise<DatabasePart> {
  const cluster = await copyOf(primary.cluster, folder);
  await follow(cluster, primary.url);
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
        `the end of the ${name}`,
        async () => (await findPostmaster(cluster))?.pid !== postmaster.pid,
      );
    },
  };
}
