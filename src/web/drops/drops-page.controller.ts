import { Controller, Get, Header, Req, Res, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { IgnoresKeys } from '../../access/requirements.js';
import { SessionResolver } from '../../access/session-resolver.js';
import { PageErrorFilter } from '../errors/site-error.filter.js';
import { readAddress } from './drops-address.js';
import { DropsPageService } from './drops-page.service.js';

@ApiExcludeController()
@IgnoresKeys()
@UseFilters(PageErrorFilter)
@Controller()
export class DropsPageController {
  constructor(
    private readonly drops: DropsPageService,
    private readonly sessions: SessionResolver,
  ) {}

  @Get('drops')
  async showDay(@Req() request: Request, @Res({ passthrough: true }) response: Response): Promise<string> {
    const visitor = await this.sessions.resolve(request, response);
    return this.drops.show(readAddress(request.query), visitor);
  }

  @Get('drops.atom')
  @Header('Content-Type', 'application/atom+xml; charset=utf-8')
  async writeFeed(@Req() request: Request, @Res({ passthrough: true }) response: Response): Promise<string> {
    return this.drops.writeFeed(await this.sessions.resolve(request, response));
  }
}
