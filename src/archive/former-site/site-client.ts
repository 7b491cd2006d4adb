import { exchange, type Received, textOf } from '../../registry/exchange.js';
import type { ArchiveFailure } from '../archive-client.js';
import {
  type CdxOptions,
  failure,
  MAX_ERROR_BYTES,
  readRefusal,
  REASONS,
  userAgentOf,
} from '../cdx-client.js';
import type { SitePage } from './former-site.repository.js';
import { type PageText, readPage } from './page-text.js';

/** Pages of a site that are read, spread over its years. */
export const MAX_PAGES = 8;
/** The archive's first year was 1996. */
const MAX_YEARS = 100;
const MAX_LIST_BYTES = 64 * 1024;
const MAX_PAGE_BYTES = 1024 * 1024;

/** The first capture of a page that worked, of each year. */
const QUESTION = {
  output: 'json',
  fl: 'timestamp,original',
  collapse: 'timestamp:4',
  limit: String(MAX_YEARS),
};
const FILTERS = ['statuscode:200', 'mimetype:text/html'];

export type SiteAnswer<Found> = { readonly answered: true; readonly found: Found } | ArchiveFailure;

/** Asks the archive what a site was: one request each, no redirects followed, no retries. */
export class SiteClient {
  constructor(private readonly options: CdxOptions & { readonly pagesUrl: string }) {}

  /** Which pages are to be read: none where the archive has no page that worked. */
  async listPages(domain: string, now: Date, signal: AbortSignal): Promise<SiteAnswer<SitePage[]>> {
    const url = new URL(this.options.cdxUrl);
    for (const [name, value] of Object.entries({ url: domain, ...QUESTION }))
      url.searchParams.set(name, value);
    for (const filter of FILTERS) url.searchParams.append('filter', filter);
    const answer = await this.ask(url, MAX_LIST_BYTES, now, signal);
    if (!answer.answered) return answer;
    const { body } = answer.found;
    const pages = body && readList(textOf(body), domain);
    return pages ? { answered: true, found: spread(pages) } : failure('not_understood', 'a list of captures');
  }

  /** What the page says; null where it cannot be read. */
  async readPage(
    { timestamp, url }: SitePage,
    now: Date,
    signal: AbortSignal,
  ): Promise<SiteAnswer<PageText | null>> {
    // `id_`: as it was captured, without the archive's own bar.
    const address = new URL(`${this.options.pagesUrl.replace(/\/$/, '')}/${timestamp}id_/${url}`);
    const answer = await this.ask(address, MAX_PAGE_BYTES, now, signal);
    if (!answer.answered) {
      // It did answer: this page is lost, moved or damaged.
      const isLost = answer.reason === 'failing' && /^HTTP [34]/.test(answer.detail);
      return isLost || answer.reason === 'cut_off' ? { answered: true, found: null } : answer;
    }
    const { body, header } = answer.found;
    const type = header('content-type');
    const isPage = body !== null && (type === null || /html|text\/plain/i.test(type));
    return { answered: true, found: isPage ? readPage(body, type) : null };
  }

  private async ask(
    url: URL,
    maxBytes: number,
    now: Date,
    signal: AbortSignal,
  ): Promise<SiteAnswer<Received>> {
    const response = await exchange(url, {
      headers: { 'User-Agent': userAgentOf(this.options.contactUrl) },
      limitMs: this.options.timeoutMs,
      maxBytes: (status) => (status === 200 ? maxBytes : status === 403 ? MAX_ERROR_BYTES : 0),
      signal,
    });
    if (!response.received) return failure(REASONS[response.reason], response.detail);
    return response.status === 200 ? { answered: true, found: response } : readRefusal(response, now);
  }
}

/** Null: that is no list of captures. Rows of other pages than the home page are left out. */
function readList(text: string, domain: string): SitePage[] | null {
  let rows: unknown;
  try {
    rows = JSON.parse(text);
  } catch {
    return null;
  }
  if (!Array.isArray(rows)) return null;
  const pages = new Map<number, SitePage>();
  for (const row of rows.slice(0, MAX_YEARS + 1)) {
    const [timestamp, url] = Array.isArray(row) ? (row as unknown[]) : [];
    if (typeof timestamp !== 'string' || !/^\d{14}$/.test(timestamp)) continue;
    if (typeof url !== 'string' || !isHomePage(url, domain)) continue;
    const year = Number(timestamp.slice(0, 4));
    if (!pages.has(year)) pages.set(year, { year, timestamp, url });
  }
  return [...pages.values()].sort((one, other) => one.year - other.year);
}

function isHomePage(text: string, domain: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : null;
  return (
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    [domain, `www.${domain}`].includes(url.hostname) &&
    url.pathname === '/' &&
    `${url.search}${url.hash}${url.username}` === ''
  );
}

/** The first, the last, and those between at even steps. */
function spread(pages: readonly SitePage[]): SitePage[] {
  if (pages.length <= MAX_PAGES) return [...pages];
  const step = (pages.length - 1) / (MAX_PAGES - 1);
  return Array.from({ length: MAX_PAGES }, (_, place) => pages[Math.round(place * step)]).filter(
    (page) => page !== undefined,
  );
}
