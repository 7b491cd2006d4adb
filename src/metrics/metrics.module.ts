import { type DynamicModule, Module } from '@nestjs/common';
import type { Config } from '../config/config.js';
import { ExportRepository } from '../exports/export.repository.js';
import { JobStateRepository } from '../jobs/runner/job-state.repository.js';
import { TurnRepository } from '../registry/pace/turn.repository.js';
import { StatusModule } from '../status/status.module.js';
import { DeliveryRepository } from '../webhooks/deliveries/delivery.repository.js';
import { DatasetReadings } from './dataset-readings.js';
import type { ReadingSource } from './gauges.js';
import { Metrics, READING_SOURCES } from './metrics.js';
import { MetricsController } from './metrics.controller.js';
import { MetricsServer } from './metrics-server.js';
import { PoolReadings } from './pool-readings.js';
import { WorkReadings } from './work-readings.js';

const SOURCES = [DatasetReadings, WorkReadings, PoolReadings];

/** For who watches the service; there only where METRICS_PORT or METRICS_TOKEN says so. */
@Module({})
export class MetricsModule {
  static with({ metrics }: Config): DynamicModule {
    const hasPort = metrics.port !== undefined;
    return {
      module: MetricsModule,
      imports: [StatusModule],
      controllers: hasPort ? [] : [MetricsController],
      providers: [
        // Repositories have no state: a part that is switched off is read as well as one that is not.
        ...[ExportRepository, JobStateRepository, DeliveryRepository, TurnRepository],
        ...SOURCES,
        {
          provide: READING_SOURCES,
          useFactory: (...sources: ReadingSource[]) => sources,
          inject: SOURCES,
        },
        Metrics,
        ...(hasPort ? [MetricsServer] : []),
      ],
      exports: [Metrics],
    };
  }
}
