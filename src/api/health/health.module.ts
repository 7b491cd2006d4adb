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
import { Database, readClockSkewMs } from '../../db/database.js';
import { unscoped } from '../../db/scope.js';
import { ApiError } from '../../errors/api-error.js';
import { Metrics } from '../../observe/metrics.js';
import { MetricsModule } from '../../observe/metrics.module.js';

const RETRY_AFTER_SECONDS = 5;
/** Codes of authenticator apps and signatures of webhooks allow for half a minute or more. */
const CLOCK_OFF_MS = 5_000;
/** Codes of authenticator apps, certificates and object stores go by the clock of the process. */
const CLOCK_WRONG_MS = 3_600_000;

interface Ready {
  readonly ok: true;
  /** How far the clock of this process is ahead of the database's, where that is more than five seconds. */
  readonly clock_ahead_seconds?: number;
}

@Injectable()
export class HealthService implements BeforeApplicationShutdown {
  private stopping = false;
  /** One question for all probes that come meanwhile: /readyz has no limit. */
  private asked: Promise<number> | null = null;

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
   * process is not stopping. A clock that is more than an hour off is not ready.
   *
   * @throws {ApiError} not_ready
   * @throws {DatabaseUnavailable}
   */
  async assertReady(): Promise<Ready> {
    if (this.stopping)
      throw new ApiError('not_ready', 'The service is stopping.', { retryAfterSeconds: RETRY_AFTER_SECONDS });
    this.asked ??= unscoped(() => readClockSkewMs(this.database)).finally(() => {
      this.asked = null;
    });
    const aheadMs = await this.asked;
    if (Math.abs(aheadMs) < CLOCK_OFF_MS) return { ok: true };
    const seconds = Math.round(aheadMs / 1_000);
    if (Math.abs(aheadMs) < CLOCK_WRONG_MS) return { ok: true, clock_ahead_seconds: seconds };
    throw new ApiError(
      'not_ready',
      `The clock of this instance is ${seconds} s ahead of the database's. Set it right (NTP).`,
      { retryAfterSeconds: RETRY_AFTER_SECONDS },
    );
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
  isReady(): Promise<Ready> {
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
