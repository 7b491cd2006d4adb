import { Get, Header, Param, Req } from '@nestjs/common';
import type { Request } from 'express';
import type { Visitor } from '../../access/session-resolver.js';
import { Config } from '../../config/config.js';
import { Clock } from '../../db/database.js';
import { StatusService, toIncidentDto } from '../../api/status/status.service.js';
import { IncidentRepository } from '../../observe/incident.repository.js';
import { type TierName, tierRows, Tiers, type TierTable } from '../../config/tiers.js';
import { renderLayout, type SiteView, siteOf } from '../layout/layout.js';
import { CurrentVisitor, PublicPages } from '../layout/public-pages.js';
import { template } from '../layout/templates.js';
import { DocsPageService, OPERATOR_PAGES, type OperatorPage, OperatorPagesService } from './documents.js';
import { renderIncidentFeed, renderIncidents, renderStatus } from './status-page.js';

const FEED_ENTRIES = 20;

@PublicPages()
export class FactsController {
  private readonly site: SiteView;
  private readonly prices: Config['site']['prices'];

  constructor(
    config: Config,
    private readonly tiers: Tiers,
    private readonly status: StatusService,
    private readonly clock: Clock,
    private readonly operator: OperatorPagesService,
    private readonly docs: DocsPageService,
    private readonly incidents: IncidentRepository,
  ) {
    this.prices = config.site.prices;
    this.site = siteOf(config);
  }

  @Get('pricing')
  showPricing(@CurrentVisitor() { accountId }: Visitor): string {
    return renderPricing(this.site, this.tiers.table, this.prices, accountId !== null);
  }

  @Get(['about', 'terms', 'privacy'] satisfies OperatorPage[])
  showOperatorPage(@CurrentVisitor() { accountId }: Visitor, @Req() { path }: Request): string {
    const page = OPERATOR_PAGES.find((one) => path.toLowerCase().startsWith(`/${one}`));
    return this.operator.show(page ?? 'about', accountId !== null);
  }

  @Get('status')
  async showStatus(@CurrentVisitor() { accountId }: Visitor): Promise<string> {
    const status = await this.status.readStatus();
    return renderStatus(this.site, status, await this.clock.now(), accountId !== null);
  }

  @Get('status/incidents')
  async showIncidents(@CurrentVisitor() { accountId }: Visitor): Promise<string> {
    const incidents = await this.incidents.list();
    return renderIncidents(this.site, incidents.map(toIncidentDto), accountId !== null);
  }

  @Get('status/incidents.atom')
  @Header('Content-Type', 'application/atom+xml; charset=utf-8')
  async writeIncidentFeed(): Promise<string> {
    const incidents = await this.incidents.list(FEED_ENTRIES);
    return renderIncidentFeed(
      this.site,
      incidents.map((one) => ({ id: one.id, ...toIncidentDto(one) })),
    );
  }

  @Get('docs')
  showDocs(@CurrentVisitor() visitor: Visitor): string {
    return this.showDocument('', visitor);
  }

  @Get('docs/:name')
  showDocument(@Param('name') name: string, @CurrentVisitor() { accountId }: Visitor): string {
    return this.docs.show(name, accountId !== null);
  }
}

const pricing = template('pricing');

/** @param words prices by tier, as the operator set them */
function renderPricing(
  site: SiteView,
  table: TierTable,
  words: Readonly<Partial<Record<TierName, string>>>,
  signedIn: boolean,
): string {
  const [, ...rows] = tierRows(table);
  const tiers = Object.values(table);
  const prices = tiers.map(({ name, keyRequired }) => {
    const asked = words[name];
    if (asked !== undefined) return asked;
    if (!keyRequired) return 'free, without an account';
    return name === tiers.find((tier) => tier.keyRequired)?.name ? 'free' : 'Talk to us';
  });
  const body = pricing({ site, signedIn, rows, prices, tiers: tiers.map(({ name }) => name) });
  return renderLayout(site, {
    title: 'Pricing',
    description: 'What each tier of the Bowerbird API includes, and what a record is.',
    canonical: '/pricing',
    section: '/pricing',
    signedIn,
    body,
  });
}
