import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, chown, mkdir, open, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { hasCode, messageOf } from '../../validation/unknown-values.js';
import type { Binaries } from './binaries.js';
import { type Cluster, mustSucceed, noteReplication, ROLE, runSingle, writePassword } from './cluster.js';
import { ensureServer, stopServer } from './server.js';
import type { SystemUser } from './system.js';

/** A copy of a cluster: its data folder, and what happened since. */
export interface CopiedCluster {
  /** A gzipped tar archive. */
  readonly folder: AsyncIterable<Buffer>;
  readonly timeline: number;
  readonly segmentBytes: number;
  /** Parts of the log in their order, without a gap. */
  readonly log: AsyncIterable<LogPart>;
  /** Nothing that was committed later comes back; null: everything does. */
  readonly until: Date | null;
}

export interface LogPart {
  /** A position in the log of PostgreSQL. */
  readonly at: bigint;
  readonly bytes: Buffer;
}

/** PostgreSQL replays some 50 MB of its log in a second. */
const RECOVERY_LIMIT_MS = 2 * 3_600_000;
const MAX_TAR_WORDS = 2_000;

/**
 * Fills the folder of a cluster from a copy, has PostgreSQL replay the log, and stops it. The role gets a new password,
 * for the file with the former one is lost.
 */
export async function fillFromCopy(
  copied: CopiedCluster,
  home: string,
  user: SystemUser | undefined,
  binaries: Binaries,
): Promise<void> {
  const password = await writePassword(home, user);
  // It was copied by that right; to grant it again, a server of one user would replay the log first.
  await noteReplication(home);
  const data = join(home, 'data');
  await mkdir(data, { mode: 0o700 });
  await own(data, user);
  await unpack(copied.folder, data, user);
  await writeLog(copied, join(data, 'pg_wal'), user);
  const settings = join(data, 'postgresql.auto.conf');
  const before = await readFile(settings);
  // The log lies where a server looks for its own when the command finds none.
  const target =
    copied.until === null
      ? ''
      : `recovery_target_time = '${copied.until.toISOString().replace('T', ' ').replace('Z', '+00')}'\n`;
  await appendFile(
    settings,
    `restore_command = 'exit 1'\nrecovery_target_timeline = 'current'\nrecovery_target_action = 'promote'\n${target}`,
  );
  await writeFile(join(data, 'recovery.signal'), '');
  await own(join(data, 'recovery.signal'), user);
  const cluster: Cluster = { home, user, binaries, password };
  // Without readers meanwhile, "ready" means that the end is reached.
  try {
    await ensureServer(cluster, { settings: { hot_standby: 'off' }, readyLimitMs: RECOVERY_LIMIT_MS });
  } catch (error) {
    throw copied.until && LOG_ENDED.test(messageOf(error)) ? tooLate(copied.until, error) : error;
  }
  await stopServer(cluster, RECOVERY_LIMIT_MS);
  await writeFile(settings, before);
  mustSucceed(await runSingle(home, user, binaries, `ALTER ROLE ${ROLE} PASSWORD '${password}';\n`));
}

const LOG_ENDED = /recovery ended before configured recovery target was reached/;
const LAST_COMMIT = /last completed transaction was at log time (.+)/;

function tooLate(until: Date, cause: unknown): Error {
  const last = LAST_COMMIT.exec(messageOf(cause))?.[1];
  const end = last === undefined ? 'it has none since the backup' : `the last one is of ${last}`;
  return new Error(
    `The log has no commit after ${until.toISOString()}; ${end}. Leave out --until to get everything up to there.`,
    { cause },
  );
}

async function own(path: string, user: SystemUser | undefined): Promise<void> {
  if (user) await chown(path, user.uid, user.gid);
}

async function unpack(
  archive: AsyncIterable<Buffer>,
  folder: string,
  user: SystemUser | undefined,
): Promise<void> {
  const tar = spawn('tar', ['-xzpf', '-', '-C', folder], {
    cwd: '/',
    stdio: ['pipe', 'ignore', 'pipe'],
    ...(user && { uid: user.uid, gid: user.gid }),
  });
  let said = '';
  tar.stderr.on('data', (chunk: Buffer) => (said = (said + chunk.toString()).slice(-MAX_TAR_WORDS)));
  const ended = once(tar, 'close') as Promise<[number | null]>;
  ended.catch(() => undefined);
  let isBroken = false;
  try {
    await pipeline(Readable.from(archive), tar.stdin);
  } catch (error) {
    // Where tar ended early, it says more than the broken pipe.
    isBroken = hasCode(error, 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE');
    if (!isBroken) throw error;
  }
  const [code] = await ended;
  if (code !== 0 || isBroken) throw new Error(`The data folder cannot be unpacked: ${said.trim()}`);
}

/** Where the log begins in the first segment, the archive has it too. */
async function writeLog(
  { log, timeline, segmentBytes }: CopiedCluster,
  folder: string,
  user: SystemUser | undefined,
): Promise<void> {
  const segment = BigInt(segmentBytes);
  for await (const { at, bytes } of log)
    for (let done = 0; done < bytes.length;) {
      const position = at + BigInt(done);
      const offset = Number(position % segment);
      const part = bytes.subarray(done, done + segmentBytes - offset);
      await writeInto(join(folder, segmentName(timeline, position / segment, segmentBytes)), part, {
        ...{ offset, size: segmentBytes, user },
      });
      done += part.length;
    }
}

async function writeInto(
  path: string,
  bytes: Buffer,
  { offset, size, user }: { offset: number; size: number; user: SystemUser | undefined },
): Promise<void> {
  const file = await open(path, 'r+').catch(() => open(path, 'wx+', 0o600));
  try {
    // Behind its end a server expects nothing but zeros.
    await file.truncate(size);
    await file.write(bytes, 0, bytes.length, offset);
  } finally {
    await file.close();
  }
  await own(path, user);
}

const SEGMENT_SPACE = 0x1_0000_0000;

/** As PostgreSQL names its files: timeline, and the number of the segment in two parts. */
function segmentName(timeline: number, segment: bigint, segmentBytes: number): string {
  const each = BigInt(SEGMENT_SPACE / segmentBytes);
  return [BigInt(timeline), segment / each, segment % each]
    .map((part) => part.toString(16).toUpperCase().padStart(8, '0'))
    .join('');
}
