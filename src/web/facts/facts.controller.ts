import { Get, Header, Param, Req } from '@nestjs/common';
import type { Request } from 'express';
import type { Visitor } from '../../access/session-resolver.js';
import { Config } from '../../config/config.js';
import { Clock } from '../../db/database.js';
import { StatusService, toIncidentDto } from '../../api/status/status.service.js';
import { ServiceDaysReader } from './service-days.js';
import { IncidentRepository } from '../../observe/incident.repository.js';
import { Tiers } from '../../config/tiers.js';
import { renderLayout, type SiteView, siteOf } from '../layout/layout.js';
import { CurrentVisitor, PublicPages } from '../layout/public-pages.js';
import { template } from '../layout/templates.js';
import { t } from '../../texts/texts.js';
import { DocsPageService, OPERATOR_PAGES, type OperatorPage, OperatorPagesService } from './documents.js';
import { renderPricing } from './pricing.js';
import { renderIncidentFeed, renderIncidents, renderStatus } from './status-page.js';

const FEED_ENTRIES = 20;
const DAY_MS = 86_400_000;

@PublicPages()
export class FactsController {
  private readonly site: SiteView;

  constructor(
    private readonly config: Config,
    private readonly tiers: Tiers,
    private readonly status: StatusService,
    private readonly service: ServiceDaysReader,
    private readonly clock: Clock,
    private readonly operator: OperatorPagesService,
    private readonly docs: DocsPageService,
    private readonly incidents: IncidentRepository,
  ) {
    this.site = siteOf(config);
  }

  @Get('pricing')
  showPricing(@CurrentVisitor() { accountId }: Visitor): string {
    const { prices, contact = '/help#contact' } = this.config.site;
    const takesOrders = this.config.orders.enabled;
    const terms = { contact, takesOrders };
    return renderPricing(this.site, this.tiers.table, prices, terms, accountId !== null);
  }

  @Get('help')
  showHelp(@CurrentVisitor() { accountId }: Visitor): string {
    return renderHelp(this.site, this.config, accountId !== null);
  }

  @Get(['about', 'terms', 'privacy'] satisfies OperatorPage[])
  showOperatorPage(@CurrentVisitor() { accountId }: Visitor, @Req() { path }: Request): string {
    const page = OPERATOR_PAGES.find((one) => path.toLowerCase().startsWith(`/${one}`));
    return this.operator.show(page ?? 'about', accountId !== null);
  }

  @Get('status')
  async showStatus(@CurrentVisitor() { accountId }: Visitor): Promise<string> {
    const status = await this.status.readStatus();
    const service = await this.service.read();
    const { offerMaxAgeMs } = this.config.lifecycle;
    const view = { status, service, maxAgeDays: offerMaxAgeMs / DAY_MS, now: await this.clock.now() };
    return renderStatus(this.site, view, accountId !== null);
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

  @Get('docs/changelog.atom')
  @Header('Content-Type', 'application/atom+xml; charset=utf-8')
  writeChangeFeed(): Promise<string> {
    return this.docs.writeChangeFeed();
  }

  @Get('docs/:name')
  showDocument(@Param('name') name: string, @CurrentVisitor() { accountId }: Visitor): string {
    return this.docs.show(name, accountId !== null);
  }
}

const help = template('help');

function renderHelp(site: SiteView, config: Config, signedIn: boolean): string {
  const shown = (address: string | undefined) =>
    address && { href: address, words: address.replace(/^mailto:/, '') };
  const body = help({
    takesOrders: config.orders.enabled,
    contact: shown(config.site.contact),
    abuse: shown(config.site.abuseContact),
    security: shown(config.links.securityContact),
  });
  return renderLayout(site, {
    title: t.docs.helpTitle,
    description: t.docs.helpAbout,
    canonical: '/help',
    signedIn,
    scripted: true,
    body,
  });
}
