import { API_PREFIXES, documentPath } from '../../config/product.js';
import { type CalendarDate, calendarDateOf } from '../../domains/schema/calendar-date.js';
import { detailUrl } from '../../domains/schema/domain-view.js';
import type { Offer } from '../../domains/schema/domain.js';

/** Programs that index pages have no business in searches, which are endless, nor in the API. */
export function robotsTxt(baseUrl: string): string {
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

const PAGES = ['/', '/check', '/docs', '/pricing', '/status'];
const DAYS = 30;

/** What is to be indexed: our pages, the days behind us, and the names that are named. Domain names need no escaping in XML. */
export function sitemapXml(
  baseUrl: string,
  today: CalendarDate,
  names: readonly Pick<Offer, 'domain'>[],
): string {
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
export function apiCatalog(baseUrl: string): object {
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

/** RFC 9116. Its end moves with the day on which it is read: the service is there, and so is its operator. */
export function securityTxt(baseUrl: string, contact: string, now: Date): string {
  return [
    `Contact: ${contact}`,
    `Expires: ${calendarDateOf(now, VALID_DAYS)}T00:00:00Z`,
    'Preferred-Languages: en',
    `Canonical: ${baseUrl}/.well-known/security.txt`,
    '',
  ].join('\n');
}
