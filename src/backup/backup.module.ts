import { Injectable, Module } from '@nestjs/common';
import { Config } from '../config/config.js';
import { Database } from '../db/database.js';
import { AuditModule, AuditRepository } from '../observe/audit.repository.js';
import { type Reading, ReadingSource, secondsBetween } from '../observe/readings.js';
import { WorkKinds } from '../work/kind.js';
import { BackupDrillJob, BackupJob, BackupLogJob, pruneJob } from './backup.jobs.js';
import { Backups } from './backups.js';
import { readBackupState } from './backup-state.js';
import { BackupStore } from './store.js';

const GAUGES = {
  backup_age_seconds: { help: 'Since the last backup was made.' },
  backup_on_record: { help: '1 where a backup was ever made, else 0.' },
  backup_restored_age_seconds: { help: 'Since a backup was last restored, to prove it.' },
  backup_loss_seconds: {
    help: 'What the loss of the disk of the database would cost now: since the last commit that lies elsewhere.',
    label: 'by',
  },
} as const;

@Injectable()
export class BackupReadings extends ReadingSource<keyof typeof GAUGES> {
  readonly group = 'backup';
  readonly gauges = GAUGES;

  constructor(
    private readonly config: Config,
    private readonly database: Database,
  ) {
    super();
  }

  async read(): Promise<Reading<keyof typeof GAUGES>[]> {
    const { now, lastAt, restoredAt, safeUntil, archiver } = await readBackupState(
      this.database,
      this.config,
    );
    const label = archiver === null || archiver.baseAt !== null ? 'log' : 'dump';
    const since = (at: Date | null) => at && secondsBetween(at, now);
    return [
      { gauge: 'backup_age_seconds', value: since(lastAt) },
      { gauge: 'backup_on_record', value: lastAt === null ? 0 : 1 },
      { gauge: 'backup_restored_age_seconds', value: since(restoredAt) },
      { gauge: 'backup_loss_seconds', label, value: since(safeUntil) },
    ];
  }
}

/** @returns null where BACKUP_DIR and BACKUP_S3_URL are not set */
export function openBackups({ backup: { place, keys } }: Pick<Config, 'backup'>): Backups | null {
  return place && new Backups(BackupStore.at(place, keys));
}

/** Scheduled backups, in the process that does the jobs. */
@Module({ imports: [AuditModule], providers: [BackupReadings] })
export class BackupModule {
  constructor(config: Config, database: Database, audit: AuditRepository, kinds: WorkKinds) {
    const backups = openBackups(config);
    if (!backups) return;
    kinds.add(
      new BackupJob(config, database, backups, audit),
      new BackupDrillJob(config, backups, audit),
      pruneJob(config, database, backups),
    );
    if (config.database.url === undefined) kinds.add(new BackupLogJob(database, backups));
  }
}
