import type { IncomingMessage, ServerResponse } from 'node:http';
import { hashOf, type SandboxAnswer, sandboxAnswerOf } from './sandbox-names.js';
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
    // The clock is the caller's, which tests run fast.
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

/**
 * The name in the path, or null. Anything else is a 400 and never a 404: a wrong address must not look like a free
 * name.
 */
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

const CONFORMANCE = ['rdap_level_0', 'redacted', 'icann_rdap_technical_implementation_guide_0', 'auData'];
const TERMS = {
  title: 'Terms of Use',
  description: [
    'This is the sandbox registry of Bowerbird. Everything in it is made up.',
    'The real registry limits the rate of queries and may block those who exceed it.',
  ],
};
const STATUS_CODES = {
  title: 'Status Codes',
  description: ['An explanation of the status codes is in RFC 8056.'],
};

/**
 * People and firms that do not exist. Real answers name the registrant, so the sandbox does too: it must never come
 * out.
 */
const REGISTRANTS = [
  { name: 'Jane Madeup-Citizen', id: 'ABN 00 000 000 001', type: 'Citizen/Resident' },
  { name: 'Madeup Wattle & Sons Pty Ltd', id: 'ACN 000 000 002', type: 'Company' },
  { name: 'The Madeup Bowls Club Inc.', id: 'ABN 00 000 000 003', type: 'Incorporated Association' },
] as const;
const EPOCH_MS = Date.UTC(2024, 0, 1);
const DAY_MS = 86_400_000;

/** A domain object with the members that .au answers have: no dates of registration or expiry, but the registrant. */
export function domainBody(domain: string, url: string, status: readonly string[]): object {
  const hash = hashOf(domain);
  const registrant = REGISTRANTS[hash % REGISTRANTS.length] ?? REGISTRANTS[0];
  return {
    rdapConformance: CONFORMANCE,
    objectClassName: 'domain',
    handle: `${hash.toString(16).toUpperCase()}-AU`,
    ldhName: domain,
    links: [{ value: url, rel: 'self', href: url, type: 'application/rdap+json' }],
    status,
    events: [
      { eventAction: 'last changed', eventDate: new Date(EPOCH_MS + (hash % 900) * DAY_MS).toISOString() },
      { eventAction: 'last update of RDAP database', eventDate: new Date().toISOString() },
    ],
    entities: [registrarEntity(), registrantEntity(registrant.name)],
    nameservers: ['ns1', 'ns2'].map((host) => ({
      objectClassName: 'nameserver',
      ldhName: `${host}.sandbox.invalid`,
    })),
    secureDNS: { delegationSigned: false },
    auData_eligibility: [
      { name: 'registrant name', value: registrant.name },
      { name: 'registrant id', value: registrant.id },
      { name: 'eligibility type', value: registrant.type },
    ],
    auData_statusReasons: status.map((auData_status) => ({ auData_status, auData_statusReason: [] })),
    redacted: [
      redaction('Registry Domain Registration Date', 'registration'),
      redaction('Registry Domain Expiration Date', 'expiration'),
    ],
    notices: [TERMS, STATUS_CODES],
  };
}

export function errorBody(errorCode: number, title: string, description: string): object {
  return { rdapConformance: CONFORMANCE, errorCode, title, description: [description], notices: [TERMS] };
}

export function limitNoticeBody(): object {
  const notice = {
    title: 'Rate Limit',
    description: ['You have sent too many queries; please come back later.'],
  };
  return { rdapConformance: CONFORMANCE, notices: [notice] };
}

function registrarEntity(): object {
  return {
    objectClassName: 'entity',
    handle: '9999',
    roles: ['registrar'],
    vcardArray: [
      'vcard',
      [
        ['version', {}, 'text', '4.0'],
        ['fn', {}, 'text', 'Sandbox Registrar Pty Ltd'],
      ],
    ],
  };
}

function registrantEntity(name: string): object {
  return {
    objectClassName: 'entity',
    roles: ['registrant', 'technical'],
    vcardArray: [
      'vcard',
      [
        ['version', {}, 'text', '4.0'],
        ['fn', {}, 'text', name],
        ['email', {}, 'text', 'registrant@madeup.invalid'],
        ['tel', { type: 'voice' }, 'uri', 'tel:+61.255501234'],
      ],
    ],
  };
}

function redaction(type: string, action: string): object {
  return { name: { type }, prePath: `$.events[?(@.eventAction=='${action}')]`, method: 'removal' };
}
