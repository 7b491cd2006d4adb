import { Module } from '@nestjs/common';
import { AuditModule } from '../observe/audit/account-audit-log.js';
import { Config } from '../config/config.js';
import { Database } from '../db/database.js';
import { ExportReadings } from './export-readings.js';
import { ExportRepository } from './export.repository.js';
import { ExportProcess } from './export-process.js';
import { Exporter } from './exporter.js';
import { ExportsController } from './exports.controller.js';
import { ExportsService } from './exports.service.js';

const REPOSITORY = {
  provide: ExportRepository,
  inject: [Database],
  useFactory: (database: Database) => new ExportRepository(database),
};

/** What makes exports. */
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
