import { type DynamicModule, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import type { Config } from '../../config/config.js';
import { Metrics } from './metrics.js';
import { MetricsServer } from './metrics-server.js';
import { PoolReadings } from './pool-readings.js';

/** For Prometheus; loaded only where METRICS_PORT or METRICS_TOKEN is set. */
@Module({})
export class MetricsModule {
  static with({ metrics }: Config): DynamicModule {
    return {
      module: MetricsModule,
      imports: [DiscoveryModule],
      providers: [PoolReadings, Metrics, ...(metrics.port === undefined ? [] : [MetricsServer])],
      exports: [Metrics],
    };
  }
}
