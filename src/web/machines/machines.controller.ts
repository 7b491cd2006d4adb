import { Controller, Get, Header, StreamableFile } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { IgnoresKeys } from '../../access/requirements.js';
import { Config } from '../../config/config.js';
import { Clock } from '../../db/clock.js';
import { DiscoveryRepository } from '../../domains/search/discovery.repository.js';
import { BY_RANK } from '../../domains/search/discovery-query.js';
import { dayInPurgeZone } from '../../domains/drops/purge-zone.js';
import { ApiError } from '../../errors/api-error.js';
import { Tiers } from '../../config/tiers.js';
import { FAVICON } from '../layout/favicon.js';
import { apiCatalog, robotsTxt, securityTxt, sitemapXml } from './texts.js';

const KEPT_AN_HOUR = 'public, max-age=3600';
const TEXT = 'text/plain; charset=utf-8';

/** What programs look for beside pages. */
@ApiExcludeController()
@IgnoresKeys()
@Controller()
export class MachinesController {
  constructor(
    private readonly config: Config,
    private readonly tiers: Tiers,
    private readonly discovery: DiscoveryRepository,
    private readonly clock: Clock,
  ) {}

  @Get('favicon.ico')
  @Header('Content-Type', 'image/x-icon')
  @Header('Cache-Control', KEPT_AN_HOUR)
  favicon(): StreamableFile {
    return new StreamableFile(FAVICON);
  }

  @Get('robots.txt')
  @Header('Content-Type', TEXT)
  @Header('Cache-Control', KEPT_AN_HOUR)
  robots(): string {
    return robotsTxt(this.config.links.baseUrl);
  }

  /** Of the names, those that whoever comes sees in the lists. */
  @Get('sitemap.xml')
  @Header('Content-Type', 'application/xml; charset=utf-8')
  @Header('Cache-Control', KEPT_AN_HOUR)
  async sitemap(): Promise<string> {
    const [{ domains }, now] = await Promise.all([
      this.discovery.discoverOffers({
        suffixes: [],
        mode: 'contains',
        minWayback: 0,
        sort: BY_RANK,
        limit: this.tiers.table.demo.listRows,
      }),
      this.clock.now(),
    ]);
    return sitemapXml(this.config.links.baseUrl, dayInPurgeZone(now), domains);
  }

  /** RFC 9727. */
  @Get('.well-known/api-catalog')
  @Header('Content-Type', 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"')
  @Header('Cache-Control', KEPT_AN_HOUR)
  apiCatalog(): object {
    return apiCatalog(this.config.links.baseUrl);
  }

  /** @throws {ApiError} not_found where the operator names nobody */
  @Get('.well-known/security.txt')
  @Header('Content-Type', TEXT)
  async security(): Promise<string> {
    const { baseUrl, securityContact } = this.config.links;
    if (securityContact === undefined)
      throw new ApiError('not_found', 'The operator has named nobody to tell (SECURITY_CONTACT).');
    return securityTxt(baseUrl, securityContact, await this.clock.now());
  }
}
