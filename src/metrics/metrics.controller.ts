import { Controller, Get, Header, Headers, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { SkipThrottle } from '@nestjs/throttler';
import type { Response } from 'express';
import { IgnoresKeys } from '../auth/requirements.js';
import { Config } from '../config/config.js';
import { ApiError } from '../errors/api-error.js';
import { Metrics } from './metrics.js';
import { holdsToken } from './metrics-token.js';

/** For Prometheus, where there is no port of its own for it. Not part of the published API. */
@ApiExcludeController()
@SkipThrottle()
@IgnoresKeys()
@Controller()
export class MetricsController {
  constructor(
    private readonly metrics: Metrics,
    private readonly config: Config,
  ) {}

  @Get('metrics')
  @Header('Cache-Control', 'no-store')
  async read(@Headers('authorization') shown: string | undefined, @Res() response: Response): Promise<void> {
    if (!holdsToken(shown, this.config.metrics.token))
      throw new ApiError(
        'key_required',
        'Metrics need METRICS_TOKEN, sent as "Authorization: Bearer TOKEN".',
      );
    response.set('Content-Type', this.metrics.contentType).send(await this.metrics.write());
  }
}
