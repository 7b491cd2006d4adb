import { chown, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { Cluster } from './cluster.js';
import { EmbeddedPostgresError } from './embedded-postgres-error.js';

// Below 32768, where Linux begins to hand out ports to outgoing connections: the port should still be free after a restart.
const LOWEST_PORT = 20_000;
const HIGHEST_PORT = 32_000;
const PORT_ATTEMPTS = 50;

/** The port of last time where it is free, so that addresses written down elsewhere stay true; otherwise any free one. */
export async function choosePort(cluster: Cluster): Promise<number> {
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

export async function recordPort(cluster: Cluster, port: number): Promise<void> {
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
