import { Get, Param, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Visitor } from '../../access/session-resolver.js';
import { CheckService } from '../../api/check/check.service.js';
import { readName } from '../layout/error-pages.js';
import { assertFromHere } from '../layout/page-requests.js';
import { CurrentVisitor, PublicPages } from '../layout/public-pages.js';
import { NamePageService } from './name-page.service.js';

const SEE_OTHER = 303;

/** The page of a name: the target of detail_url. */
@PublicPages()
export class NamesController {
  constructor(
    private readonly names: NamePageService,
    private readonly check: CheckService,
  ) {}

  @Get('domains/:domain')
  async showName(
    @Param('domain') domain: string,
    @CurrentVisitor() visitor: Visitor,
    @Res({ passthrough: true }) response: Response,
  ): Promise<string> {
    const { status, html } = await this.names.show(readName(domain), visitor);
    response.status(status);
    return html;
  }

  /** Asks the registry, for one record. The page that follows shows the answer and costs nothing. */
  @Post('domains/:domain')
  async askRegistry(
    @Param('domain') domain: string,
    @CurrentVisitor() visitor: Visitor,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    assertFromHere(request);
    const name = readName(domain);
    await this.check.checkDomain(name.domain, visitor, { afresh: true });
    response.redirect(SEE_OTHER, `/domains/${name.domain}`);
  }
}
