import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Pool } from 'pg';
import { domainBody, errorBody } from '../../../src/demo/sandbox-registry.js';
import type { Truth, YearWorld } from './world.js';

/** What the registry said, and when. */
export interface Answer {
  readonly domain: string;
  readonly at: number;
  readonly truth: Truth;
  /** Whether the process that asked was killed so soon after that it may not have written the answer down. */
  isPerhapsLost: boolean;
}

/** The world over HTTP: both lists, the registry and the archive, at the time of the handed clock of the database. */
export interface YearServer {
  readonly url: string;
  readonly answers: readonly Answer[];
  /** The names that the archive has given its captures of. */
  readonly scored: ReadonlySet<string>;
  readonly requests: Readonly<Record<'list' | 'registry' | 'archive', number>>;
  /** Called at every request, before it is answered. */
  onRequest: () => void;
  /** The process that asked was killed: what it asked last may be lost. */
  loseLast(): void;
  close(): Promise<void>;
}

/** Questions of one process that are under way at once: that of the queue and that of the sample. */
const MAX_UNDER_WAY = 2;

export async function startYearServer(world: YearWorld, databaseUrl: string): Promise<YearServer> {
  const pool = new Pool({ connectionString: databaseUrl });
  // Its connections may still be closing when the database is dropped.
  pool.on('error', () => undefined);
  const now = async () => {
    const { rows } = await pool.query<{ now: Date }>('SELECT now FROM handed_clock');
    return rows[0]?.now.getTime() ?? 0;
  };
  const answers: Answer[] = [];
  const scored = new Set<string>();
  const requests = { list: 0, registry: 0, archive: 0 };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    served.onRequest();
    const at = await now();
    const url = new URL(request.url ?? '/', served.url);
    const list = /^\/(deleted|expired)$/.exec(url.pathname)?.[1];
    // Its time is not that of the machine.
    response.sendDate = false;
    if (list === 'deleted' || list === 'expired') {
      requests.list += 1;
      sendList(request, response, world.listText(list, at));
    } else if (url.pathname === '/archive') {
      requests.archive += 1;
      const domain = url.searchParams.get('url') ?? '';
      if (sendCaptures(response, world.archived(domain, at))) scored.add(domain);
    } else {
      requests.registry += 1;
      const domain = decodeURIComponent(url.pathname.replace('/rdap/domain/', ''));
      const truth = world.truth(domain, at);
      answers.push({ domain, at, truth, isPerhapsLost: false });
      sendRdap(response, domain, truth);
    }
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const served: YearServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answers,
    scored,
    requests,
    onRequest: () => undefined,
    loseLast() {
      for (const last of answers.slice(-MAX_UNDER_WAY)) last.isPerhapsLost = true;
    },
    close: async () => {
      await closed(server);
      await pool.end();
    },
  };
  return served;
}

function sendList(request: IncomingMessage, response: ServerResponse, text: string): void {
  const etag = `"${createHash('sha256').update(text).digest('hex').slice(0, 16)}"`;
  response.setHeader('ETag', etag);
  if (request.headers['if-none-match'] === etag) response.writeHead(304).end();
  else response.writeHead(200, { 'Content-Type': 'text/csv' }).end(text);
}

/** @returns whether they were sent */
function sendCaptures(response: ServerResponse, archived: ReturnType<YearWorld['archived']>): boolean {
  if ('captures' in archived) {
    const { captures } = archived;
    response.end(JSON.stringify(captures.length > 0 ? [['timestamp', 'statuscode'], ...captures] : []));
    return true;
  }
  if (archived.status === 429 && archived.retryAfterSeconds !== null)
    response.setHeader('Retry-After', archived.retryAfterSeconds);
  response.writeHead(archived.status).end();
  return false;
}

function sendRdap(response: ServerResponse, domain: string, truth: Truth): void {
  response.setHeader('Content-Type', 'application/rdap+json');
  if (truth.said === 'free')
    return void response.writeHead(404).end(JSON.stringify(errorBody(404, 'Not Found', 'Object not found')));
  const body = domainBody(domain, `/${domain}`, truth.said === 'held' ? ['active'] : ['pending delete']);
  const registeredAt = truth.said === 'held' ? truth.registeredAt : null;
  const events =
    registeredAt === null
      ? []
      : [{ eventAction: 'registration', eventDate: new Date(registeredAt).toISOString() }];
  response.writeHead(200).end(JSON.stringify({ ...body, events }));
}

const closed = (server: Server) =>
  new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
