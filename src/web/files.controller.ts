import { Controller, Get, Header, StreamableFile } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { SkipThrottle } from '@nestjs/throttler';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { IgnoresKeys } from '../access/requirements.js';
import { API_PREFIXES, DESCRIPTION, documentPath, PROJECT_FOLDER } from '../config/product.js';
import { Config } from '../config/config.js';
import { Clock } from '../db/database.js';
import { type CalendarDate, calendarDateOf, dayInPurgeZone } from '../domains/schema/calendar-date.js';
import { detailUrl } from '../domains/schema/fields.js';
import type { Offer } from '../domains/schema/domain.js';
import { DomainRepository } from '../domains/domain.repository.js';
import { BY_RANK } from '../domains/search/discovery-query.js';
import { ApiError } from '../errors/api-error.js';
import { Tiers } from '../config/tiers.js';
import { ASSETS, readAsset } from './layout/layout.js';

// Files change with a release only, have an ETag, and pages name their version.
const ONE_HOUR = 'public, max-age=3600';
const TEXT = 'text/plain; charset=utf-8';

@ApiExcludeController()
@SkipThrottle()
@IgnoresKeys()
@Controller('assets')
export class AssetsController {
  private readonly picture = readFileSync(join(PROJECT_FOLDER, 'assets/open-graph.png'));
  private readonly markFile = readAsset('mark.svg');

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

  @Get('look.js')
  @Header('Content-Type', 'text/javascript; charset=utf-8')
  @Header('Cache-Control', ONE_HOUR)
  lookScript(): string {
    return ASSETS.look.text;
  }

  @Get('passkeys.js')
  @Header('Content-Type', 'text/javascript; charset=utf-8')
  @Header('Cache-Control', ONE_HOUR)
  passkeyScript(): string {
    return ASSETS.passkeys.text;
  }

  @Get('work.js')
  @Header('Content-Type', 'text/javascript; charset=utf-8')
  @Header('Cache-Control', ONE_HOUR)
  workScript(): string {
    return ASSETS.work.text;
  }

  @Get('mark.svg')
  @Header('Content-Type', 'image/svg+xml; charset=utf-8')
  @Header('Cache-Control', ONE_HOUR)
  mark(): string {
    return this.markFile;
  }
}

@ApiExcludeController()
@IgnoresKeys()
@Controller()
export class MachinesController {
  private readonly icon = readFileSync(join(PROJECT_FOLDER, 'assets/favicon.ico'));

  constructor(
    private readonly config: Config,
    private readonly tiers: Tiers,
    private readonly domains: DomainRepository,
    private readonly clock: Clock,
  ) {}

  @Get('favicon.ico')
  @Header('Content-Type', 'image/x-icon')
  @Header('Cache-Control', ONE_HOUR)
  favicon(): StreamableFile {
    return new StreamableFile(this.icon);
  }

  @Get('site.webmanifest')
  @Header('Content-Type', 'application/manifest+json')
  @Header('Cache-Control', ONE_HOUR)
  manifest(): object {
    const icon = (size: number) => ({
      src: `/assets/icon-${size}.png`,
      sizes: `${size}x${size}`,
      type: 'image/png',
    });
    return {
      ...{ name: 'Bowerbird', short_name: 'Bowerbird', description: DESCRIPTION, lang: 'en-AU' },
      ...{ start_url: '/', display: 'minimal-ui', theme_color: '#f6efd9', background_color: '#f6efd9' },
      icons: [{ src: '/assets/mark.svg', sizes: 'any', type: 'image/svg+xml' }, icon(192), icon(512)],
    };
  }

  @Get('robots.txt')
  @Header('Content-Type', TEXT)
  @Header('Cache-Control', ONE_HOUR)
  robots(): string {
    return robotsTxt(this.config.links.baseUrl);
  }

  /** Includes the names that a visitor without an account sees in the lists. */
  @Get('sitemap.xml')
  @Header('Content-Type', 'application/xml; charset=utf-8')
  @Header('Cache-Control', ONE_HOUR)
  async sitemap(): Promise<string> {
    const [{ domains }, now] = await Promise.all([
      this.domains.search.discoverOffers({
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
  @Header('Cache-Control', ONE_HOUR)
  apiCatalog(): object {
    return apiCatalog(this.config.links.baseUrl);
  }

  /** @throws {ApiError} not_found without SECURITY_CONTACT */
  @Get('.well-known/security.txt')
  @Header('Content-Type', TEXT)
  async security(): Promise<string> {
    const { baseUrl, securityContact } = this.config.links;
    if (securityContact === undefined)
      throw new ApiError('not_found', 'The operator has named nobody to tell (SECURITY_CONTACT).');
    return securityTxt(baseUrl, securityContact, await this.clock.now());
  }
}

/** Search engines stay out of the API and of searches, which are endless. */
function robotsTxt(baseUrl: string): string {
  return [
    'User-agent: *',
    ...['/*?', '/api/', '/v1/', '/mcp', '/profile'].map((path) => `Disallow: ${path}`),
    'Allow: /drops?date=',
    'Allow: /assets/',
    '',
    `Sitemap: ${baseUrl}/sitemap.xml`,
    '',
  ].join('\n');
}

const PAGES = ['/', '/check', '/docs', '/help', '/pricing', '/status'];
const DAYS = 30;

/** Our pages, the last days and these names. Domain names need no escaping in XML. */
function sitemapXml(baseUrl: string, today: CalendarDate, names: readonly Pick<Offer, 'domain'>[]): string {
  const now = new Date(`${today}T00:00:00Z`);
  const addresses = [
    ...PAGES.map((path) => `${baseUrl}${path}`),
    ...Array.from({ length: DAYS }, (_, ago) => `${baseUrl}/drops?date=${calendarDateOf(now, -ago)}`),
    ...names.map(({ domain }) => detailUrl(baseUrl, domain)),
  ];
  const urls = addresses.map((address) => `<url><loc>${address}</loc></url>`);
  return `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${urls.join('\n')}
</urlset>
`;
}

const OPENAPI_TYPE = 'application/vnd.oai.openapi+json;version=3.1';

/** The APIs and where each is described, as a linkset (RFC 9264). */
function apiCatalog(baseUrl: string): object {
  const link = (path: string, type: string) => [{ href: `${baseUrl}${path}`, type }];
  const apis = API_PREFIXES.map((prefix) => ({
    anchor: `${baseUrl}/${prefix}`,
    'service-desc': link(documentPath(prefix), OPENAPI_TYPE),
    'service-doc': [...link('/docs', 'text/html'), ...link(`/${prefix}/docs`, 'text/html')],
    status: link('/api/v1/status', 'application/json'),
  }));
  const tools = {
    anchor: `${baseUrl}/mcp`,
    'service-desc': link('/.well-known/mcp/server-card.json', 'application/mcp-server-card+json'),
    'service-doc': link('/docs/mcp', 'text/html'),
  };
  return { linkset: [...apis, tools] };
}

const VALID_DAYS = 90;

/** RFC 9116. It expires a fixed time after the day of the request: while the service answers, the contact is valid. */
function securityTxt(baseUrl: string, contact: string, now: Date): string {
  return [
    `Contact: ${contact}`,
    `Expires: ${calendarDateOf(now, VALID_DAYS)}T00:00:00Z`,
    'Preferred-Languages: en',
    `Canonical: ${baseUrl}/.well-known/security.txt`,
    '',
  ].join('\n');
}
