import { type DynamicModule, Injectable, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { Config } from '../../config/config.js';
import { Database } from '../../db/database.js';
import { ReadDatabase } from '../../db/replicas/read-database.js';
import { ProgressWatch } from '../progress.js';
import { MetricsServer } from './metrics-server.js';
import { Metrics } from './metrics.js';
import { type Reading, ReadingSource } from './readings.js';

const GAUGES = {
  database_connections_lent: { help: 'Connections that this process uses now.', label: 'pool' },
  database_connections_wanted: { help: 'Work of this process that waits for a connection.', label: 'pool' },
} as const;

/** How busy this process's connections are. */
@Injectable()
export class PoolReadings extends ReadingSource<keyof typeof GAUGES> {
  readonly group = 'pools';
  readonly gauges = GAUGES;

  constructor(
    private readonly database: Database,
    private readonly reads: ReadDatabase,
  ) {
    super();
  }

  read(): Promise<Reading<keyof typeof GAUGES>[]> {
    const pools = { main: this.database.use, search: this.reads.searchUse };
    return Promise.resolve(
      Object.entries(pools).flatMap(([label, { lent, wanted }]) => [
        { gauge: 'database_connections_lent', label, value: lent },
        { gauge: 'database_connections_wanted', label, value: wanted },
      ]),
    );
  }
}

/** For Prometheus; loaded only where METRICS_PORT or METRICS_TOKEN is set. */
@Module({})
export class MetricsModule {
  /** @param isWorker a worker has worked without METRICS_PORT, which a service beside it may use */
  static with({ metrics }: Config, { isWorker = false } = {}): DynamicModule {
    const server = {
      provide: MetricsServer,
      inject: [Metrics, Config, ProgressWatch],
      useFactory: (text: Metrics, config: Config, progress: ProgressWatch) =>
        new MetricsServer(text, config, progress, isWorker),
    };
    return {
      module: MetricsModule,
      imports: [DiscoveryModule],
      providers: [PoolReadings, Metrics, ...(metrics.port === undefined ? [] : [server])],
      exports: [Metrics],
    };
  }
}
