import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isObject } from '../validation/unknown-values.js';
import { SANDBOX_HOST, serveOnLoopback } from './sandbox-server.js';

/**
 * What goes wrong with one request. `cut_before`, nothing was executed; `cut_after`, it was, and nothing is sent;
 * `error_after`, it was, and 500 is sent; `page_after`, it was, and a page is sent; `late`, the answer waits for
 * {@link SandboxReseller.sendLate}; `twice`, it arrives again, and the second answer is sent; `unfiltered`, the list has
 * all names; `pending`, the name waits for the registry; `throttled`, `elsewhere` (a redirect) and a status, without
 * execution.
 */
export type ResellerFault =
  | 'cut_before'
  | 'cut_after'
  | 'error_after'
  | 'page_after'
  | 'late'
  | 'twice'
  | 'unfiltered'
  | 'pending'
  | 'throttled'
  | 'elsewhere'
  | 400
  | 402
  | 500;

export interface ResellerName {
  readonly id: number;
  readonly customer: number;
  readonly registrant: number;
  readonly eligibility: unknown;
  readonly status: number;
  readonly startedAt: Date;
  readonly expiresAt: Date;
}

export interface SandboxReseller {
  readonly url: string;
  readonly key: string;
  /** Our names. */
  readonly names: Map<string, ResellerName>;
  /** How often names were registered: more than `names` when one was registered twice. */
  readonly created: readonly string[];
  readonly customers: ReadonlyMap<number, Members>;
  /** Registrants by id, as they were sent. */
  readonly registrants: ReadonlyMap<number, Readonly<Record<string, unknown>>>;
  /** Method and path of the requests that came, in order. */
  readonly received: readonly string[];
  /** Dollars. */
  balance: number;
  currency: string;
  /** Dollars by suffix. */
  readonly prices: Map<string, { register: number; renew: number }>;
  /** The next request of that name goes wrong in this way, and the ones after it, `times` in all. */
  fail(command: ResellerCommand, fault: ResellerFault, times?: number): void;
  registerForeign(name: string): void;
  decide(name: string, outcome: 'done' | 'refused'): void;
  sendLate(): void;
  close(): Promise<void>;
}

export interface SandboxResellerOptions {
  /** 0 asks the system for a free port. */
  readonly port: number;
  readonly isTaken?: (name: string) => boolean;
  readonly onRegistered?: (name: string) => void;
  readonly faultOf?: (name: string) => ResellerFault | undefined;
  /** What it has executed, for one that is started again; left out: it starts empty. */
  readonly records?: ResellerRecords;
}

export interface ResellerRecords {
  readonly names: Map<string, ResellerName>;
  readonly customers: Map<number, Members>;
  readonly registrants: Map<number, Members>;
  readonly requestIds: Set<string>;
}

export const SANDBOX_KEY = 'c4ca4238a0b923820dcc509a6f75849b';
const MAX_BODY_BYTES = 65_536;
const PRICES = ['com.au', 'net.au', 'org.au', 'asn.au', 'id.au', 'au'];
const AWAITING = 1;
const REGISTERED = 2;
const DELETED = 5;

/** What a request asks for, by method and path; the number in the path is its subject. */
const COMMANDS = {
  prices: /^GET \/domains\/tlds$/,
  check: /^GET \/domains\/availability$/,
  list: /^GET \/domains$/,
  balance: /^GET \/finances\/balance$/,
  customer_info: /^GET \/customers\/(\d+)$/,
  customer: /^POST \/customers$/,
  registrant: /^POST \/domains\/registrants$/,
  create: /^POST \/domains$/,
  renew: /^POST \/domains\/(\d+)\/renewal$/,
  delete: /^DELETE \/domains\/(\d+)$/,
};
export type ResellerCommand = keyof typeof COMMANDS;

interface Answer {
  readonly status: number;
  readonly body: object;
}
export type Members = Readonly<Record<string, unknown>>;

/** A made-up reseller API like Dreamscape's, over HTTP on loopback, which the ordinary client talks to. */
export async function startSandboxReseller(options: SandboxResellerOptions): Promise<SandboxReseller> {
  const { isTaken = () => false, onRegistered = () => undefined, faultOf } = options;
  const { names, customers, registrants, requestIds } = options.records ?? emptyRecords();
  const foreign = new Set<string>();
  const received: string[] = [];
  const created: string[] = [];
  const faults = new Map<string, ResellerFault[]>();
  const late: (() => void)[] = [];
  const prices = new Map(PRICES.map((tld) => [tld, { register: 11, renew: 11 }]));
  const ids = [...customers.keys(), ...registrants.keys(), ...[...names.values()].map(({ id }) => id)];
  let lastId = Math.max(1_000, ...ids);

  const isFree = (name: string) => {
    const ours = names.get(name);
    return !foreign.has(name) && !isTaken(name) && (!ours || ours.status === DELETED);
  };
  const byId = (id: number) => [...names].find(([, one]) => one.id === id);
  const keep = (kept: Map<number, Members>, body: Members): Answer => {
    lastId += 1;
    kept.set(lastId, { ...body, id: lastId });
    return done({ id: lastId });
  };

  function create(body: Members, isPending: boolean): Answer {
    const name = String(body.domain_name).toLowerCase();
    if (!customers.has(Number(body.customer_id)) || !registrants.has(Number(body.registrant_id)))
      return problem(400, { customer_id: ['unknown'] });
    const months = Number(body.period);
    if (!(months > 0) || months % 12 !== 0) return problem(400, { period: ['a multiple of 12'] });
    if (!Array.isArray(body.eligibility_data)) return problem(400, { eligibility_data: ['required'] });
    if (!isFree(name)) return problem(400, { domain_name: ['not available'] });
    const cost = prices.get(tldOf(name))?.register ?? Infinity;
    if (cost > reseller.balance) return problem(402);
    reseller.balance -= cost;
    lastId += 1;
    names.set(name, {
      ...{ id: lastId, customer: Number(body.customer_id), registrant: Number(body.registrant_id) },
      ...{ eligibility: body.eligibility_data, status: isPending ? AWAITING : REGISTERED },
      ...{ startedAt: new Date(), expiresAt: monthsAfter(new Date(), months) },
    });
    created.push(name);
    onRegistered(name);
    return done(described(name));
  }

  function described(name: string): object {
    const known = names.get(name);
    if (!known) return {};
    return {
      ...{ id: known.id, domain_name: name, auth_key: 'sandbox-auth-key', status_id: known.status },
      ...{ start_date: timeOf(known.startedAt), expiry_date: timeOf(known.expiresAt) },
      ...{ customer_id: known.customer, registrant_id: known.registrant },
      ...{ eligibility_data: known.eligibility, privacy: false, is_locked: false },
    };
  }

  function list(query: URLSearchParams): Answer {
    const wanted = query.get('domain_name');
    const all = [...names.keys()].filter((name) => wanted === null || name === wanted);
    const [page, limit] = [Number(query.get('page') ?? 1), Number(query.get('limit') ?? 25)];
    return {
      status: 200,
      body: {
        ...{ status: true, data: all.slice((page - 1) * limit, page * limit).map(described) },
        pagination: { total_items: all.length, total_pages: Math.max(1, Math.ceil(all.length / limit)) },
      },
    };
  }

  function execute(
    command: ResellerCommand,
    subject: number,
    query: URLSearchParams,
    body: Members,
    fault: ResellerFault | undefined,
  ): Answer {
    const named = byId(subject);
    switch (command) {
      case 'prices':
        return done(query.getAll('tlds[]').map((tld) => ({ tld, min_period: 12, price: prices.get(tld) })));
      case 'check':
        return done(
          query.getAll('domain_names[]').map((name) => ({ domain_name: name, is_available: isFree(name) })),
        );
      case 'list':
        if (fault === 'unfiltered') query.delete('domain_name');
        return list(query);
      case 'balance':
        return done({ balance: Number(reseller.balance.toFixed(2)), currency: reseller.currency });
      case 'customer_info':
        return customers.has(subject) ? done(customers.get(subject) ?? {}) : problem(404);
      case 'customer':
        return keep(customers, body);
      case 'registrant':
        return keep(registrants, body);
      case 'create':
        return create(body, fault === 'pending');
      case 'renew': {
        if (!named) return problem(404);
        const [name, known] = named;
        const cost = prices.get(tldOf(name))?.renew ?? Infinity;
        if (cost > reseller.balance) return problem(402);
        reseller.balance -= cost;
        names.set(name, { ...known, expiresAt: monthsAfter(known.expiresAt, Number(body.period)) });
        return done(described(name));
      }
      case 'delete':
        if (!named) return problem(404);
        names.set(named[0], { ...named[1], status: DELETED });
        return done({});
      default:
        return command satisfies never;
    }
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', `http://${SANDBOX_HOST}`);
    const line = `${request.method} ${url.pathname}`;
    const text = await readText(request);
    received.push(line);
    const [command] = (Object.keys(COMMANDS) as ResellerCommand[]).filter((one) => COMMANDS[one].test(line));
    if (!command) {
      send(response, problem(404));
      return;
    }
    const json: unknown = text === '' ? {} : JSON.parse(text);
    const body = isObject(json) ? json : {};
    const own = command === 'create' ? faultOf?.(String(body.domain_name)) : undefined;
    const fault = faults.get(command)?.shift() ?? own;
    if (fault === 'cut_before') return void request.socket.destroy();
    if (fault === 'throttled') {
      send(response, problem(429));
      return;
    }
    if (fault === 'elsewhere') return void response.writeHead(302, { Location: '/domains' }).end();
    if (typeof fault === 'number') {
      send(response, problem(fault));
      return;
    }
    const subject = Number(COMMANDS[command].exec(line)?.[1] ?? 0);
    const answerOnce = () => {
      const denied = deny(request, requestIds);
      return denied ?? execute(command, subject, url.searchParams, body, fault);
    };
    const first = answerOnce();
    switch (fault) {
      case 'cut_after':
        return void request.socket.destroy();
      case 'error_after': {
        send(response, problem(500));
        return;
      }
      case 'page_after':
        return void response.writeHead(200, { 'Content-Type': 'text/html' }).end('<h1>Maintenance</h1>');
      case 'late':
        return void late.push(() => send(response, first));
      case 'twice': {
        send(response, answerOnce());
        return;
      }
      default: {
        send(response, first);
        return;
      }
    }
  }

  const server = await serveOnLoopback(options.port, (request, response) => {
    serve(request, response).catch(() => request.socket.destroy());
  });
  const reseller: SandboxReseller = {
    ...{
      url: `http://${SANDBOX_HOST}:${server.port}`,
      key: SANDBOX_KEY,
      balance: 10_000,
      currency: 'AUD',
      prices,
    },
    ...{ names, created, customers, registrants, received },
    fail: (command, fault, times = 1) =>
      void faults.set(command, [
        ...(faults.get(command) ?? []),
        ...Array.from({ length: times }, () => fault),
      ]),
    registerForeign: (name) => void foreign.add(name),
    decide: (name, outcome) => {
      const pending = names.get(name);
      if (pending?.status !== AWAITING) return;
      if (outcome === 'done') names.set(name, { ...pending, status: REGISTERED });
      else names.delete(name);
    },
    sendLate: () => late.splice(0).forEach((sendNow) => sendNow()),
    close: () => server.close(),
  };
  return reseller;
}

function emptyRecords(): ResellerRecords {
  return { names: new Map(), customers: new Map(), registrants: new Map(), requestIds: new Set() };
}

/** @returns the refusal of a request that is not signed, or has an id that came before */
function deny({ headers }: IncomingMessage, known: Set<string>): Answer | null {
  const [id, signature] = [String(headers['api-request-id']), String(headers['api-signature'])];
  if (!/^[0-9a-f]{32}$/.test(id) || signature !== md5(`${id}${SANDBOX_KEY}`) || known.has(id))
    return problem(401);
  known.add(id);
  return null;
}

const done = (data: object): Answer => ({ status: 200, body: { status: true, data } });

function problem(status: number, errors?: object): Answer {
  return {
    status,
    body: {
      ...{ status: false, error_message: `refused (${status})` },
      ...(errors && { validation_errors: errors }),
    },
  };
}

function send(response: ServerResponse, { status, body }: Answer): void {
  if (!response.writable) return;
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}

async function readText(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > MAX_BODY_BYTES) throw new Error('too long');
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

const tldOf = (name: string) => name.slice(name.indexOf('.') + 1);
const timeOf = (at: Date) => at.toISOString().slice(0, 19).replace('T', ' ');

function monthsAfter(at: Date, months: number): Date {
  const after = new Date(at);
  after.setUTCMonth(after.getUTCMonth() + months);
  return after;
}

function md5(text: string): string {
  return createHash('md5').update(text).digest('hex');
}
