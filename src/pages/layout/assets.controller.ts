import { Controller, Get, Header } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { SkipThrottle } from '@nestjs/throttler';
import { IgnoresKeys } from '../../auth/requirements.js';
import { MARK_FILE } from './mark.js';
import { SCRIPT } from './script.js';
import { STYLESHEET } from './stylesheet.js';

// They change with a release only, have an ETag, and pages name their version.
const KEPT_AN_HOUR = 'public, max-age=3600';

/** What the pages load. */
@ApiExcludeController()
@SkipThrottle()
@IgnoresKeys()
@Controller('assets')
export class AssetsController {
  @Get('site.css')
  @Header('Content-Type', 'text/css; charset=utf-8')
  @Header('Cache-Control', KEPT_AN_HOUR)
  stylesheet(): string {
    return STYLESHEET;
  }

  @Get('site.js')
  @Header('Content-Type', 'text/javascript; charset=utf-8')
  @Header('Cache-Control', KEPT_AN_HOUR)
  script(): string {
    return SCRIPT;
  }

  @Get('mark.svg')
  @Header('Content-Type', 'image/svg+xml; charset=utf-8')
  @Header('Cache-Control', KEPT_AN_HOUR)
  mark(): string {
    return MARK_FILE;
  }
}
