import { Logger } from '@nestjs/common';
import { Config } from '../config/config.js';
import { VERSION } from '../config/product.js';
import { dump } from '../db/backup/backup.js';
import {
  advanceSlot,
  type CopiedLog,
  createSlot,
  type LogState,
  readDataFolder,
  readInstallation,
  readLog,
  readLogState,
} from '../db/backup/replication.js';
import { Clock, Database } from '../db/database.js';
import { unscoped } from '../db/scope.js';
import { withoutStatementTimeout } from '../db/open-database.js';
import { DatabaseUnavailable } from '../errors/database-failure.js';
import { type AuditEntry, AuditRepository } from '../observe/audit.repository.js';
import { messageOf } from '../validation/unknown-values.js';
import { type Kind, maintenance, type NamedKind, type Work, type WorkResult } from '../work/kind.js';
import { type Backup, type Backups, hexOf, logOf, positionOf, streamed } from './backups.js';
import {
  BACKUP_ACTION,
  DRILL_ACTION,
  FAILED_DRILL_ACTION,
  type LogPlace,
  logPlaceIn,
  readLogPlace,
} from './backup-state.js';
import { drill } from './drill.js';
import { MAX_OBJECT_BYTES } from './store.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const actor = (name: string) => `job:${name}`;
const subjectOf = ({ id }: Backup) => `backup:${id}`;

/** Makes the backup of the day: of the embedded server its data folder, of another one a dump. */
export class BackupJob implements Kind {
  readonly name = 'backup';
  readonly everyMs = MINUTE_MS;
  readonly deadlineMs = 6 * HOUR_MS;
  private readonly logger = new Logger('Backup');

  constructor(
    private readonly config: Config,
    private readonly database: Database,
    private readonly backups: Backups,
    private readonly audit: AuditRepository,
  ) {}

  async run({ cursor }: Work, now: Date, signal: AbortSignal): Promise<WorkResult> {
    const isEmbedded = this.config.database.url === undefined;
    const place = isEmbedded ? await readLogPlace(this.database) : null;
    // The log is kept first, so that the folder's log goes on in it.
    if (isEmbedded && !place) return {};
    const chain = place?.chain ?? '';
    const lastAt = typeof cursor?.taken_at === 'string' ? new Date(cursor.taken_at) : null;
    const isDue = !lastAt || lastAt < lastTimeOfDay(this.config.backup.time, now) || cursor?.chain !== chain;
    if (!isDue) return {};
    const made = await makeBackup(this.database, this.backups, now, chain === '' ? null : chain, signal);
    await this.audit.record({
      ...{ actor: actor(this.name), action: BACKUP_ACTION, subject: subjectOf(made), from: null },
      reason: `${(made.bytes / 1e6).toFixed(1)} MB`,
    });
    this.logger.log(`Made the backup ${made.id}: ${(made.bytes / 1e6).toFixed(1)} MB`);
    return { cursor: { taken_at: now.toISOString(), chain } };
  }
}

/** @param chain of the log that goes on from it; null: a dump, which has none */
export async function makeBackup(
  database: Database,
  backups: Backups,
  now: Date,
  chain: string | null,
  signal: AbortSignal,
): Promise<Backup & { bytes: number }> {
  await backups.claim(await readInstallation(database));
  const state = await readLogState(database);
  if (chain === null) {
    const content = streamed((into) =>
      unscoped(() =>
        withoutStatementTimeout(database, (own) => dump(own, into, () => signal.throwIfAborted())),
      ),
    );
    return backups.write(now, 'dump', content, () => Promise.resolve({ log: null }), state);
  }
  let copied: CopiedLog | null = null;
  const content = readDataFolder(database.directUrl, signal, (log) => (copied = log));
  const end = async () => ({
    log: copied && logOf(copied, chain, state),
    // After the last commit of the copy's own log.
    consistent_at: (await new Clock(database).now()).toISOString(),
  });
  return backups.write(now, 'folder', content, end, state);
}

/** The last moment before now with this time of day. */
function lastTimeOfDay(time: string, now: Date): Date {
  const today = new Date(`${now.toISOString().slice(0, 10)}T${time}Z`);
  return today <= now ? today : new Date(today.getTime() - DAY_MS);
}

const LOG_EVERY_MS = 15_000;
/** Of one run; the next begins at once. */
const MAX_PARTS = 16;

/**
 * Sends the log of the embedded server to the store, seconds behind its commits. After a gap in the log, a new chain
 * begins with a backup of its own.
 */
export class BackupLogJob implements Kind {
  readonly name = 'backup-log';
  readonly everyMs = LOG_EVERY_MS;
  readonly deadlineMs = 5 * MINUTE_MS;
  private readonly logger = new Logger('Backup');

  constructor(
    private readonly database: Database,
    private readonly backups: Backups,
  ) {}

  async run({ cursor }: Work, now: Date, signal: AbortSignal): Promise<WorkResult> {
    await this.backups.claim(await readInstallation(this.database));
    const state = await readLogState(this.database);
    const place = await this.place(logPlaceIn(cursor), state, now);
    let at = positionOf(place.sent);
    for (let part = 0; part < MAX_PARTS && at < state.flushed; part += 1) {
      const wanted = state.flushed - at;
      const to = at + (wanted > MAX_PART_BYTES ? MAX_PART_BYTES : wanted);
      const chunks: Buffer[] = [];
      const log = { from: at, to, timeline: place.timeline };
      for await (const chunk of readLog(this.database.directUrl, signal, log)) chunks.push(chunk);
      await this.backups.addLog(place.chain, at, Buffer.concat(chunks));
      at = to;
    }
    const isAll = at >= state.flushed;
    return {
      ...(!isAll && { againInMs: 0 }),
      cursor: { ...place, sent: hexOf(at), safe_until: isAll ? state.at.toISOString() : place.safe_until },
    };
  }

  /** Where the last run ended. Only then may PostgreSQL delete the log before it: the cursor is written down. */
  private async place(
    last: LogPlace | null,
    { keptFrom, timeline, segmentBytes }: LogState,
    now: Date,
  ): Promise<LogPlace> {
    const sent = last && positionOf(last.sent);
    if (last && sent !== null && last.timeline === timeline && keptFrom !== null && keptFrom <= sent) {
      await advanceSlot(this.database, sent);
      return last;
    }
    if (last) this.logger.warn('The log has a gap since its last part: a new backup is made');
    const from = await createSlot(this.database);
    const segment = BigInt(segmentBytes);
    return {
      chain: `${now.toISOString().replaceAll(':', '-')}-${timeline}`,
      timeline,
      sent: hexOf((from / segment) * segment),
      // The new chain protects nothing before its first backup.
      safe_until: last?.safe_until ?? new Date(0).toISOString(),
    };
  }
}

const MAX_PART_BYTES = BigInt(MAX_OBJECT_BYTES);

/** Then half a day of the log is proved with it. The first backup is proved at once. */
const PROVED_AFTER_MS = 12 * HOUR_MS;
/** A damaged backup is read again as often, and fails the job in between. */
const TRIED_EVERY_MS = 6 * HOUR_MS;
/** Entries of the audit log: more than the backups that are kept. */
const MAX_ENTRIES = 1_000;

/** Restores each backup once, the oldest first and one a run, into a server of its own, and reads every row. */
export class BackupDrillJob implements Kind {
  readonly name = 'backup-drill';
  readonly everyMs = HOUR_MS;
  readonly firstInMs = 10 * MINUTE_MS;
  readonly deadlineMs = 6 * HOUR_MS;
  private readonly logger = new Logger('Backup');

  constructor(
    private readonly config: Config,
    private readonly backups: Backups,
    private readonly audit: AuditRepository,
  ) {}

  async run(_work: Work, now: Date, signal: AbortSignal): Promise<WorkResult> {
    const proved = await this.audit.list({ action: DRILL_ACTION }, MAX_ENTRIES);
    const failed = await this.audit.list({ action: FAILED_DRILL_ACTION }, MAX_ENTRIES);
    const failures: string[] = [];
    for (const backup of (await this.backups.list()).reverse()) {
      const isOf = ({ subject }: AuditEntry) => subject === subjectOf(backup);
      const isYoung = now.getTime() - backup.takenAt.getTime() < PROVED_AFTER_MS;
      if (proved.some(isOf) || (isYoung && proved.length > 0)) continue;
      const last = failed.find(isOf);
      const isTried = last && now.getTime() - last.at.getTime() < TRIED_EVERY_MS;
      const outcome = isTried ? last.reason : await this.prove(backup, signal);
      if (outcome === true) break;
      if (outcome !== false) failures.push(`${backup.id}: ${outcome}`);
    }
    if (failures.length > 0) throw new Error(`Not restored to prove it: ${failures.join('; ')}`);
    return {};
  }

  /** @returns whether it was restored, or why it cannot be */
  private async prove(backup: Backup, signal: AbortSignal): Promise<boolean | string> {
    const deed = { actor: actor(this.name), subject: subjectOf(backup), from: null };
    try {
      // Another release's is restored with that release.
      if ((await this.backups.describe(backup)).version !== VERSION) return false;
      const { rows, seconds, logEnd } = await unscoped(() =>
        drill(this.config, this.backups, backup, signal),
      );
      const found = `${rows} rows in ${seconds.toFixed(0)} s${logEnd === null ? '' : `, log up to ${logEnd}`}`;
      await this.audit.record({ ...deed, action: DRILL_ACTION, reason: `restored: ${found}` });
      this.logger.log(`Restored the backup ${backup.id} to prove it: ${found}`);
      return true;
    } catch (error) {
      if (signal.aborted || error instanceof DatabaseUnavailable) throw error;
      const reason = messageOf(error);
      await this.audit.record({ ...deed, action: FAILED_DRILL_ACTION, reason });
      return reason;
    }
  }
}

/** Deletes old backups. A job of its own, so that its failure does not stop backups. */
export function pruneJob(config: Config, database: Database, backups: Backups): NamedKind {
  return maintenance('backup-prune', 6 * HOUR_MS, async (now) => {
    await backups.claim(await readInstallation(database));
    const place = await readLogPlace(database);
    await backups.prune(config.backup.keep, place?.chain ?? null, now);
  });
}
