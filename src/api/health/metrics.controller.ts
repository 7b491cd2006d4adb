import { Controller, Get, Header, Headers, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { SkipThrottle } from '@nestjs/throttler';
import type { Response } from 'express';
import { IgnoresKeys } from '../../access/requirements.js';
import { ApiError } from '../../errors/api-error.js';
import { Metrics } from '../../observe/metrics/metrics.js';

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
