import type { IncomingMessage, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { type CaptureRow, capturesOf } from './sandbox-captures.js';
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
const HEADER = ['timestamp', 'statuscode'];
const HUGE_ROWS = 60_000;
/** Packed, it is longer than what is cut off. */
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
 * A web archive that is made up: a CDX server on loopback that the ordinary client talks to over HTTP, so that nothing inside
 * the service is faked. The same name always has the same captures.
 */
export async function startSandboxArchive({ port, days }: SandboxArchiveOptions): Promise<SandboxArchive> {
  const behaviours = new Map<string, ArchiveBehaviour>();
  let behaviour: ArchiveBehaviour = 'well';
  const asked: ArchiveQuestion[] = [];
  const captures = (domain: string) => capturesOf(domain, days?.get(domain));
  const server = await serveOnLoopback(port, (request, response) => {
    const url = new URL(request.url ?? '/', `http://${SANDBOX_HOST}`);
    const domain = url.searchParams.get('url');
    if (url.pathname !== PATH || domain === null) return void response.writeHead(404).end();
    const query = Object.fromEntries(url.searchParams);
    asked.push({ domain, userAgent: request.headers['user-agent'], query });
    answer(behaviours.get(domain) ?? behaviour, captures(domain), request, response);
  });
  return {
    url: `http://${SANDBOX_HOST}:${server.port}${PATH}`,
    port: server.port,
    behave(next, domain) {
      if (domain === undefined) behaviour = next;
      else behaviours.set(domain, next);
    },
    asked,
    close: server.close,
  };
}

function answer(
  behaviour: ArchiveBehaviour,
  rows: readonly CaptureRow[],
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const json = JSON.stringify(rows.length > 0 ? [HEADER, ...rows] : []);
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
        'org.archive.util.io.RuntimeIOException: org.archive.wayback.exception.AdministrativeAccessControlException: Blocked Site Error\n',
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
