import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable, Logger } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { Express, Request } from 'express';
import { Config } from '../config/config.js';
import { VERSION } from '../config/product.js';
import { ERROR_CODES } from '../errors/error-codes.js';
import { idOf } from '../errors/incoming.middleware.js';
import { type CounterFactory, type Reading, ReadingSource } from '../observe/readings.js';
import { Identifier } from './caller.js';

/** The longest that a request is expected to wait for its turn, in milliseconds; beyond that it is refused. */
const MAX_WAIT_MS = { free: 250, paid: 500 };
/** Of all callers together; a waiting request takes some 10 kB. */
const MAX_WAITING = 2_000;
/** Fewer requests are in work than the limit where they would take longer than this, in milliseconds. */
const TARGET_MS = 300;
/** But not fewer than this: one slow kind of request should not keep out all others. */
const MIN_LIMIT = 16;
/** Weight of the latest request in the means. */
const MEAN_WEIGHT = 1 / 32;
const REPORT_MS = 10_000;

type Line = keyof typeof MAX_WAIT_MS;

const GAUGES = {
  requests_in_work: { help: 'Requests that this process works on.' },
  requests_waiting: { help: 'Requests that wait for their turn, by line.', label: 'line' },
} as const;

interface Waiting {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly run: () => void;
}

/** Requests that wait for a turn: those of each caller in their order, and one of each caller in turn. */
export class FairLine {
  private readonly byCaller = new Map<string, Waiting[]>();
  private count = 0;

  get size(): number {
    return this.count;
  }

  get callers(): number {
    return this.byCaller.size;
  }

  /** How many are served before the next request of this caller. */
  aheadOf(caller: string): number {
    const own = this.byCaller.get(caller)?.length ?? 0;
    return Math.min(this.count, (own + 1) * this.byCaller.size);
  }

  add(caller: string, waiting: Waiting): void {
    const own = this.byCaller.get(caller);
    if (own) own.push(waiting);
    else this.byCaller.set(caller, [waiting]);
    this.count += 1;
  }

  next(): Waiting | undefined {
    const [first] = this.byCaller;
    if (!first) return undefined;
    const [caller, own] = first;
    const waiting = own.shift();
    this.byCaller.delete(caller);
    if (own.length > 0) this.byCaller.set(caller, own);
    this.count -= 1;
    return waiting;
  }
}

/**
 * Decides at the door, before any work, whether a request is taken in: so many are in work at once, others wait a
 * moment, and where the wait would be long they are refused. Paying callers go first. What waits for the registry
 * or for its reader is not in work.
 */
@Injectable()
export class Admission extends ReadingSource<keyof typeof GAUGES> {
  readonly group = 'admission';
  readonly gauges = GAUGES;
  private readonly logger = new Logger(Admission.name);
  private readonly lines = { paid: new FairLine(), free: new FairLine() };
  private readonly mostInWork: number;
  private readonly refuses: boolean;
  private readonly refusal: Refusal;
  private inWork = 0;
  /** Mean time of a request in work, and of how many there were meanwhile. */
  private meanMs = 1;
  private meanInWork = 1;
  private reportedMs = -Infinity;
  private unreported = 0;
  private counted: { inc(labels: { line: Line }): void } | null = null;
  private onRefusal: (address: string) => void = () => undefined;

  constructor(
    { admission, http }: Config,
    private readonly identifier: Identifier,
    private readonly host: HttpAdapterHost,
  ) {
    super();
    this.mostInWork = admission.limit;
    this.refuses = admission.mode === 'on';
    this.refusal = new Refusal(http.corsOrigins.includes('*'));
  }

  /** Calls back at each refusal; for the counts of service levels. */
  countWith(onRefusal: (address: string) => void): void {
    this.onRefusal = onRefusal;
  }

  async read(): Promise<Reading<keyof typeof GAUGES>[]> {
    const { paid, free } = this.lines;
    return [
      { gauge: 'requests_in_work', value: this.inWork },
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
   * @param enter calls `run` when the request may begin; not called when it is refused
   */
  readonly admit = (
    request: IncomingMessage,
    response: ServerResponse,
    enter: (next: () => void) => void,
    run: () => void,
  ): void => {
    const waiting = { request, response, run };
    const hasRoom = this.inWork < this.limit;
    if (PASSES.test(request.url ?? '')) enter(run);
    else if (!hasRoom && this.refuses) this.queue(waiting, enter);
    else {
      if (!hasRoom) this.observe(request);
      enter(() => this.work(waiting));
    }
  };

  private queue(waiting: Waiting, enter: (next: () => void) => void): void {
    const { request } = waiting;
    const { paid, free } = this.lines;
    const isFull = paid.size + free.size >= MAX_WAITING;
    // Too long a wait for any free caller: no need to look at the key.
    const leastMs = this.waitBehind(paid.size + free.callers);
    const isKeyless = request.headers.authorization === undefined;
    if (isFull || (isKeyless && leastMs > MAX_WAIT_MS.free)) {
      this.refuse('free', waiting, leastMs);
      return;
    }
    const { id, kind } = this.recall(request);
    const expectedMs = this.waitBehind(this.lines[kind].aheadOf(id) + (kind === 'free' ? paid.size : 0));
    if (expectedMs > MAX_WAIT_MS[kind]) this.refuse(kind, waiting, expectedMs);
    else enter(() => this.lines[kind].add(id, waiting));
  }

  /** Without refusing, those beyond the limit are in work as well. */
  private observe(request: IncomingMessage): void {
    const { kind } = this.recall(request);
    if (this.waitBehind(this.inWork - this.limit) > MAX_WAIT_MS[kind]) this.note(kind);
  }

  private recall(request: IncomingMessage): { id: string; kind: Line } {
    // As Express does it first; the address behind proxies is one of its properties.
    const express = this.host.httpAdapter.getInstance<Express>();
    const { id, tier } = this.identifier.recall(Object.setPrototypeOf(request, express.request) as Request);
    return { id, kind: tier.isPaid ? 'paid' : 'free' };
  }

  private refuse(kind: Line, { request, response }: Waiting, expectedMs: number): void {
    this.note(kind);
    this.onRefusal(request.url ?? '');
    this.refusal.send(request, response, expectedMs);
  }

  private get limit(): number {
    const fast = (this.meanInWork * TARGET_MS) / this.meanMs;
    return Math.min(this.mostInWork, Math.max(MIN_LIMIT, fast));
  }

  /** By Little's law. */
  private waitBehind(ahead: number): number {
    return ((ahead + 1) * this.meanMs) / this.meanInWork;
  }

  /** A body is not in work until it has arrived: callers who send it slowly must not keep others out. */
  private work({ request, response, run }: Waiting): void {
    const { headers, complete: isComplete } = request;
    if (!isComplete && ('content-length' in headers || 'transfer-encoding' in headers)) {
      response.beginWork = () => this.begin(response);
      request.once('end', () => response.beginWork?.());
    } else this.begin(response);
    run();
  }

  private begin(response: ServerResponse): void {
    delete response.beginWork;
    if (response.closed) return;
    this.inWork += 1;
    const startMs = performance.now();
    let isOver = false;
    const over = () => {
      if (isOver) return;
      isOver = true;
      this.meanInWork += (this.inWork - this.meanInWork) * MEAN_WEIGHT;
      this.inWork -= 1;
      this.meanMs += (performance.now() - startMs - this.meanMs) * MEAN_WEIGHT;
      this.serve();
    };
    response.endWork = over;
    response.once('close', over);
  }

  private serve(): void {
    const { paid, free } = this.lines;
    while (this.inWork < this.limit) {
      const next = paid.next() ?? free.next();
      if (!next) return;
      // Callers who have hung up meanwhile are passed over.
      if (!next.response.closed) this.work(next);
    }
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
      in_work: this.inWork,
      waiting_paid: this.lines.paid.size,
      waiting_free: this.lines.free.size,
      mean_ms: Math.round(this.meanMs),
    });
  }
}

/** Probes, metrics and operators, who must see an overloaded service. */
const PASSES = /^\/(?:livez|readyz|metrics|ops)(?:[/?]|$)/i;

const { meaning, status } = ERROR_CODES.overloaded;
const ID = '{id}';
const [BEFORE_ID = '', AFTER_ID = ''] = JSON.stringify({
  error: { code: 'overloaded', message: meaning, request_id: ID },
}).split(ID);

/** The answer to a refused request, made once: only the id and the time differ. */
class Refusal {
  private readonly cors: readonly string[];

  /** @param isOpen whether pages of any origin may read it */
  constructor(isOpen: boolean) {
    this.cors = isOpen ? ['Access-Control-Allow-Origin', '*'] : [];
  }

  send(request: IncomingMessage, response: ServerResponse, expectedMs: number): void {
    const id = idOf(request);
    const text = BEFORE_ID + id + AFTER_ID;
    response.writeHead(status, [
      ...['Content-Type', 'application/json; charset=utf-8', 'Content-Length', String(text.length)],
      ...['Retry-After', String(Math.max(1, Math.ceil(expectedMs / 1000))), 'Cache-Control', 'no-store'],
      ...['X-Request-Id', id, 'API-Version', VERSION],
      ...this.cors,
    ]);
    response.end(text);
  }
}
