import { Controller, Get, Header, StreamableFile } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { SkipThrottle } from '@nestjs/throttler';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { IgnoresKeys } from '../access/requirements.js';
import { PROJECT_FOLDER } from '../config/product.js';
import { ASSETS, readAsset } from './layout/layout.js';

// They change with a release only, have an ETag, and pages name their version.
const ONE_HOUR = 'public, max-age=3600';

/** Files that pages load. */
@ApiExcludeController()
@SkipThrottle()
@IgnoresKeys()
@Controller('assets')
export class AssetsController {
  private readonly picture = readFileSync(join(PROJECT_FOLDER, 'assets/open-graph.png'));
  private readonly markFile = readAsset('mark.svg');

  /** The picture of a link preview. */
  @Get('open-graph.png')
  @Header('Content-Type', 'image/png')
  @Header('Cache-Control', ONE_HOUR)
  openGraph(): StreamableFile {
    return new StreamableFile(this.picture);
  }

  @Get('site.css')
  @Header('Content-Type', 'text/css; charset=utf-8')
  @Header('Cache-Control', ONE_HOUR)
  stylesheet(): string {
    return ASSETS.style.text;
  }

  @Get('site.js')
  @Header('Content-Type', 'text/javascript; charset=utf-8')
  @Header('Cache-Control', ONE_HOUR)
  script(): string {
    return ASSETS.script.text;
  }

  @Get('passkeys.js')
  @Header('Content-Type', 'text/javascript; charset=utf-8')
  @Header('Cache-Control', ONE_HOUR)
  passkeyScript(): string {
    return ASSETS.passkeys.text;
  }

  @Get('mark.svg')
  @Header('Content-Type', 'image/svg+xml; charset=utf-8')
  @Header('Cache-Control', ONE_HOUR)
  mark(): string {
    return this.markFile;
  }
}
