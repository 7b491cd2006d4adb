import { Logger } from '@nestjs/common';
import { PassThrough } from 'node:stream';
import { promisify } from 'node:util';
import { constants, gunzip, gzip } from 'node:zlib';
import type { Retention } from '../config/parsers.js';
import { VERSION } from '../config/product.js';
import type { CopiedLog, LogState } from '../db/backup/replication.js';
import type { LogPart } from '../db/embedded/restored-cluster.js';
import { isObject, messageOf } from '../validation/unknown-values.js';
import { dailyBackups, keptBackups } from './retention.js';
import { type BackupStore, MAX_OBJECT_BYTES } from './store.js';
import { claimStore } from './store-claim.js';

const FORMAT = 'bowerbird store 1';

/**
 * - `folder`: the data folder of the embedded server, from which any later moment can be restored with its log
 * - `dump`: every table, of a server of the operator's; what `bowerbird backup FILE` writes
 */
export type BackupKind = 'folder' | 'dump';

export interface Backup {
  /** Such as 2026-11-24T02-00-00.000Z-folder. */
  readonly id: string;
  readonly kind: BackupKind;
  readonly takenAt: Date;
}

/** Describes a backup. It is written last, so a backup with a manifest is complete. */
export interface Manifest {
  readonly format: string;
  readonly version: string;
  readonly parts: number;
  readonly bytes: number;
  readonly database_bytes: number;
  /** Of a data folder. */
  readonly log: ManifestLog | null;
  /** When a data folder was copied, ISO 8601: no earlier moment can be restored from it. */
  readonly consistent_at?: string;
}

export interface ManifestLog {
  readonly chain: string;
  readonly timeline: number;
  readonly segment_bytes: number;
  /** Positions, as {@link hexOf} writes them. */
  readonly from: string;
  readonly to: string;
}

const BACKUPS = 'backups/';
const LOG = 'log/';
const MANIFEST = 'manifest';
/** Anything else in the folder of a chain is not ours. */
const LOG_PART = /^([\da-f]{16})-([\da-f]{16})$/;
const ID = /^(\d{4}-\d\d-\d\dT)(\d\d)-(\d\d)-(\d\d\.\d{3}Z)-(folder|dump)$/;
const PARTS_DIGITS = 5;

/** The backups of one installation, and its log. One process at a time writes and deletes. */
export class Backups {
  private readonly logger = new Logger('Backup');
  private claimedBy: string | undefined;

  constructor(private readonly store: BackupStore) {}

  /**
   * Takes the store for this installation, before anything is written or deleted in it.
   *
   * @throws {Error} for the operator, when it is another's
   */
  async claim(installation: string): Promise<void> {
    if (this.claimedBy === installation) return;
    await claimStore(this.store, installation, 'BACKUP_DIR or BACKUP_S3_URL');
    this.claimedBy = installation;
  }

  /** Complete ones, the newest first. */
  async list(): Promise<Backup[]> {
    const names = await this.store.list(BACKUPS);
    const found = names.flatMap((name) => {
      const [id = '', object] = name.slice(BACKUPS.length).split('/');
      const backup = object === MANIFEST ? readId(id) : null;
      return backup ?? [];
    });
    return found.sort((one, other) => other.takenAt.getTime() - one.takenAt.getTime());
  }

  /** The newest that was complete by then. @throws {Error} for the operator, when there is none */
  async find(by: Date | null): Promise<Backup> {
    let oldest: Date | undefined;
    for (const backup of await this.list()) {
      if (by === null) return backup;
      // The manifests of later ones are not asked for.
      const { consistent_at } = backup.takenAt > by ? {} : await this.describe(backup);
      oldest = consistent_at === undefined ? backup.takenAt : new Date(consistent_at);
      if (oldest <= by) return backup;
    }
    throw new Error(
      oldest === undefined
        ? 'There is no backup at BACKUP_DIR or BACKUP_S3_URL.'
        : `There is no backup of that time; the oldest is of ${oldest.toISOString()}.`,
    );
  }

  async describe({ id }: Backup): Promise<Manifest> {
    const value: unknown = JSON.parse((await this.store.read(`${BACKUPS}${id}/${MANIFEST}`)).toString());
    if (!isObject(value) || value.format !== FORMAT)
      throw new Error(`The backup ${id} is of another format; restore it with the release that made it.`);
    return value as unknown as Manifest;
  }

  /**
   * When one fails, its parts are removed.
   *
   * @param endOf asked when all is read
   */
  async write(
    takenAt: Date,
    kind: BackupKind,
    content: AsyncIterable<Buffer>,
    endOf: () => Promise<Pick<Manifest, 'log' | 'consistent_at'>>,
    { databaseBytes }: Pick<LogState, 'databaseBytes'>,
  ): Promise<Backup & { readonly bytes: number }> {
    const backup = { id: idOf(takenAt, kind), kind, takenAt };
    const folder = `${BACKUPS}${backup.id}/`;
    const written = { parts: 0, bytes: 0 };
    try {
      for await (const part of inParts(content)) {
        await this.store.put(folder + partName(written.parts), part);
        written.parts += 1;
        written.bytes += part.length;
      }
      const manifest: Manifest = {
        ...{ format: FORMAT, version: VERSION, ...written, database_bytes: databaseBytes },
        ...(await endOf()),
      };
      await this.store.put(folder + MANIFEST, Buffer.from(JSON.stringify(manifest)));
    } catch (error) {
      await this.discard(folder);
      throw error;
    }
    return { ...backup, bytes: written.bytes };
  }

  /** The next try writes to another folder, and a small disk would fill with failed ones. */
  private async discard(folder: string): Promise<void> {
    try {
      // The manifest first, so that none is left without its parts.
      for (const name of (await this.store.list(folder)).reverse()) await this.store.remove(name);
    } catch (error) {
      this.logger.error(`Parts of a failed backup stay in ${folder} for a day: ${messageOf(error)}`);
    }
  }

  async *read({ id }: Backup, { parts }: Manifest): AsyncGenerator<Buffer> {
    for (let part = 0; part < parts; part += 1) yield this.store.read(`${BACKUPS}${id}/${partName(part)}`);
  }

  async addLog(chain: string, from: bigint, bytes: Buffer): Promise<void> {
    const name = `${LOG}${chain}/${hexOf(from)}-${hexOf(from + BigInt(bytes.length))}`;
    await this.store.put(name, await promisify(gzip)(bytes, { level: constants.Z_BEST_SPEED }));
  }

  /**
   * The log that a data folder needs, up to its last part or to a gap.
   *
   * @param onEnd told how far it goes
   */
  async *readLog(
    { chain, segment_bytes, from, to }: ManifestLog,
    onEnd: (at: bigint) => void,
  ): AsyncGenerator<LogPart> {
    const segment = BigInt(segment_bytes);
    const first = (positionOf(from) / segment) * segment;
    // The folder has its own log up to here.
    let end = positionOf(to);
    for (const { name, ...part } of await this.listLog(chain)) {
      if (part.to <= first) continue;
      if (part.from > end) break;
      const bytes = await promisify(gunzip)(await this.store.read(name));
      const skipped = part.from < first ? Number(first - part.from) : 0;
      yield { at: part.from + BigInt(skipped), bytes: bytes.subarray(skipped) };
      end = part.to > end ? part.to : end;
    }
    onEnd(end);
  }

  /**
   * Deletes what the retention does not keep, and the log that no daily backup needs.
   *
   * @param chain of the log that is written now
   */
  async prune(retention: Retention, chain: string | null, now: Date): Promise<void> {
    const backups = await this.list();
    const kept = keptBackups(backups, retention);
    for (const name of await this.listAll(BACKUPS)) {
      const backup = readId(name.slice(BACKUPS.length).split('/')[0] ?? '');
      // One without a manifest is being written, or its process was killed.
      const isOld = backup && now.getTime() - backup.takenAt.getTime() > MAX_WRITING_MS;
      if (isOld && !kept.some(({ id }) => id === backup.id)) await this.store.remove(name);
    }
    const needed = new Map<string, bigint>();
    for (const backup of dailyBackups(kept, retention.days)) {
      const { log } = await this.describe(backup);
      if (log) needed.set(log.chain, min(needed.get(log.chain), positionOf(log.from)));
    }
    for (const name of await this.listAll(LOG)) {
      const part = readLogName(name);
      if (!part) continue;
      const from = needed.get(part.chain);
      const isNeeded = from === undefined ? part.chain === chain : part.to > from;
      if (!isNeeded) await this.store.remove(name);
    }
  }

  /** With unfinished backups, which are deleted by the same rules. */
  private async listAll(below: string): Promise<string[]> {
    return [...(await this.store.list(below)), ...(await this.store.listUnfinished(below))];
  }

  private async listLog(chain: string): Promise<{ name: string; from: bigint; to: bigint }[]> {
    const names = await this.store.list(`${LOG}${chain}/`);
    return names.flatMap((name) => readLogName(name) ?? []);
  }
}

const MAX_WRITING_MS = 86_400_000;

function readLogName(name: string): { name: string; chain: string; from: bigint; to: bigint } | null {
  const [chain = '', part = ''] = name.slice(LOG.length).split('/');
  const [, from, to] = LOG_PART.exec(part) ?? [];
  if (from === undefined || to === undefined) return null;
  return { name, chain, from: positionOf(from), to: positionOf(to) };
}

/** A position in the log as names and manifests have it: 16 hexadecimal digits. */
export const hexOf = (at: bigint): string => at.toString(16).padStart(16, '0');
export const positionOf = (text: string): bigint => BigInt(`0x${text}`);

export function logOf(
  { from, to, timeline }: CopiedLog,
  chain: string,
  { segmentBytes }: Pick<LogState, 'segmentBytes'>,
): ManifestLog {
  return { chain, timeline, segment_bytes: segmentBytes, from: hexOf(from), to: hexOf(to) };
}

/** Turns a writer into something to read from. */
export function streamed(write: (into: PassThrough) => Promise<void>): AsyncIterable<Buffer> {
  const through = new PassThrough();
  write(through).catch((error: unknown) =>
    through.destroy(error instanceof Error ? error : new Error(String(error))),
  );
  return through as AsyncIterable<Buffer>;
}

async function* inParts(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of content) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes < MAX_OBJECT_BYTES) continue;
    yield Buffer.concat(chunks);
    [chunks, bytes] = [[], 0];
  }
  if (bytes > 0) yield Buffer.concat(chunks);
}

function idOf(takenAt: Date, kind: BackupKind): string {
  return `${takenAt.toISOString().replaceAll(':', '-')}-${kind}`;
}

function readId(id: string): Backup | null {
  const [, day, hour, minute, second, kind] = ID.exec(id) ?? [];
  if (day === undefined) return null;
  return {
    id,
    kind: kind === 'dump' ? 'dump' : 'folder',
    takenAt: new Date(`${day}${hour}:${minute}:${second}`),
  };
}

const partName = (part: number) => String(part).padStart(PARTS_DIGITS, '0');
const min = (one: bigint | undefined, other: bigint) => (one === undefined || other < one ? other : one);
