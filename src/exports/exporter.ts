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
    if (nextExportAt(dailyAt(time), snapshot, now) <= now) return 'snapshot';
    if (!hourly) return null;
    const changes = await this.exports.findLast('changes');
    return nextExportAt(HOURLY, changes, now) <= now ? 'changes' : null;
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

/** One export in each period, which begins at the offset. */
interface ExportSchedule {
  readonly periodMs: number;
  readonly offsetMs: number;
}

export const HOURLY: ExportSchedule = { periodMs: 3_600_000, offsetMs: 0 };

/** @param time of day, HH:MM:SS in UTC */
export function dailyAt(time: string): ExportSchedule {
  return { periodMs: 86_400_000, offsetMs: Date.parse(`1970-01-01T${time}Z`) };
}

/** When the next export is due; not after now while it is missing. @param last null: there is none */
export function nextExportAt(
  { periodMs, offsetMs }: ExportSchedule,
  last: { readonly madeAt: Date } | null,
  now: Date,
): Date {
  const begunMs = now.getTime() - ((now.getTime() - offsetMs) % periodMs);
  return new Date(last && last.madeAt.getTime() >= begunMs ? begunMs + periodMs : begunMs);
}
