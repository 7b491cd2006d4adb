import { Controller, Get, Header } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { SkipThrottle } from '@nestjs/throttler';
import { IgnoresKeys } from '../../access/requirements.js';
import { HealthService } from './health.service.js';

/** For whoever runs the service: is the process alive, and may it be given requests? Not part of the published API. */
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
