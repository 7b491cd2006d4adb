import { Module } from '@nestjs/common';
import { Config } from '../config/config.js';
import { Database } from '../database/database.js';
import { ExportRepository } from './export.repository.js';
import { ExportProcess } from './making/export-process.js';
import { Exporter } from './making/exporter.js';

/** What makes exports. */
@Module({
  providers: [
    {
      provide: Exporter,
      inject: [Config, Database],
      useFactory: (config: Config, database: Database) =>
        new Exporter(config, database, new ExportRepository(database), new ExportProcess()),
    },
  ],
  exports: [Exporter],
})
export class ExportMakingModule {}
