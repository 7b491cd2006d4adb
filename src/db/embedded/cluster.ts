import { chmod, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../validation/unknown-values.js';
import { type Binaries, findBinaries } from './binaries.js';
import { createHome, findHome } from './cluster-home.js';
import { EmbeddedPostgresError } from './embedded-postgres-error.js';
import {
  isRoot,
  makeFolder,
  makeOpenFolder,
  ownerOfCluster,
  type SystemUser,
  userForNewCluster,
} from './system.js';

/**
 * Where things go that the server's user must reach when the checkout is closed to it (root working below its own 0700
 * home): not a temporary folder, for what lies there must outlive a reboot and must not be swapped by other users.
 */
export const SHARED_DIR = '/var/lib/bowerbird';

/** A folder with everything of one embedded server: `data`, `password`, `port` and `server.log`. Made whole or not at all. */
export interface Cluster {
  readonly home: string;
  readonly user: SystemUser | undefined;
  readonly binaries: Binaries;
  readonly password: string;
}

export const dataFolder = (cluster: Cluster): string => join(cluster.home, 'data');

/** Opens the cluster in `dataDir`, making it first where there is none. @throws {EmbeddedPostgresError} */
export async function openCluster(dataDir: string, sharedDir: string = SHARED_DIR): Promise<Cluster> {
  await makeDataDir(dataDir);
  const found = await namingDataDir(dataDir, () => findHome(dataDir));
  const user = found ? await ownerOfCluster(found) : await userForNewCluster();
  const binaries = await findBinaries(user, sharedDir);
  const home = found ?? (await namingDataDir(dataDir, () => createHome(dataDir, user, binaries, sharedDir)));
  await judge(home, binaries);
  const password = await namingDataDir(dataDir, () => readFile(join(home, 'password'), 'utf8'));
  return { home, user, binaries, password: password.trim() };
}

async function makeDataDir(dataDir: string): Promise<void> {
  try {
    // Root's server runs as another user, who must get through. The cluster inside is closed to all others.
    await (isRoot() ? makeOpenFolder(dataDir) : makeFolder(dataDir));
  } catch (cause) {
    throw new EmbeddedPostgresError(`DATA_DIR ${dataDir} cannot be made: ${messageOf(cause)}.`, { cause });
  }
}

/** The system names a path below, which the operator has not set. */
async function namingDataDir<Result>(dataDir: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof EmbeddedPostgresError) throw cause;
    throw new EmbeddedPostgresError(`DATA_DIR ${dataDir} cannot be used: ${messageOf(cause)}.`, { cause });
  }
}

/** Turns what would make the server refuse to start into a message, or cures it. */
async function judge(home: string, binaries: Binaries): Promise<void> {
  const major = await readFile(join(home, 'data', 'PG_VERSION'), 'utf8').catch((cause: unknown) => {
    throw new EmbeddedPostgresError(`${home} does not hold a PostgreSQL cluster.`, {
      advice: 'Move it away or set DATA_DIR to another folder.',
      cause,
    });
  });
  const [ours] = binaries.version.split('.');
  if (major.trim() !== ours) {
    throw new EmbeddedPostgresError(
      `${home} was written by PostgreSQL ${major.trim()}; this version of the service brings PostgreSQL ${binaries.version}, ` +
        `which cannot read it.`,
      {
        advice:
          'Set DATA_DIR to a new folder and import the data again, or set DATABASE_URL to a server that can read it.',
      },
    );
  }
  // PostgreSQL refuses a data folder that others may read; backup tools and careless chmod widen it.
  await chmod(join(home, 'data'), 0o700);
}
