import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable, Logger } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { Config } from '../config/config.js';
import { VERSION } from '../config/product.js';
import { ERROR_CODES, type ErrorCode } from '../errors/error-codes.js';
import { idOf } from '../errors/incoming.middleware.js';
import { type CounterFactory, type Reading, ReadingSource } from '../observe/readings.js';
import { addressBehindProxies, type Caller, Identifier, trustOf } from './caller.js';
import { Gate, type Line, MAX_WAIT_MS } from './gate.js';
import { awaitsBody, HeldBodies } from './held-bodies.js';

const REPORT_MS = 10_000;
/** How often requests that wait are looked at, where nothing in work ends. */
const LOOK_MS = 100;

const GAUGES = {
  requests_in_work: { help: 'Requests that this process works on.' },
  requests_waiting: { help: 'Requests that wait for their turn, by line.', label: 'line' },
} as const;

interface Waiting {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly run: () => void;
}

type Sender = Pick<Caller, 'id' | 'key'>;

/**
 * Decides at the door, before any work, whether a request is taken in: so many are in work at once, others wait a
 * moment, and where the wait would be long they are refused. Paying callers go first. What waits for the registry
 * or for its reader is not in work.
 */
@Injectable()
export class Admission extends ReadingSource<keyof typeof GAUGES> {
  readonly group = 'admission';
  readonly gauges = GAUGES;
  /** The clock of waits; tests assign another one. */
  nowMs: () => number = () => performance.now();
  private readonly logger = new Logger(Admission.name);
  private readonly gate: Gate<Waiting>;
  private readonly refuses: boolean;
  private readonly refusal: Refusal;
  private reportedMs = -Infinity;
  private unreported = 0;
  private counted: { inc(labels: { line: Line }): void } | null = null;
  private readonly bodies = new HeldBodies();
  private looking: NodeJS.Timeout | undefined;
  private onRefusal: (address: string, caller: Sender) => void = () => undefined;

  constructor(
    { admission, http }: Config,
    private readonly identifier: Identifier,
    private readonly host: HttpAdapterHost,
  ) {
    super();
    this.gate = new Gate(admission.limit, () => this.nowMs());
    this.refuses = admission.mode === 'on';
    this.refusal = new Refusal('overloaded', http.corsOrigins.includes('*'));
  }

  /** Calls back at each refusal. @param onRefusal takes the address of the request, and who sent it */
  countWith(onRefusal: (address: string, caller: Sender) => void): void {
    this.onRefusal = onRefusal;
  }

  async read(): Promise<Reading<keyof typeof GAUGES>[]> {
    const { inWork, lines } = this.gate;
    const { paid, free } = lines;
    return [
      { gauge: 'requests_in_work', value: inWork },
      { gauge: 'requests_waiting', value: paid.size, label: 'paid' },
      { gauge: 'requests_waiting', value: free.size, label: 'free' },
    ];
  }

  override count({ counter }: CounterFactory): () => void {
    this.counted = counter({
      name: 'bowerbird_requests_refused_total',
      help: 'Requests refused with 503 overloaded; with ADMISSION=observe those that would have been.',
      labelNames: ['line'],
    });
    return () => (this.counted = null);
  }

  /**
   * Lets the request in now or when it is its turn, or refuses it. For Node's `request` event.
   *
   * @param run begins the request
   */
  readonly admit = (request: IncomingMessage, response: ServerResponse, run: () => void): void => {
    const waiting = { request, response, run };
    if (PASSES.test(request.url ?? '')) run();
    else if (awaitsBody(request)) this.await(waiting);
    else this.decide(waiting);
  };

  /** A body is not in work until it has arrived, and is admitted or refused then as others are. */
  private await(waiting: Waiting): void {
    const { request, response } = waiting;
    const sender = this.recall(request);
    const decide = () => this.decide(waiting);
    this.bodies.hold(request, response, sender.id, decide, () => {
      if (this.refuses) this.refuse(sender, waiting, 0);
      else {
        this.note(sender.kind);
        decide();
      }
    });
  }

  private decide(waiting: Waiting): void {
    const { hasRoom } = this.gate;
    if (!hasRoom && this.refuses) this.queue(waiting);
    else {
      if (!hasRoom) this.observe(waiting.request);
      this.work(waiting);
    }
  }

  private queue(waiting: Waiting): void {
    const sender = this.recall(waiting.request);
    const { id, kind } = sender;
    const comeAgainMs = this.gate.refuse(kind, id);
    if (comeAgainMs === null) {
      this.gate.wait(kind, id, waiting);
      this.lookLater();
    } else
      this.refuse(
        sender,
        waiting,
        comeAgainMs,
        this.gate.leastFreeWaitMs > MAX_WAIT_MS.free ? FULL : undefined,
      );
  }

  /** Without refusing, those beyond the limit are in work as well. */
  private observe(request: IncomingMessage): void {
    const { kind } = this.recall(request);
    if (this.gate.observedWaitMs > MAX_WAIT_MS[kind]) this.note(kind);
  }

  private recall(request: IncomingMessage): Sender & { readonly kind: Line } {
    const address = addressBehindProxies(request, trustOf(this.host));
    const { id, key, tier } = this.identifier.recall(request, address);
    return { id, ...(key && { key }), kind: tier.isPaid ? 'paid' : 'free' };
  }

  private refuse(
    sender: Sender & { readonly kind: Line },
    { request, response }: Waiting,
    expectedMs: number,
    headers?: readonly string[],
  ): void {
    this.note(sender.kind);
    this.onRefusal(request.url ?? '', sender);
    this.refusal.send(request, response, { retryAfterSeconds: retryAfterSeconds(expectedMs), headers });
  }

  private work({ request, response, run }: Waiting): void {
    if (response.closed) return;
    if (this.refuses && this.gate.leastFreeWaitMs > EARLY_MS) response.setHeader(...FULL);
    const endWork = this.gate.begin();
    let isOver = false;
    const over = () => {
      if (isOver) return;
      isOver = true;
      endWork();
      this.serve();
    };
    response.endWork = over;
    const end = response.end.bind(response) as (...answer: unknown[]) => ServerResponse;
    // The rest is the reader's time: one that reads nothing would keep every place with one connection.
    response.end = (...answer: unknown[]) => {
      process.nextTick(over);
      return end(...answer);
    };
    response.once('pipe', over);
    response.once('close', () => {
      // The caller got a Retry-After. While there is no room, its next request is refused at the door, before any work.
      if (TOLD_TO_WAIT.has(response.statusCode)) this.gate.pause(this.recall(request).id);
      over();
    });
    run();
  }

  private serve(): void {
    for (const late of this.gate.takeLate())
      if (!late.response.closed) this.refuse(this.recall(late.request), late, 0);
    for (let next = this.gate.next(); next; next = this.gate.next())
      // Callers who have hung up meanwhile are passed over.
      if (!next.response.closed) this.work(next);
  }

  /** While the database is frozen, nothing in work ends. */
  private lookLater(): void {
    this.looking ??= setTimeout(() => {
      this.looking = undefined;
      this.serve();
      const { paid, free } = this.gate.lines;
      if (paid.size + free.size > 0) this.lookLater();
    }, LOOK_MS).unref();
  }

  private note(line: Line): void {
    this.counted?.inc({ line });
    this.unreported += 1;
    const nowMs = performance.now();
    if (nowMs - this.reportedMs < REPORT_MS) return;
    const count = this.unreported;
    this.unreported = 0;
    this.reportedMs = nowMs;
    const what = this.refuses ? 'refused' : 'would have been refused (ADMISSION=observe)';
    this.logger.warn({
      msg: `Overloaded: ${count} requests ${what} since the last report`,
      in_work: this.gate.inWork,
      waiting_paid: this.gate.lines.paid.size,
      waiting_free: this.gate.lines.free.size,
      mean_ms: Math.round(this.gate.meanWorkMs),
    });
  }
}

/** Probes, metrics and operators, who must see an overloaded service. */
export const PASSES = /^\/(?:(?:livez|readyz|metrics)\/?(?:\?|$)|ops(?:[/?]|$))/i;

/**
 * Says that any request without a key would be refused just now: a balancer in front then refuses most of them itself
 * (deploy/haproxy.cfg) and removes the header. Callers who see it learn no more than by trying again.
 */
const FULL = ['X-Overloaded', 'free'] as const;
/** Answers say it earlier: until the balancer has read one, it lets further requests in. */
const EARLY_MS = MAX_WAIT_MS.free / 2;

const TOLD_TO_WAIT = new Set([429, 503]);

const ID = '{id}';

/** Upper limit of `Retry-After`; a full line has no expected wait. */
const MAX_RETRY_SECONDS = 5;

function retryAfterSeconds(expectedMs: number): number {
  return Math.min(MAX_RETRY_SECONDS, Math.max(1, Math.ceil(expectedMs / 1000)));
}

/** The answer to a request that is refused before any middleware; its parts are made once. */
export class Refusal {
  private readonly cors: readonly string[];
  private readonly status: number;
  private readonly text: readonly [before: string, after: string];

  /** @param isOpen whether pages of any origin may read it */
  constructor(
    private readonly code: ErrorCode,
    isOpen: boolean,
  ) {
    this.cors = isOpen ? ['Access-Control-Allow-Origin', '*'] : [];
    this.status = ERROR_CODES[code].status;
    this.text = this.around(ERROR_CODES[code].meaning);
  }

  /** @param message instead of the meaning of the code */
  send(
    request: IncomingMessage,
    response: ServerResponse,
    {
      message,
      retryAfterSeconds,
      headers = [],
    }: {
      readonly message?: string;
      readonly retryAfterSeconds?: number;
      /** Names and values in turn. */
      readonly headers?: readonly string[] | undefined;
    },
  ): void {
    const id = idOf(request);
    const [before, after] = message === undefined ? this.text : this.around(message);
    const text = before + id + after;
    response.writeHead(this.status, [
      ...[
        'Content-Type',
        'application/json; charset=utf-8',
        'Content-Length',
        String(Buffer.byteLength(text)),
      ],
      ...(retryAfterSeconds === undefined ? [] : ['Retry-After', String(retryAfterSeconds)]),
      ...['Cache-Control', 'no-store', 'X-Request-Id', id, 'API-Version', VERSION],
      ...this.cors,
      ...headers,
    ]);
    response.end(text);
  }

  private around(message: string): readonly [string, string] {
    const body = JSON.stringify({ error: { code: this.code, message, request_id: ID } });
    const [before = '', after = ''] = body.split(ID);
    return [before, after];
  }
}
