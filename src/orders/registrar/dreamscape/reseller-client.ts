import { createHash, randomUUID } from 'node:crypto';
import { exchange, textOf } from '../../../registry/exchange.js';
import { isObject } from '../../../validation/unknown-values.js';
import type { ExchangeEvidenceRepository } from '../exchange-evidence.repository.js';
import { type Outcome, refused } from '../port.js';
import { timeOfDatabase } from '../../../db/database-time.js';

export interface ResellerAccount {
  /** Of the registrar, in evidence. */
  readonly registrar: string;
  readonly url: string;
  readonly key: string;
  /** Of each exchange. */
  readonly timeoutMs: number;
}

export interface ResellerRequest {
  /** In the evidence. */
  readonly command: string;
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: object;
  /** Of the attempt or renewal, in the evidence. */
  readonly clTRID?: string;
  /** A question by which an order is settled: it goes before the others. */
  readonly settles?: boolean;
  /** Requests with the same text have the same id, which the registrar executes once. Left out: a new id. */
  readonly onceFor?: string;
}

/** An answer in the registrar's envelope. */
export interface ResellerAnswer {
  readonly data: unknown;
  readonly pages: number;
}

/** A page of a hundred names has about 100 kB. */
const MAX_BYTES = 1_000_000;
const MAX_TEXT = 500;
/** What waited longer is not begun: its order may have been settled by another instance meanwhile. */
const MAX_QUEUED_MS = 30_000;
const JSON_TYPE = /^application\/(?:json|vnd\.api\+json)\b/i;

interface Queued {
  readonly askedAt: number;
  readonly settles: boolean;
  begin(): Promise<unknown>;
  refuse(): void;
}

/** Dreamscape's reseller API: signed requests, one at a time for each process. */
export class ResellerClient {
  private queue: Queued[] = [];
  private running: Promise<void> | null = null;

  constructor(
    private readonly account: ResellerAccount,
    private readonly evidence: ExchangeEvidenceRepository,
    private readonly elapsed: () => number = () => performance.now(),
  ) {}

  /** Never throws for what the other side does. `unknown` after a request that may have been executed. */
  send(request: ResellerRequest): Promise<Outcome<ResellerAnswer>> {
    const { settles = false } = request;
    return new Promise((resolve, reject) => {
      this.queue.push({
        ...{ askedAt: this.elapsed(), settles },
        begin: () => this.exchange(request).then(resolve, reject),
        refuse: () => resolve(refused('away', 'queue', 'The requests before it took too long.')),
      });
      this.running ??= this.runQueue();
    });
  }

  private async runQueue(): Promise<void> {
    for (let next = this.takeNext(); next; next = this.takeNext()) await next.begin();
    this.running = null;
  }

  private takeNext(): Queued | undefined {
    const now = this.elapsed();
    const isLate = ({ askedAt }: Queued) => now - askedAt > MAX_QUEUED_MS;
    for (const late of this.queue.filter(isLate)) late.refuse();
    const waiting = this.queue.filter((one) => !isLate(one));
    const next = waiting.find(({ settles }) => settles) ?? waiting[0];
    this.queue = waiting.filter((one) => one !== next);
    return next;
  }

  /** Ends once the requests before it have. */
  async close(): Promise<void> {
    await this.running;
  }

  private async exchange(request: ResellerRequest): Promise<Outcome<ResellerAnswer>> {
    const { command, method, path, query = {}, body, clTRID = null, onceFor = randomUUID() } = request;
    const { registrar, url, key, timeoutMs } = this.account;
    const address = new URL(`${url.replace(/\/$/, '')}${path}`);
    address.search = new URLSearchParams(query).toString();
    const id = md5(onceFor);
    const text = body && JSON.stringify(body);
    const sentAt = timeOfDatabase();
    const from = performance.now();
    const answer = await exchange(address, {
      method,
      ...(text !== undefined && { body: text }),
      headers: {
        ...{ Accept: 'application/json', 'User-Agent': 'bowerbird' },
        ...{ 'Api-Request-Id': id, 'Api-Signature': md5(`${id}${key}`) },
        ...(text !== undefined && {
          'Content-Type': 'application/json',
          'Content-Length': String(Buffer.byteLength(text)),
        }),
      },
      ...{ limitMs: timeoutMs, maxBytes: () => MAX_BYTES },
    });
    const read = answer.received && answer.body ? textOf(answer.body) : null;
    await this.evidence.record({
      ...{ registrar, clTRID, command, sentAt, tookMs: performance.now() - from },
      request: `${method} ${path}${address.search}${text === undefined ? '' : `\n${redactJson(text)}`}`,
      reply: read === null ? null : redactJson(read),
      result: answer.received ? String(answer.status) : answer.reason,
    });
    if (!answer.received) {
      const why = `${answer.reason}: ${answer.detail}`;
      return answer.wasSent ? { is: 'unknown', why } : refused('away', answer.reason, answer.detail);
    }
    const isJson = JSON_TYPE.test(answer.header('content-type') ?? '');
    return outcomeOf(answer.status, isJson && read !== null ? parsed(read) : null);
  }
}

/** What a status and a body come to; null: the body is not the registrar's JSON. */
function outcomeOf(status: number, body: unknown): Outcome<ResellerAnswer> {
  const code = String(status);
  const isOurs = isObject(body);
  if (status >= 200 && status < 300) {
    if (!isOurs || body.status === false || !('data' in body || body.status === true))
      return { is: 'unknown', why: `${status}, and not an answer of this API` };
    const { pagination } = body;
    const pages = isObject(pagination) ? Number(pagination.total_pages) : 1;
    return { is: 'done', value: { data: body.data, pages: Number.isSafeInteger(pages) ? pages : 1 } };
  }
  const text = isOurs ? problemIn(body) : '';
  switch (status) {
    case 429:
      return refused('busy', code, text || 'Too many requests.');
    case 401:
    case 403:
      return refused('credentials', code, text || 'The key or its signature was refused.');
    case 402:
      return refused('funds', code, text || 'The balance is short.');
    case 400:
    case 404:
    case 422:
      // What no part of the API has said is no refusal.
      if (!isOurs) return { is: 'unknown', why: `${status}, and not an answer of this API` };
      return refused(/eligib|business_|domain_name/i.test(text) ? 'policy' : 'command', code, text);
    default:
      return { is: 'unknown', why: `status ${status}` };
  }
}

function problemIn({ error_message: message, validation_errors: errors }: Record<string, unknown>): string {
  const parts = [
    ...(typeof message === 'string' ? [message] : []),
    ...(isObject(errors) || Array.isArray(errors) ? [JSON.stringify(errors)] : []),
  ];
  return parts.join(': ').slice(0, MAX_TEXT);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

// The registrar's own scheme of signing.
function md5(text: string): string {
  return createHash('md5').update(text).digest('hex');
}

/** Members whose values are secrets or personal: evidence keeps ids, numbers, days, names and states. */
const REDACTED = [
  ...['password', 'auth_key', 'username', 'first_name', 'last_name', 'business_name', 'trading_name'],
  ...['address', 'city', 'state', 'post_code', 'phone', 'mobile', 'email'],
];

/** The JSON of a body without passwords and personal details; of any other text only how long it was. */
export function redactJson(text: string): string {
  try {
    return JSON.stringify(redacted(JSON.parse(text)));
  } catch {
    return `not JSON, ${text.length} characters`;
  }
}

function redacted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(redacted);
  if (!isObject(value)) return value;
  // Details of eligibility are pairs of a name and a value.
  const isPair = typeof value.name === 'string' && REDACTED.includes(value.name);
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      REDACTED.includes(key) || (isPair && key === 'value') ? '…' : redacted(inner),
    ]),
  );
}
