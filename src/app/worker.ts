import { DynamicModule, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ScheduleModule } from '@nestjs/schedule';
import { AppLogger, createLogger } from './logger.js';
import { ConfigError } from '../config/read-config.js';
import { type Config, ConfigModule } from '../config/config.js';
import { logProblems } from '../ops/doctor.js';
import { Database } from '../db/database.js';
import { DatabaseModule } from '../db/open-database.js';
import { ShutdownSignals } from '../config/shutdown-signals.js';
import { JobsModule } from './jobs.module.js';
import { WorkLoop } from '../work/work-loop.js';
import { WorkModule } from '../work/work.module.js';
import { MetricsModule } from '../observe/metrics.module.js';
import { ReplicasModule } from '../db/replicas/read-database.js';
import { TiersModule } from '../access/tiers.module.js';
import { TracedRequests } from './tracing.js';
import { WebhookWorkerModule } from '../notify/webhooks/webhooks.module.js';

@Module({})
class WorkerModule {
  static with(config: Config): DynamicModule {
    return {
      module: WorkerModule,
      imports: [
        ConfigModule.with(config),
        DatabaseModule,
        WorkModule,
        ReplicasModule,
        TiersModule.with(config),
        ScheduleModule.forRoot(),
        ...(config.metrics.port === undefined ? [] : [MetricsModule.with(config, { isWorker: true })]),
        ...(config.jobs.enabled ? [JobsModule] : []),
        ...(config.webhooks.enabled ? [WebhookWorkerModule] : []),
      ],
      providers: [TracedRequests],
    };
  }
}

/**
 * Runs the jobs of the dataset and delivers webhooks, as far as they are switched on, until the process is
 * stopped.
 *
 * @throws {ConfigError} when both are off
 */
export async function runWorker(config: Config): Promise<void> {
  const { jobs, webhooks } = config;
  if (!jobs.enabled && !webhooks.enabled)
    throw new ConfigError(['the worker has nothing to do: DATASET_JOBS and WEBHOOKS are off']);
  const logger = createLogger(config.logLevel);
  const signals = new ShutdownSignals(config.database);
  try {
    const app = await NestFactory.createApplicationContext(WorkerModule.with(config), {
      logger: new AppLogger(logger),
      abortOnError: false,
    });
    if (!(await signals.handTo(app))) return;
    app.get(WorkLoop).start();
    logger.info({ jobs: jobs.enabled, webhooks: webhooks.enabled }, 'working');
    await logProblems(config, app.get(Database), logger);
  } finally {
    signals.release();
  }
}
