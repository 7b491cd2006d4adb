import type { IncomingMessage, ServerResponse } from 'node:http';
import { domainBody, errorBody, limitNoticeBody } from './sandbox-bodies.js';
import { type SandboxAnswer, sandboxAnswerOf } from './sandbox-names.js';
import { SANDBOX_HOST, serveOnLoopback } from './sandbox-server.js';

export interface SandboxOptions {
  /** 0 asks the system for a free port. */
  readonly port: number;
  /** Names whose answer is not to be left to the rules of sandbox-names.ts. */
  readonly names?: ReadonlyMap<string, SandboxAnswer>;
}

export interface SandboxRegistry {
  /** The RDAP base address, with its final slash: what REGISTRY_RDAP_URL takes. */
  readonly url: string;
  readonly port: number;
  /** How many questions about names have come so far. */
  requests(): number;
  close(): Promise<void>;
}

const BASE_PATH = '/rdap/';
const SLOW_MS = 8000;
const RETRY_AFTER_SECONDS = 2;
const OVERSIZED_BYTES = 1024 * 1024;

/**
 * A registry that is made up: an RDAP server on loopback that the ordinary client talks to over HTTP, so that
 * nothing inside the service is faked. The same name always gets the same answer.
 */
export async function startSandboxRegistry({ port, names }: SandboxOptions): Promise<SandboxRegistry> {
  let requests = 0;
  const server = await serveOnLoopback(port, (request, response) => {
    // Its time is that of whoever asks, which tests play fast.
    response.sendDate = false;
    const domain = domainOf(request);
    if (domain === null)
      return sendError(response, 400, 'Bad Request', 'Ask for domain/{name} with a name in .au.');
    requests += 1;
    answer(names?.get(domain) ?? sandboxAnswerOf(domain), domain, request, response);
  });
  return {
    url: `http://${SANDBOX_HOST}:${server.port}${BASE_PATH}`,
    port: server.port,
    requests: () => requests,
    close: server.close,
  };
}

/** The name in the path, or null. Anything else is a 400 and never a 404: a wrong address must not look like a free name. */
function domainOf({ method, url = '' }: IncomingMessage): string | null {
  if (method !== 'GET' && method !== 'HEAD') return null;
  const match = /^\/rdap\/domain\/([A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){0,4}\.au)$/i.exec(url);
  return match?.[1]?.toLowerCase() ?? null;
}

function answer(
  kind: SandboxAnswer,
  domain: string,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const object = (status: string[], name = domain) =>
    domainBody(name, `http://${request.headers.host}${BASE_PATH}domain/${name}`, status);
  switch (kind) {
    case 'available':
      return sendError(response, 404, 'Not Found', 'Object not found');
    case 'registered':
      return send(response, 200, object(['server renew prohibited']));
    case 'redemption':
      return send(response, 200, object(['redemption period', 'server hold', 'server update prohibited']));
    case 'pending_purge':
      return send(response, 200, object(['pending delete', 'server hold', 'server update prohibited']));
    case 'pending_delete':
      return send(response, 200, object(['pending delete']));
    case 'reserved':
      return send(response, 200, object(['reserved']));
    case 'declined':
      return sendError(response, 400, 'Bad Request', 'The sandbox was asked to turn this name down');
    case 'rate_limited':
      response.setHeader('Retry-After', RETRY_AFTER_SECONDS);
      return sendError(response, 429, 'Too Many Requests', 'Please come back later');
    case 'limit_notice':
      return send(response, 200, limitNoticeBody());
    case 'forbidden':
      return sendText(response, 403, 'text/html', '<h1>Access denied</h1>');
    case 'server_error':
      return sendError(response, 500, 'Internal Server Error', 'The sandbox was asked to fail');
    case 'slow': {
      const timer = setTimeout(() => send(response, 200, object(['active'])), SLOW_MS);
      return void response.on('close', () => clearTimeout(timer));
    }
    case 'silent':
      return;
    case 'html':
      return sendText(response, 200, 'text/html', '<!doctype html><title>Welcome</title><p>Available soon!');
    case 'garbage':
      return sendText(response, 200, 'application/rdap+json', '\u0000\u0001{"objectClassName":"domain",,,');
    case 'cut_off':
      response.writeHead(200, { 'Content-Type': 'application/rdap+json', 'Content-Length': 10_000 });
      response.write('{"objectClassName":"domain",', () => response.destroy());
      return;
    case 'oversized':
      return send(response, 200, { ...object(['active']), padding: 'x'.repeat(OVERSIZED_BYTES) });
    case 'other_name':
      return send(response, 200, object(['active'], `not-${domain}`));
    case 'redirect':
      return void response.writeHead(302, { Location: `${BASE_PATH}domain/sandbox-available.com.au` }).end();
    case 'empty_404':
      return void response.writeHead(404).end();
    case 'html_404':
      return sendText(response, 404, 'text/html', '<h1>404 Not Found</h1><p>nginx');
    case 'reset':
      return void request.socket.resetAndDestroy();
    default:
      return kind satisfies never;
  }
}

function send(response: ServerResponse, status: number, body: object): void {
  sendText(response, status, 'application/rdap+json', JSON.stringify(body));
}

function sendError(response: ServerResponse, status: number, title: string, description: string): void {
  send(response, status, errorBody(status, title, description));
}

function sendText(response: ServerResponse, status: number, contentType: string, text: string): void {
  response
    .writeHead(status, { 'Content-Type': contentType, 'Content-Length': Buffer.byteLength(text) })
    .end(text);
}
