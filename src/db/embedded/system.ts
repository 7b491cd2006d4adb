import { spawn } from 'node:child_process';
import { chmod, mkdir, readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { hasCode } from '../../validation/unknown-values.js';

export interface SystemUser {
  readonly uid: number;
  readonly gid: number;
}

export interface ProgramOptions {
  /** Undefined: the user of this process. */
  readonly user: SystemUser | undefined;
  readonly timeoutMs: number;
  readonly input?: string;
  /** For a program that leaves a server behind: a pipe would stay open for the life of that server. */
  readonly silent?: boolean;
}

/** How a program ended; `code` is null when it could not run or was stopped, and `output` then says why. */
export interface ProgramResult {
  readonly code: number | null;
  readonly output: string;
}

const MAX_OUTPUT_CHARACTERS = 20_000;

/** Runs a program to its end. Never throws: one that cannot even be started is a result as well. */
export async function runProgram(
  program: string,
  parameters: readonly string[],
  { user, timeoutMs, input, silent = false }: ProgramOptions,
): Promise<ProgramResult> {
  return new Promise((resolve) => {
    const child = spawn(program, parameters, {
      // The folder this process stands in may be closed to the other user.
      cwd: '/',
      // PGPORT, PGOPTIONS and the like of the caller must not reach the server; English keeps its messages searchable.
      env: { LC_ALL: 'C', PATH: '/usr/bin:/bin' },
      stdio: silent ? 'ignore' : 'pipe',
      ...(user && { uid: user.uid, gid: user.gid }),
    });
    let output = '';
    const collect = (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-MAX_OUTPUT_CHARACTERS);
    };
    child.stdout?.on('data', collect);
    child.stderr?.on('data', collect);
    // A program that ends before it has read everything says more by its exit than by this broken pipe.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
    // Node's own time limit for a child goes on ticking, and keeps the process alive, when the child could not be
    // started.
    const limit = setTimeout(() => child.kill(), timeoutMs);
    const finish = (result: ProgramResult) => {
      clearTimeout(limit);
      resolve(result);
    };
    child.once('error', (error) => finish({ code: null, output: error.message }));
    child.once(silent ? 'exit' : 'close', (code: number | null, signal: NodeJS.Signals | null) =>
      finish({ code, output: signal ? `${output}\nstopped by ${signal}` : output }),
    );
  });
}

/** Whether a process has this id, also one of another user. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !hasCode(error, 'ESRCH');
  }
}

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

/**
 * The user an existing cluster runs as: its owner, as whom only root can act. @returns undefined: the user of this
 * process
 */
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

/** Makes a folder that every user can enter, regardless of the umask; an existing folder keeps its mode. */
export async function makeOpenFolder(folder: string): Promise<void> {
  const made = await makeFolder(folder);
  if (!made) return;
  for (let path = folder; path.startsWith(made); path = dirname(path)) await chmod(path, 0o755);
}

/**
 * Makes a folder and those above it. Not mkdir's own `recursive`: where a folder above is there and still
 * nothing can be made in it (ENOENT, as in /proc), that never ends and keeps a core busy.
 *
 * @returns the uppermost folder that was made; undefined when all were there
 */
export async function makeFolder(folder: string): Promise<string | undefined> {
  try {
    await mkdir(folder);
    return folder;
  } catch (error) {
    if (hasCode(error, 'EEXIST') && (await stat(folder)).isDirectory()) return undefined;
    if (!hasCode(error, 'ENOENT')) throw error;
  }
  const made = await makeFolder(dirname(folder));
  await mkdir(folder).catch((error: unknown) => {
    // Another process was faster.
    if (!hasCode(error, 'EEXIST')) throw error;
  });
  return made ?? folder;
}

/** The embedded PostgreSQL cannot be used; the message is for the operator and says what to do. */
export class EmbeddedPostgresError extends Error {
  constructor(problem: string, options: { advice?: string; cause?: unknown } = {}) {
    super(`${problem} ${options.advice ?? OR_OWN_SERVER}`, { cause: options.cause });
  }
}

const OR_OWN_SERVER = 'To use a PostgreSQL server of your own instead, set DATABASE_URL.';
