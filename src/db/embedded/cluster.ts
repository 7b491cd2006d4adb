import { randomBytes } from 'node:crypto';
import {
  chmod,
  chown,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  realpath,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode, messageOf } from '../../validation/unknown-values.js';
import { type Binaries, binaryPath, findBinaries } from './binaries.js';
import {
  canEnter,
  EmbeddedPostgresError,
  isAlive,
  isRoot,
  makeFolder,
  makeOpenFolder,
  ownerOfCluster,
  runProgram,
  type ProgramResult,
  type SystemUser,
  userForNewCluster,
} from './system.js';

/**
 * Where things go that the server's user must reach when the checkout is closed to it (root working below its own 0700
 * home): not a temporary folder, for what lies there must outlive a reboot and must not be swapped by other users.
 */
export const SHARED_DIR = '/var/lib/bowerbird';

/**
 * A folder with everything of one embedded server: `data`, `password`, `port` and `server.log`. Made whole or not
 * at all.
 */
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
      `${home} was written by PostgreSQL ${major.trim()}; this version of the service brings PostgreSQL ` +
        `${binaries.version}, ` +
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

/**
 * The service connects as this ordinary role, as it would to an external server; it owns the database of the same
 * name.
 */
export const ROLE = 'bowerbird';

const HOME = 'postgres';
const STAGING = `${HOME}.new-`;
const INITDB_TIMEOUT_MS = 120_000;

/** The folder of the cluster in `dataDir`, links followed. @returns undefined when there is none yet */
export async function findHome(dataDir: string): Promise<string | undefined> {
  const path = join(dataDir, HOME);
  try {
    return await realpath(path);
  } catch (cause) {
    if (!hasCode(cause, 'ENOENT')) throw cause;
    const target = await readlink(path).catch(() => undefined);
    if (target === undefined) return undefined;
    throw new EmbeddedPostgresError(`${path} is a link to ${target}, which is not there.`, {
      advice: 'Bring that folder back, or remove the link to begin with an empty database.',
      cause,
    });
  }
}

/** Fills the folder of a cluster that is not in its place yet. */
export type FillHome = (home: string, user: SystemUser | undefined, binaries: Binaries) => Promise<void>;

/**
 * Makes a cluster under a passing name and puts it in its place when it is complete. Where the server's user
 * cannot enter `dataDir`, it goes below `sharedDir`, with a link in its place.
 *
 * @returns its folder, or that of another process which was faster
 */
export async function createHome(
  dataDir: string,
  user: SystemUser | undefined,
  binaries: Binaries,
  sharedDir: string,
  fill: FillHome = fillEmpty,
): Promise<string> {
  const { folder: staging, inPlace } = await makeStaging(dataDir, user, sharedDir);
  try {
    await fill(staging, user, binaries);
    if (inPlace) await rename(staging, join(dataDir, HOME));
    else await symlink(staging, join(dataDir, HOME));
    return await realpath(join(dataDir, HOME));
  } catch (error) {
    await rm(staging, { recursive: true, force: true });
    // Another process made one in the meantime, and neither rename nor symlink replaces it: use that one.
    if (hasCode(error, 'ENOTEMPTY', 'EEXIST', 'ENOTDIR', 'EPERM')) {
      const theirs = await findHome(dataDir);
      if (theirs) return theirs;
    }
    throw error;
  }
}

/** A folder that the server's user can enter. Others are removed whose process was killed. */
async function makeStaging(
  dataDir: string,
  user: SystemUser | undefined,
  sharedDir: string,
): Promise<{ folder: string; inPlace: boolean }> {
  await sweepStaging(dataDir);
  const inPlace = await canEnter(dataDir, user);
  if (!inPlace) await makeOpenFolder(join(sharedDir, 'clusters'));
  const folder = await mkdtemp(
    inPlace ? join(dataDir, `${STAGING}${process.pid}-`) : join(sharedDir, 'clusters', 'cluster-'),
  );
  return { folder, inPlace };
}

/** Lends a cluster that is stopped and removed afterwards: never the one of the service. */
export async function withScratchCluster<Result>(
  dataDir: string,
  work: (cluster: Cluster) => Promise<Result>,
  { fill = fillEmpty, sharedDir = SHARED_DIR }: { fill?: FillHome; sharedDir?: string } = {},
): Promise<Result> {
  await makeDataDir(dataDir);
  const user = await userForNewCluster();
  const binaries = await findBinaries(user, sharedDir);
  const { folder: home } = await makeStaging(dataDir, user, sharedDir);
  try {
    await fill(home, user, binaries);
    const password = await readFile(join(home, 'password'), 'utf8');
    return await work({ home, user, binaries, password: password.trim() });
  } finally {
    await rm(home, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Puts another cluster where there is none. @throws {EmbeddedPostgresError} where there is one */
export async function placeCluster(
  dataDir: string,
  fill: FillHome,
  sharedDir: string = SHARED_DIR,
): Promise<string> {
  await makeDataDir(dataDir);
  const found = await namingDataDir(dataDir, () => findHome(dataDir));
  if (found)
    throw new EmbeddedPostgresError(`${found} holds a database already.`, {
      advice: 'Move that folder away, or set DATA_DIR to another one.',
    });
  const user = await userForNewCluster();
  const binaries = await findBinaries(user, sharedDir);
  return createHome(dataDir, user, binaries, sharedDir, fill);
}

/** A new one for the role, in a file that only its owner reads. */
export async function writePassword(home: string, user: SystemUser | undefined): Promise<string> {
  const password = randomBytes(24).toString('base64url');
  await writeFile(join(home, 'password'), `${password}\n`, { mode: 0o600, flag: 'wx' });
  if (user) for (const path of [home, join(home, 'password')]) await chown(path, user.uid, user.gid);
  return password;
}

const MAY_REPLICATE = 'may-replicate';

/**
 * Backups read the log as a replica does. Earlier releases made the role without that right, and the superuser cannot
 * connect over TCP, so the right is granted while the server is stopped. If that fails, the backup job reports it.
 */
export async function allowReplication({ home, user, binaries }: Cluster): Promise<void> {
  const mark = join(home, MAY_REPLICATE);
  if ((await readFile(mark).catch(() => null)) !== null) return;
  const { code } = await runSingle(home, user, binaries, `ALTER ROLE ${ROLE} REPLICATION;\n`);
  if (code === 0) await noteReplication(home);
}

/** The role of this cluster has the right already. */
export const noteReplication = (home: string): Promise<void> => writeFile(join(home, MAY_REPLICATE), '');

/** Statements of the superuser to a server that does not run. */
export function runSingle(
  home: string,
  user: SystemUser | undefined,
  binaries: Binaries,
  statements: string,
): ReturnType<typeof runProgram> {
  const single = ['--single', '-D', join(home, 'data'), '-c', 'exit_on_error=on', 'postgres'];
  return runProgram(binaryPath(binaries, 'postgres'), single, {
    ...{ user, input: statements, timeoutMs: INITDB_TIMEOUT_MS },
  });
}

async function fillEmpty(home: string, user: SystemUser | undefined, binaries: Binaries): Promise<void> {
  const password = await writePassword(home, user);
  const data = join(home, 'data');

  // The built-in locale sorts the same way on every machine. The superuser gets no password, so it cannot be used
  // over TCP.
  const initdb = [
    '-D',
    data,
    '-U',
    'postgres',
    '-E',
    'UTF8',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
  ];
  const authentication = ['--auth-local=peer', '--auth-host=scram-sha-256', '--no-instructions'];
  mustSucceed(
    await runProgram(binaryPath(binaries, 'initdb'), [...initdb, ...authentication], {
      ...{ user, timeoutMs: INITDB_TIMEOUT_MS },
    }),
  );
  const role = `CREATE ROLE ${ROLE} LOGIN CREATEDB REPLICATION PASSWORD '${password}';\n`;
  mustSucceed(await runSingle(home, user, binaries, `${role}CREATE DATABASE ${ROLE} OWNER ${ROLE};\n`));
  await writeFile(join(home, MAY_REPLICATE), '');
}

/** @throws {EmbeddedPostgresError} */
export function mustSucceed({ code, output }: ProgramResult): void {
  if (code === 0) return;
  throw new EmbeddedPostgresError(
    `The embedded PostgreSQL could not make its data folder:\n${output.trim()}\n`,
  );
}

/** Removes what a process left that was killed while making a cluster. */
async function sweepStaging(dataDir: string): Promise<void> {
  for (const name of await readdir(dataDir)) {
    const pid = new RegExp(`^${STAGING}(\\d+)-`).exec(name)?.[1];
    if (pid && !isAlive(Number(pid))) await rm(join(dataDir, name), { recursive: true, force: true });
  }
}
