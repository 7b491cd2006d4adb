import { readFile, stat } from 'node:fs/promises';
import { EmbeddedPostgresError } from './embedded-postgres-error.js';
import { runProgram, type SystemUser } from './program.js';

/** Users a server may run as when this process is root, best first: PostgreSQL refuses to run as root. */
const CANDIDATES = ['postgres', 'nobody'];
const PROBE_TIMEOUT_MS = 10_000;

export const isRoot = (): boolean => process.getuid?.() === 0;

/** The user a new cluster shall belong to. @returns undefined: the user of this process */
export async function userForNewCluster(): Promise<SystemUser | undefined> {
  if (!isRoot()) return undefined;
  const users = await readUsers();
  const user = CANDIDATES.map((name) => users.find((entry) => entry.name === name)).find(Boolean);
  if (user) return user;
  throw new EmbeddedPostgresError(
    `PostgreSQL refuses to run as root, and there is no system user ${CANDIDATES.join(' or ')} to run it as.`,
  );
}

/** The user an existing cluster runs as: its owner, as whom only root can act. @returns undefined: the user of this process */
export async function ownerOfCluster(folder: string): Promise<SystemUser | undefined> {
  if (!isRoot()) return undefined;
  const { uid, gid } = await stat(folder);
  if (uid !== 0) return { uid, gid };
  throw new EmbeddedPostgresError(`${folder} belongs to root, and PostgreSQL refuses to run as root.`);
}

/** Whether `user` may enter `folder`; every folder above counts, such as a closed home of root. */
export async function canEnter(folder: string, user: SystemUser | undefined): Promise<boolean> {
  if (!user) return true;
  const probe = await runProgram('/bin/sh', ['-c', 'cd "$1"', 'sh', folder], {
    user,
    timeoutMs: PROBE_TIMEOUT_MS,
  });
  return probe.code === 0;
}

async function readUsers(): Promise<(SystemUser & { name: string })[]> {
  const lines = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'));
  return lines
    .filter(([name, , uid, gid]) => name && /^-?\d+$/.test(uid ?? '') && /^-?\d+$/.test(gid ?? ''))
    .map(([name = '', , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }));
}
