import { Module, Injectable, Logger } from '@nestjs/common';
import { AuditModule } from '../observe/audit.repository.js';
import { Config } from '../config/config.js';
import { Database, Clock } from '../db/database.js';
import { ExportRepository, EXPORT_KINDS } from './export.repository.js';
import { ExportProcess, Exporter } from './exporter.js';
import { ExportsController } from './exports.controller.js';
import { ExportsService } from './exports.service.js';
import type { Kind, Work, WorkResult } from '../work/kind.js';
import { type Reading, ReadingSource, secondsBetween } from '../observe/readings.js';

const GAUGES = {
  export_age_seconds: { help: 'Since the last export of the kind was made.', label: 'kind' },
} as const;

@Injectable()
class ExportReadings extends ReadingSource<keyof typeof GAUGES> {
  readonly group = 'exports';
  readonly gauges = GAUGES;

  constructor(
    private readonly clock: Clock,
    private readonly exports: ExportRepository,
  ) {
    super();
  }

  async read(): Promise<Reading<keyof typeof GAUGES>[]> {
    const now = await this.clock.now();
    const readings: Reading<'export_age_seconds'>[] = [];
    for (const label of EXPORT_KINDS) {
      const last = await this.exports.findLast(label);
      readings.push({ gauge: 'export_age_seconds', label, value: last && secondsBetween(last.madeAt, now) });
    }
    return readings;
  }
}

const REPOSITORY = {
  provide: ExportRepository,
  inject: [Database],
  useFactory: (database: Database) => new ExportRepository(database),
};

@Module({
  providers: [
    REPOSITORY,
    {
      provide: Exporter,
      inject: [Config, Database, ExportRepository],
      useFactory: (config: Config, database: Database, exports: ExportRepository) =>
        new Exporter(config, database, exports, new ExportProcess()),
    },
  ],
  exports: [Exporter],
})
export class ExportMakingModule {}

/** What serves them; with the flag off none of it is there. */
@Module({
  imports: [AuditModule],
  controllers: [ExportsController],
  providers: [REPOSITORY, ExportReadings, ExportsService],
})
export class ExportsModule {}

const EVERY_MS = 60_000;
/** Five million names take ten minutes when everything else goes first. */
const DEADLINE_MS = 3 * 3_600_000;

/**
 * Makes the snapshot and the diff of the day, and the changes of the hour, when they are due. One key for all: they
 * share a folder that each run tidies, and the memory of one process.
 */
@Injectable()
export class ExportJob implements Kind {
  readonly name = 'export';
  readonly everyMs = EVERY_MS;
  readonly deadlineMs = DEADLINE_MS;
  private readonly logger = new Logger('Exports');

  constructor(
    private readonly config: Config,
    private readonly exporter: Exporter,
  ) {}

  async run(_work: Work, now: Date, signal: AbortSignal): Promise<WorkResult> {
    if (!this.config.exports.enabled) return {};
    const warn = (message: string) => this.logger.warn(message);
    const made = await this.exporter.makeDue(now, { signal, warn });
    for (const { id, rows, lastEvent } of made ?? [])
      this.logger.log(`Made ${id}: ${rows} rows, up to event ${lastEvent}`);
    return made !== null && made.length > 0 ? { againInMs: 0 } : {};
  }
}
