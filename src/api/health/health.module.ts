import {
  BeforeApplicationShutdown,
  Controller,
  type DynamicModule,
  Get,
  Header,
  Headers,
  Injectable,
  Module,
  Res,
} from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { SkipThrottle } from '@nestjs/throttler';
import type { Response } from 'express';
import { IgnoresKeys } from '../../access/requirements.js';
import { type Config, hasMetrics } from '../../config/config.js';
import { Database } from '../../db/database.js';
import { ApiError } from '../../errors/api-error.js';
import { Metrics } from '../../observe/metrics.js';
import { MetricsModule } from '../../observe/metrics.module.js';

const RETRY_AFTER_SECONDS = 5;

@Injectable()
export class HealthService implements BeforeApplicationShutdown {
  private stopping = false;

  constructor(private readonly database: Database) {}

  /** From now on the balancer should look elsewhere. */
  announceStop(): void {
    this.stopping = true;
  }

  beforeApplicationShutdown(): void {
    this.announceStop();
  }

  /**
   * Answers when requests can be served: the database is there (migrations ran before the server listened) and the
   * process is not stopping.
   *
   * @throws {ApiError} not_ready
   * @throws {DatabaseUnavailable}
   */
  async assertReady(): Promise<{ ok: true }> {
    if (this.stopping)
      throw new ApiError('not_ready', 'The service is stopping.', { retryAfterSeconds: RETRY_AFTER_SECONDS });
    await this.database.query('SELECT 1');
    return { ok: true };
  }
}

/** Whether the process runs, and whether it can take requests. Not part of the published API. */
@ApiExcludeController()
@SkipThrottle()
@IgnoresKeys()
@Controller()
export class HealthController {
  constructor(private readonly health: HealthService) {}

  @Get('livez')
  @Header('Cache-Control', 'no-store')
  isAlive(): { ok: true } {
    return { ok: true };
  }

  @Get('readyz')
  @Header('Cache-Control', 'no-store')
  isReady(): Promise<{ ok: true }> {
    return this.health.assertReady();
  }
}

/** For Prometheus, where METRICS_PORT is not set. Not part of the published API. */
@ApiExcludeController()
@SkipThrottle()
@IgnoresKeys()
@Controller()
export class MetricsController {
  constructor(private readonly metrics: Metrics) {}

  @Get('metrics')
  @Header('Cache-Control', 'no-store')
  async read(@Headers('authorization') shown: string | undefined, @Res() response: Response): Promise<void> {
    if (!this.metrics.admits(shown))
      throw new ApiError(
        'key_required',
        'Metrics need METRICS_TOKEN, sent as "Authorization: Bearer TOKEN".',
      );
    response.set('Content-Type', this.metrics.contentType).send(await this.metrics.write());
  }
}

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
