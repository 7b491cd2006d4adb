import { readFile, readlink, rename, link, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode } from '../../validation/unknown-values.js';
import { type Cluster, dataFolder } from './cluster.js';
import { isAlive } from './system.js';

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
