import type { Config } from '../../config/config.js';
import type { Database } from '../../db/database.js';
import type { ExportRepository } from '../export.repository.js';
import type { ExportProcess, MadeExport } from './export-process.js';
import { isMissing, lastFullHour, lastSnapshotMoment } from './export-schedule.js';
import type { ExportTask } from './make-exports.js';

/** Makes what is due. What is there is read from PostgreSQL, and nothing is remembered. */
export class Exporter {
  constructor(
    private readonly config: Pick<Config, 'exports'>,
    private readonly database: Pick<Database, 'directUrl'>,
    private readonly exports: ExportRepository,
    private readonly process: ExportProcess,
  ) {}

  /** @returns what was made; null: nothing is due, or another process is at it */
  async makeDue(
    now: Date,
    options: Parameters<ExportProcess['make']>[1],
  ): Promise<readonly MadeExport[] | null> {
    const kind = await this.dueKind(now);
    return kind && this.process.make(taskOf(kind, this.config, this.database, now), options);
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

/** What is to be made, as the configuration has it. */
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
