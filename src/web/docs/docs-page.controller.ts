import { Controller, Get, Param, Req, Res, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { IgnoresKeys } from '../../access/requirements.js';
import { SessionResolver } from '../../access/session-resolver.js';
import { PageErrorFilter } from '../errors/site-error.filter.js';
import { DocsPageService } from './docs-page.service.js';

@ApiExcludeController()
@IgnoresKeys()
@UseFilters(PageErrorFilter)
@Controller('docs')
export class DocsPageController {
  constructor(
    private readonly docs: DocsPageService,
    private readonly sessions: SessionResolver,
  ) {}

  @Get()
  showStart(@Req() request: Request, @Res({ passthrough: true }) response: Response): Promise<string> {
    return this.showDocument('', request, response);
  }

  @Get(':name')
  async showDocument(
    @Param('name') name: string,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<string> {
    const { accountId } = await this.sessions.resolve(request, response);
    return this.docs.show(name, accountId !== null);
  }
}
