import { Controller, Get, Param, Post, Req, Res, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { IgnoresKeys } from '../../access/requirements.js';
import { SessionResolver } from '../../access/session-resolver.js';
import { CheckService } from '../../api/check/check.service.js';
import { PageErrorFilter, readName } from '../layout/error-pages.js';
import { assertFromHere } from '../layout/page-requests.js';
import { NamePageService } from './name-page.service.js';

const SEE_OTHER = 303;

/** The page of a name: the target of detail_url. */
@ApiExcludeController()
@IgnoresKeys()
@UseFilters(PageErrorFilter)
@Controller()
export class NamesController {
  constructor(
    private readonly names: NamePageService,
    private readonly check: CheckService,
    private readonly sessions: SessionResolver,
  ) {}

  @Get('domains/:domain')
  async showName(
    @Param('domain') domain: string,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<string> {
    const visitor = await this.sessions.resolve(request, response);
    const { status, html } = await this.names.show(readName(domain), visitor);
    response.status(status);
    return html;
  }

  /** Asks the registry, for one record. The page that follows shows the answer and costs nothing. */
  @Post('domains/:domain')
  async askRegistry(
    @Param('domain') domain: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    assertFromHere(request);
    const visitor = await this.sessions.resolve(request, response);
    const name = readName(domain);
    await this.check.checkDomain(name.domain, visitor, { afresh: true });
    response.redirect(SEE_OTHER, `/domains/${name.domain}`);
  }
}
