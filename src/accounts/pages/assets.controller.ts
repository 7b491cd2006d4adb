import { Controller, Get, Header } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { SkipThrottle } from '@nestjs/throttler';
import { IgnoresKeys } from '../../auth/requirements.js';
import { SCRIPT, STYLESHEET } from './assets.js';

// They change with a release only, and have an ETag.
const KEPT_AN_HOUR = 'public, max-age=3600';

/** What the pages load. */
@ApiExcludeController()
@SkipThrottle()
@IgnoresKeys()
@Controller('assets')
export class AssetsController {
  @Get('accounts.css')
  @Header('Content-Type', 'text/css; charset=utf-8')
  @Header('Cache-Control', KEPT_AN_HOUR)
  stylesheet(): string {
    return STYLESHEET;
  }

  @Get('accounts.js')
  @Header('Content-Type', 'text/javascript; charset=utf-8')
  @Header('Cache-Control', KEPT_AN_HOUR)
  script(): string {
    return SCRIPT;
  }
}
