import { DynamicModule, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ScheduleModule } from '@nestjs/schedule';
import { AppLogger, createLogger } from './app.logger.js';
import { type Config, ConfigError } from './config/config.js';
import { ConfigModule } from './config/config.module.js';
import { DatabaseModule } from './database/database.module.js';
import { HeldSignals } from './held-signals.js';
import { TiersModule } from './tiers/tiers.module.js';
import { WebhookWorkerModule } from './webhooks/webhooks.module.js';

@Module({})
class WorkerModule {
  static with(config: Config): DynamicModule {
    return {
      module: WorkerModule,
      imports: [
        ConfigModule.with(config),
        DatabaseModule,
        TiersModule.with(config),
        ScheduleModule.forRoot(),
        WebhookWorkerModule,
      ],
    };
  }
}

/**
 * Delivers webhooks until the process is told to stop.
 *
 * @throws {ConfigError} when webhooks are off
 */
export async function runWorker(config: Config): Promise<void> {
  if (!config.webhooks.enabled) throw new ConfigError(['the worker has nothing to do: WEBHOOKS is off']);
  const logger = createLogger(config.logLevel);
  const signals = new HeldSignals(config.database);
  try {
    const app = await NestFactory.createApplicationContext(WorkerModule.with(config), {
      logger: new AppLogger(logger),
      abortOnError: false,
    });
    if (await signals.handTo(app)) logger.info('delivering webhooks');
  } finally {
    signals.release();
  }
}
