import type { Config } from '../config/config.js';
import { currentFence, type Database } from '../db/database.js';
import type { ExportProcess, MadeExport } from './export-process.js';
import type { ExportRepository } from './export.repository.js';
import type { ExportTask } from './make-exports.js';

/** Makes the exports that are due, as the rows in PostgreSQL say. */
export class Exporter {
  constructor(
    private readonly config: Pick<Config, 'exports'>,
    private readonly database: Pick<Database, 'directUrl'>,
    private readonly exports: ExportRepository,
    private readonly process: ExportProcess,
  ) {}

  /** @returns the exports made; null: none is due, or another process makes them */
  async makeDue(
    now: Date,
    options: Parameters<ExportProcess['make']>[1],
  ): Promise<readonly MadeExport[] | null> {
    const kind = await this.dueKind(now);
    if (!kind) return null;
    const task = { ...taskOf(kind, this.config, this.database, now), fence: currentFence() };
    return this.process.make(task, options);
  }

  private async dueKind(now: Date): Promise<ExportTask['kind'] | null> {
    const { time, hourly } = this.config.exports;
    const snapshot = await this.exports.findLast('snapshot');
    if (isMissing(lastSnapshotMoment(time, now), snapshot?.madeAt ?? null)) return 'snapshot';
    if (!hourly) return null;
    const changes = await this.exports.findLast('changes');
    return isMissing(lastFullHour(now), changes?.madeAt ?? null) ? 'changes' : null;
  }
}

/** The task as the configuration has it. */
export function taskOf(
  kind: ExportTask['kind'],
  { exports: { folder, bucket, keepSnapshots, keepDiffDays } }: Pick<Config, 'exports'>,
  { directUrl }: Pick<Database, 'directUrl'>,
  now: Date,
): ExportTask {
  return {
    kind,
    databaseUrl: directUrl,
    folder,
    bucket,
    now: now.toISOString(),
    keepSnapshots,
    keepDiffDays,
  };
}

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** The last moment at which a snapshot was to be made. @param time of day, HH:MM:SS in UTC */
export function lastSnapshotMoment(time: string, now: Date): Date {
  const today = Date.parse(`${now.toISOString().slice(0, 10)}T${time}Z`);
  return new Date(today <= now.getTime() ? today : today - DAY_MS);
}

export function nextSnapshotMoment(time: string, now: Date): Date {
  return new Date(lastSnapshotMoment(time, now).getTime() + DAY_MS);
}

export function lastFullHour(now: Date): Date {
  return new Date(Math.floor(now.getTime() / HOUR_MS) * HOUR_MS);
}

export function nextFullHour(now: Date): Date {
  return new Date(lastFullHour(now).getTime() + HOUR_MS);
}

/** Whether the export due at a moment is missing. @param madeAt of the last one; null: there is none */
export function isMissing(moment: Date, madeAt: Date | null): boolean {
  return madeAt === null || madeAt < moment;
}
