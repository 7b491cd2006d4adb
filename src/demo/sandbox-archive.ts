import type { IncomingMessage, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { hashOf } from './sandbox-names.js';
import { SANDBOX_HOST, serveOnLoopback } from './sandbox-server.js';

/** How the archive answers: with what it has, or in one of the ways that go wrong. */
export type ArchiveBehaviour =
  | 'well'
  | 'nothing'
  | 'header_only'
  | 'text'
  | 'empty'
  | 'rate_limited'
  | 'rate_limited_for_an_unknown_time'
  | 'busy'
  | 'forbidden'
  | 'excluded'
  | 'server_error'
  | 'redirect'
  | 'hang'
  | 'trickle'
  | 'cut_off'
  | 'cut_off_list'
  | 'damaged_gzip'
  | 'html'
  | 'huge'
  | 'reset';

export interface SandboxArchive {
  /** What ARCHIVE_CDX_URL takes. */
  readonly url: string;
  readonly port: number;
  /** From now on, until told otherwise; with a name, for that name only. */
  behave(behaviour: ArchiveBehaviour, domain?: string): void;
  /** What ARCHIVE_PAGES_URL takes. */
  readonly pagesUrl: string;
  /** From now on the home page of the name was so in each year; made up otherwise. */
  show(domain: string, html: string): void;
  /** The questions that came, in order. */
  readonly asked: readonly ArchiveQuestion[];
  close(): Promise<void>;
}

export interface ArchiveQuestion {
  readonly domain: string;
  readonly userAgent: string | undefined;
  readonly query: Readonly<Record<string, string>>;
}

/** What a 429 and a 503 of it say in Retry-After, in seconds. */
export const SANDBOX_RETRY_AFTER_SECONDS = 120;

const PATH = '/cdx/search/cdx';
const PAGES_PATH = '/web';
const HEADER = ['timestamp', 'statuscode'];
const HUGE_ROWS = 60_000;
/** Its gzip form is longer than the part that is cut off. */
const MANY_ROWS = JSON.stringify(
  Array.from({ length: 400 }, (_, row) => [`${20_000_101_000_000 + row * 7_919}`, '200']),
);

export interface SandboxArchiveOptions {
  /** 0 asks the system for a free port. */
  readonly port: number;
  /** On how many days names were captured where that is not to be left to sandbox-captures.ts. */
  readonly days?: ReadonlyMap<string, number>;
}

/**
 * A web archive that is made up: a CDX server on loopback that the ordinary client talks to over HTTP, so that
 * nothing inside the service is faked. The same name always has the same captures.
 */
export async function startSandboxArchive({ port, days }: SandboxArchiveOptions): Promise<SandboxArchive> {
  const behaviours = new Map<string, ArchiveBehaviour>();
  let behaviour: ArchiveBehaviour = 'well';
  const asked: ArchiveQuestion[] = [];
  const pages = new Map<string, string>();
  const captures = (domain: string) => capturesOf(domain, days?.get(domain));
  const server = await serveOnLoopback(port, (request, response) => {
    const url = new URL(request.url ?? '/', `http://${SANDBOX_HOST}`);
    const [, timestamp, domainOfPage] = PAGE.exec(url.pathname) ?? [];
    const domain = domainOfPage ?? url.searchParams.get('url');
    if ((url.pathname !== PATH && !timestamp) || domain === null) return void response.writeHead(404).end();
    const query = timestamp ? { timestamp } : Object.fromEntries(url.searchParams);
    asked.push({ domain, userAgent: request.headers['user-agent'], query });
    const how = behaviours.get(domain) ?? behaviour;
    const rows = captures(domain);
    if (how !== 'well') return answer(how, rows, request, response);
    if (timestamp) return sendPage(response, pages.get(domain) ?? madeUpPage(domain, timestamp));
    answer(how, query.fl === YEARLY ? yearlyOf(domain, rows) : rows, request, response);
  });
  return {
    url: `http://${SANDBOX_HOST}:${server.port}${PATH}`,
    port: server.port,
    behave(next, domain) {
      if (domain === undefined) behaviour = next;
      else behaviours.set(domain, next);
    },
    pagesUrl: `http://${SANDBOX_HOST}:${server.port}${PAGES_PATH}`,
    show: (domain, html) => void pages.set(domain, html),
    asked,
    close: server.close,
  };
}

/** The fields of a question for the captures of each year. */
const YEARLY = 'timestamp,original';
const PAGE = new RegExp(`^${PAGES_PATH}/(\\d{14})id_/http://([^/]+)/$`);

/** The first capture that worked of each year, with the address of the page. */
function yearlyOf(domain: string, rows: readonly CaptureRow[]): CaptureRow[] {
  const years = new Map<string, string>();
  for (const [timestamp, status] of rows)
    if (status === '200' && !years.has(timestamp.slice(0, 4))) years.set(timestamp.slice(0, 4), timestamp);
  return [...years.values()].sort().map((timestamp) => [timestamp, `http://${domain}/`]);
}

function sendPage(response: ServerResponse, html: string): void {
  response.setHeader('Content-Type', 'text/html; charset=utf-8');
  send(response, 200, html);
}

function madeUpPage(domain: string, timestamp: string): string {
  const name = domain.split('.')[0] ?? domain;
  return (
    `<!doctype html><title>${name}: made up for ${timestamp.slice(0, 4)}</title><script>document.title = ''</script>` +
    `<h1>Welcome to ${name}</h1><p>This page is made up by the sandbox of the web archive. Nobody ran a site here.</p>`
  );
}

function answer(
  behaviour: ArchiveBehaviour,
  rows: readonly CaptureRow[],
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const header = rows[0]?.[1].startsWith('http') ? YEARLY.split(',') : HEADER;
  const json = JSON.stringify(rows.length > 0 ? [header, ...rows] : []);
  switch (behaviour) {
    case 'well':
      return send(response, 200, json);
    case 'nothing':
      return send(response, 200, '[]\n');
    case 'header_only':
      return send(response, 200, JSON.stringify([HEADER]));
    case 'text':
      return send(response, 200, rows.map((row) => `${row.join(' ')}\n`).join(''));
    case 'empty':
      return send(response, 200, '');
    case 'rate_limited':
      response.setHeader('Retry-After', SANDBOX_RETRY_AFTER_SECONDS);
      return send(response, 429, 'Too Many Requests');
    case 'rate_limited_for_an_unknown_time':
      return send(response, 429, 'Too Many Requests');
    case 'busy':
      response.setHeader('Retry-After', SANDBOX_RETRY_AFTER_SECONDS);
      return send(response, 503, 'Service Unavailable');
    case 'forbidden':
      return send(response, 403, 'Access denied');
    case 'excluded':
      return send(
        response,
        403,
        'org.archive.util.io.RuntimeIOException: ' +
          'org.archive.wayback.exception.AdministrativeAccessControlException: Blocked Site Error\n',
      );
    case 'server_error':
      return send(response, 500, 'java.lang.IllegalArgumentException: fromKey > toKey');
    case 'redirect':
      return void response.writeHead(302, { Location: `${PATH}?url=example.com.au` }).end();
    case 'hang':
      return;
    case 'trickle':
      response.writeHead(200, { 'Content-Type': 'application/json' });
      return void response.write('[');
    case 'cut_off':
      response.writeHead(200, { 'Content-Length': json.length + 100 });
      return void response.write(json, () => response.destroy());
    case 'cut_off_list':
      return send(response, 200, '[["timestamp","statuscode"],\n["20090314120000","200"],\n');
    case 'damaged_gzip':
      response.setHeader('Content-Encoding', 'gzip');
      return void response.writeHead(200).end(gzipSync(MANY_ROWS).subarray(0, -100));
    case 'html':
      return send(response, 200, '<!doctype html><title>Internet Archive: temporarily offline</title>');
    case 'huge':
      return send(response, 200, JSON.stringify(Array(HUGE_ROWS).fill(['20090314120000', '200'])));
    case 'reset':
      return void request.socket.resetAndDestroy();
    default:
      return behaviour satisfies never;
  }
}

function send(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { 'Content-Length': Buffer.byteLength(body) }).end(body);
}

/** As a CDX server gives it: YYYYMMDDhhmmss, and the status or `-` for a revisit. */
export type CaptureRow = readonly [timestamp: string, status: string];

const DAY_MS = 86_400_000;
/** All captures that are made up lie in these days, which are more than any sample name was captured on. */
const FIRST_DAY = Date.UTC(1998, 0, 1);
const DAYS = 10_220;
/** Most days between two captures. */
const MAX_STEP = 60;
const MAX_DAYS = 400;

/**
 * The captures of a name, as rows of a CDX server that was asked for one a day and no errors: always the same for the
 * same name.
 *
 * @param days on how many days it was captured; made up from the name where it is left out: one in four on none, most
 * on a few dozen, a few on hundreds
 */
export function capturesOf(domain: string, days?: number): CaptureRow[] {
  const next = numbersOf(hashOf(`captures of ${domain}`));
  const count = days ?? (next() < 0.25 ? 0 : 1 + Math.floor(next() ** 3 * MAX_DAYS));
  const widest = Math.min(MAX_STEP, DAYS / Math.max(1, count));
  const step = 1 + next() * (widest - 1);
  const start = Math.floor(next() * (DAYS - count * step));
  return Array.from({ length: count }, (_, place) => {
    const day = start + Math.floor(place * step) + Math.floor(next() * Math.floor(step));
    const moment = new Date(FIRST_DAY + day * DAY_MS + Math.floor(next() * DAY_MS));
    return [moment.toISOString().replace(/\D/g, '').slice(0, 14), statusOf(next())];
  });
}

function statusOf(number: number): string {
  if (number < 0.6) return '200';
  return number < 0.8 ? '-' : '301';
}

/** Even numbers from 0 to 1 that belong to the seed (mulberry32). */
function numbersOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
