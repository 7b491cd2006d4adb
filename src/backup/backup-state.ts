import type { Config } from '../config/config.js';
import { type Archiver, readArchiver } from '../db/backup/replication.js';
import { Clock, type Database } from '../db/database.js';
import { AuditRepository } from '../observe/audit.repository.js';
import { type JobState, JobStateRepository } from '../work/job-state.repository.js';

/** In the audit log. */
export const BACKUP_ACTION = 'backup';
export const DRILL_ACTION = 'backup.drill';
export const FAILED_DRILL_ACTION = 'backup.drill-failed';

/** What the loss of the disk would cost now. */
export interface BackupState {
  readonly now: Date;
  readonly lastAt: Date | null;
  /** When a backup was last restored, to prove it. */
  readonly restoredAt: Date | null;
  /** Commits up to this time survive the loss of the disk; null: none is known to. */
  readonly safeUntil: Date | null;
  /** Of a server of the operator's. */
  readonly archiver: Archiver | null;
}

export async function readBackupState(
  database: Database,
  { database: { url } }: Pick<Config, 'database'>,
): Promise<BackupState> {
  const audit = new AuditRepository(database);
  const [last] = await audit.list({ action: BACKUP_ACTION }, 1);
  const [drill] = await audit.list({ action: DRILL_ACTION }, 1);
  const archiver = url === undefined ? null : await readArchiver(database);
  const cursors = await readCursors(database);
  const made = cursors.get('backup') ?? null;
  const log = logPlaceIn(cursors.get('backup-log') ?? null);
  const safe = [
    typeof made?.taken_at === 'string' ? new Date(made.taken_at) : (last?.at ?? null),
    // The log is of use behind a backup alone.
    log !== null && log.chain === made?.chain ? new Date(log.safe_until) : null,
    archiver && archiver.baseAt && archiver.lastAt,
  ].flatMap((at) => at?.getTime() ?? []);
  return {
    now: await new Clock(database).now(),
    lastAt: last?.at ?? null,
    restoredAt: drill?.at ?? null,
    safeUntil: safe.length === 0 ? null : new Date(Math.max(...safe)),
    archiver,
  };
}

async function readCursors(database: Database): Promise<Map<string, JobState['cursor']>> {
  const jobs = await new JobStateRepository(database).list();
  return new Map(jobs.map(({ name, cursor }) => [name, cursor]));
}

/** In a line, for status and doctor. */
export function describeBackups({ now, lastAt, restoredAt, safeUntil, archiver }: BackupState): string {
  const useless =
    archiver?.baseAt === null
      ? ', which is of no use: it knows of no base backup (pg_monitor sees them)'
      : '';
  const archived =
    archiver?.isOn === true ? `; PostgreSQL archived its log ${ago(archiver.lastAt, now)}${useless}` : '';
  const proved = restoredAt === null ? '' : `, restored to prove it ${ago(restoredAt, now)}`;
  const lost = safeUntil === null ? 'everything' : `what was committed within ${timeBetween(safeUntil, now)}`;
  return `Last backup ${ago(lastAt, now)}${proved}${archived}; a lost disk would cost ${lost}.`;
}

function ago(at: Date | null, now: Date): string {
  return at === null ? 'never' : `${timeBetween(at, now)} ago`;
}

const UNITS = [
  ['days', 86_400_000],
  ['hours', 3_600_000],
  ['minutes', 60_000],
] as const;

function timeBetween(from: Date, to: Date): string {
  const ms = Math.max(0, to.getTime() - from.getTime());
  const [name, unit] = UNITS.find(([, length]) => ms >= 2 * length) ?? ['seconds', 1_000];
  return `${Math.round(ms / unit)} ${name}`;
}

/** The place of the log in the store, as the job that sends it goes on from it. */
export interface LogPlace {
  readonly chain: string;
  readonly timeline: number;
  /** Up to here it is in the store, as 16 hexadecimal digits. */
  readonly sent: string;
  /** Commits up to this time are in the store; ISO 8601. */
  readonly safe_until: string;
}

export async function readLogPlace(database: Database): Promise<LogPlace | null> {
  return logPlaceIn((await readCursors(database)).get('backup-log') ?? null);
}

export function logPlaceIn(cursor: Readonly<Record<string, unknown>> | null): LogPlace | null {
  if (!cursor) return null;
  const { chain, timeline, sent, safe_until } = cursor;
  return typeof chain === 'string' &&
    typeof timeline === 'number' &&
    typeof sent === 'string' &&
    typeof safe_until === 'string'
    ? { chain, timeline, sent, safe_until }
    : null;
}
