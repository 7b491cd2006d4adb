import { type DynamicModule, Module } from '@nestjs/common';
import { type Config, hasMetrics } from '../../config/config.js';
import { MetricsModule } from '../../observe/metrics/metrics.module.js';
import { HealthController } from './health.controller.js';
import { HealthService } from './health.service.js';
import { MetricsController } from './metrics.controller.js';

/** What balancers and Prometheus ask. */
@Module({})
export class HealthModule {
  static with(config: Config): DynamicModule {
    const isOnMainPort = hasMetrics(config) && config.metrics.port === undefined;
    return {
      module: HealthModule,
      imports: hasMetrics(config) ? [MetricsModule.with(config)] : [],
      controllers: [HealthController, ...(isOnMainPort ? [MetricsController] : [])],
      providers: [HealthService],
    };
  }
}
