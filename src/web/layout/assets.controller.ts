import { Controller, Get, Header, type OnModuleInit, StreamableFile } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { SkipThrottle } from '@nestjs/throttler';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { IgnoresKeys } from '../../access/requirements.js';
import { PROJECT_FOLDER } from '../../config/product.js';
import { MARK_FILE } from './mark.js';
import { PASSKEY_SCRIPT, SCRIPT } from './script.js';
import { STYLESHEET } from './stylesheet.js';

// They change with a release only, have an ETag, and pages name their version.
const KEPT_AN_HOUR = 'public, max-age=3600';

/** What the pages load. */
@ApiExcludeController()
@SkipThrottle()
@IgnoresKeys()
@Controller('assets')
export class AssetsController implements OnModuleInit {
  private picture: Buffer = Buffer.alloc(0);

  async onModuleInit(): Promise<void> {
    this.picture = await readFile(join(PROJECT_FOLDER, 'assets', 'open-graph.png'));
  }

  /** Shown where a page is shared. */
  @Get('open-graph.png')
  @Header('Content-Type', 'image/png')
  @Header('Cache-Control', KEPT_AN_HOUR)
  openGraph(): StreamableFile {
    return new StreamableFile(this.picture);
  }

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

  @Get('passkeys.js')
  @Header('Content-Type', 'text/javascript; charset=utf-8')
  @Header('Cache-Control', KEPT_AN_HOUR)
  passkeyScript(): string {
    return PASSKEY_SCRIPT;
  }

  @Get('mark.svg')
  @Header('Content-Type', 'image/svg+xml; charset=utf-8')
  @Header('Cache-Control', KEPT_AN_HOUR)
  mark(): string {
    return MARK_FILE;
  }
}
