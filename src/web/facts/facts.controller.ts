import { Controller, Get, Req, Res, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { IgnoresKeys } from '../../access/requirements.js';
import { SessionResolver } from '../../access/session-resolver.js';
import { Config } from '../../config/config.js';
import { Clock } from '../../db/clock.js';
import { StatusService } from '../../api/status/status.service.js';
import { Tiers } from '../../config/tiers.js';
import { PageErrorFilter } from '../errors/site-error.filter.js';
import { type SiteView, siteOf } from '../layout/layout.js';
import { OPERATOR_PAGES, type OperatorPage, OperatorPagesService } from './operator-pages.service.js';
import { renderPricing } from './pricing-page.js';
import { renderStatus } from './status-page.js';

/** What it costs, and how it does. */
@ApiExcludeController()
@IgnoresKeys()
@UseFilters(PageErrorFilter)
@Controller()
export class FactsController {
  private readonly site: SiteView;
  private readonly prices: Config['site']['prices'];

  constructor(
    config: Config,
    private readonly tiers: Tiers,
    private readonly status: StatusService,
    private readonly sessions: SessionResolver,
    private readonly clock: Clock,
    private readonly operator: OperatorPagesService,
  ) {
    this.prices = config.site.prices;
    this.site = siteOf(config);
  }

  @Get('pricing')
  async showPricing(
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<string> {
    const { accountId } = await this.sessions.resolve(request, response);
    return renderPricing(this.site, this.tiers.table, this.prices, accountId !== null);
  }

  @Get(['about', 'terms', 'privacy'] satisfies OperatorPage[])
  async showOperatorPage(
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<string> {
    const { accountId } = await this.sessions.resolve(request, response);
    const page = OPERATOR_PAGES.find((one) => request.path.toLowerCase().startsWith(`/${one}`));
    return this.operator.show(page ?? 'about', accountId !== null);
  }

  @Get('status')
  async showStatus(@Req() request: Request, @Res({ passthrough: true }) response: Response): Promise<string> {
    const { accountId } = await this.sessions.resolve(request, response);
    const status = await this.status.readStatus();
    return renderStatus(this.site, status, await this.clock.now(), accountId !== null);
  }
}
