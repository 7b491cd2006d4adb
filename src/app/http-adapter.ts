import { StreamableFile } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import type { Express, Request, Response } from 'express';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Server as NetServer, Socket } from 'node:net';
import { openFurtherHandles } from './accepting.js';
import { UnreadAnswers } from './unread-answers.js';
import { sendAnswer } from './answer.js';
import { answerOptions, methodsOfAddress } from '../errors/api-error.filter.js';
import { answerClientError, answerConnect, answerUnrouted } from '../errors/client-error.js';
import type { ConnectionShares } from '../access/network-shares.js';
import { isMetered, meteredHeaders } from '../access/rate.dto.js';

/** How long slow clients may take, and how many there may be. */
export interface HttpLimits {
  /** For a whole request, headers and body. */
  readonly requestMs: number;
  /** Of a connection on which nothing moves while an answer is under way: its caller reads nothing. */
  readonly silentMs: number;
  /** How often what takes too long is looked for. */
  readonly lookEveryMs: number;
  /** Connections beyond so many are closed at once: each takes some 50 kB, and a file handle. */
  readonly maxConnections: number;
  /** Of each address; networks have four and sixteen times as many. */
  readonly perAddress?: number;
  /** Programs of this machine, such as a proxy, are not limited. */
  readonly exceptsLoopback?: boolean;
  /** Bytes of answers that their readers have not taken, of all connections. */
  readonly maxUnreadBytes?: number;
}

/** A body has 16 kB at most: who sends less than that in ten seconds keeps a connection and means nothing by it. */
export const HTTP_LIMITS: HttpLimits = {
  requestMs: 10_000,
  // Longer than any work of a caller's request; what operators start takes longer in the background only.
  silentMs: 120_000,
  lookEveryMs: 1_000,
  maxConnections: 4_096,
};
// Longer than the idle time-out of the usual balancers (60 s), so that they and not we end idle connections.
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
/** Of an answer: each part that it runs through waits for its end. Node warns of more than ten as of a leak. */
const MAX_LISTENERS = 20;

type Entrance = (request: IncomingMessage, response: ServerResponse, route: () => void) => void;
type Handler = Parameters<ExpressAdapter['get']>[1];
const PASS: Handler = (_request, _response, next) => {
  next?.();
};

/**
 * Nest's adapter to Express with six changes: time limits for slow clients; many connections accepted a turn; the error
 * body also where Node or Express answer by themselves; a wrong method is distinguished from a wrong address; a page of a
 * list links to the next one; the value that a controller returns is sent without Express' own inspection.
 */
export class HttpAdapter extends ExpressAdapter {
  /** @param baseUrl the public address, for links */
  constructor(
    private readonly baseUrl: string,
    private readonly limits: HttpLimits = HTTP_LIMITS,
  ) {
    super();
    this.unread = new UnreadAnswers(limits.maxUnreadBytes);
  }

  private readonly unread: UnreadAnswers;
  private readonly arrivals: ((socket: Socket) => void)[] = [];
  private shares: ConnectionShares | undefined;
  /** By path as it was registered, the methods that it takes. */
  private readonly methods = new Map<string, Set<string>>();

  override initHttpServer(): void {
    const server = this.createServer(this.limits);
    server.on('connection', (socket: Socket) => {
      this.connections += 1;
      socket.once('close', () => (this.connections -= 1));
    });
    this.setHttpServer(server);
  }

  /** A server for another port, with the same handlers and limits but these. */
  createServer({ requestMs, maxConnections }: Pick<HttpLimits, 'requestMs' | 'maxConnections'>): Server {
    const express = this.getInstance<Express>();
    const server = createServer(
      {
        requestTimeout: requestMs,
        headersTimeout: this.limits.requestMs,
        connectionsCheckingInterval: this.limits.lookEveryMs,
        keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
        // refuseUnreadable does the same, with a body.
        requireHostHeader: false,
      },
      (request, response) => {
        response.setMaxListeners(MAX_LISTENERS);
        this.shares?.begin(request.socket);
        response.once('close', () => this.shares?.end(request.socket));
        this.enter(request, response, () => {
          this.unread.watch(response);
          // Express skips the routes when the target is not an address, and uses the last argument as the way out.
          void express(request as Request, response as Response, () => answerUnrouted(request, response));
        });
      },
    );
    server.maxConnections = maxConnections;
    server.timeout = this.limits.silentMs;
    server.on('connection', (socket: Socket) => {
      for (const take of this.arrivals) take(socket);
    });
    server.on('clientError', answerClientError).on('connect', answerConnect);
    server.on('checkExpectation', (request, response) => server.emit('request', request, response));
    return server;
  }

  /** Calls back for every connection to any port. */
  onConnection(take: (socket: Socket) => void): void {
    this.arrivals.push(take);
  }

  /**
   * Node's own backlog of 511 overflows while a busy process does something else: the kernel drops what connects then,
   * and callers and balancers try again after one, three and seven seconds.
   */
  override listen(port: string | number, ...rest: (string | (() => void) | undefined)[]): Server {
    const host = rest.find((argument) => typeof argument === 'string');
    const onListening = rest.find((argument) => typeof argument === 'function');
    const where = { port: Number(port), ...(host !== undefined && { host }) };
    const backlog = HTTP_LIMITS.maxConnections;
    return (this.getHttpServer() as Server).listen({ ...where, backlog }, onListening);
  }

  private enter: Entrance = (_request, _response, route) => route();

  /** Sends every request through here before Express sees it. */
  enterThrough(enter: Entrance): void {
    this.enter = enter;
  }

  /** Closes connections beyond the share of their network, idle ones first. */
  admitThrough(shares: ConnectionShares): void {
    this.onConnection((socket) => {
      if (!shares.admit(socket)) socket.destroy();
    });
    this.shares = shares;
  }

  override get(path: unknown, handler: Handler = PASS): unknown {
    return super.get(this.noted('GET', path), handler);
  }

  override post(path: unknown, handler: Handler = PASS): unknown {
    return super.post(this.noted('POST', path), handler);
  }

  override put(path: unknown, handler: Handler = PASS): unknown {
    return super.put(this.noted('PUT', path), handler);
  }

  override patch(path: unknown, handler: Handler = PASS): unknown {
    return super.patch(this.noted('PATCH', path), handler);
  }

  override delete(path: unknown, handler: Handler = PASS): unknown {
    return super.delete(this.noted('DELETE', path), handler);
  }

  private connections = 0;
  private further: NetServer[] = [];

  /** Accepts several connections in a turn of the event loop; see {@link openFurtherHandles}. */
  async acceptFaster(): Promise<void> {
    const server = this.getHttpServer() as Server;
    const { maxConnections } = this.limits;
    let others = 0;
    this.further = await openFurtherHandles(server, (socket) => {
      if (this.connections >= maxConnections) {
        socket.destroy();
        return;
      }
      const count = (by: 1 | -1) => {
        others += by;
        // Of its own; 0 would be no limit.
        server.maxConnections = Math.max(1, maxConnections - others);
      };
      count(1);
      socket.once('close', () => count(-1));
      server.emit('connection', socket);
    });
  }

  private closed: Promise<void> | undefined;

  /** Stops listening. @returns when the last connection has ended; the drain asks for it before Nest does */
  override close(): Promise<void> {
    const further = this.further.map(
      (server) => new Promise<void>((resolve) => server.close(() => resolve())),
    );
    this.closed ??= Promise.all([super.close(), ...further]).then(() => undefined);
    return this.closed;
  }

  /**
   * Called by Nest with the return value of a controller. An answer that contains the budget repeats it in its
   * headers.
   */
  override reply(response: Response, body: unknown, status?: number): unknown {
    if (!isAnswer(body)) return super.reply(response, body, status);
    if (status !== undefined) response.status(status);
    if (isMetered(body))
      for (const [name, value] of Object.entries(meteredHeaders(response.req, body)))
        response.setHeader(name, value);
    const cursor = cursorOf(body);
    if (cursor !== null && response.req.method === 'GET')
      response.append('Link', `<${this.baseUrl}${response.req.path}?cursor=${cursor}>; rel="next"`);
    sendAnswer(response, body);
    return response;
  }

  /** Called by Nest after every route: a request that comes this far has matched none. */
  override setNotFoundHandler(...handler: Parameters<ExpressAdapter['setNotFoundHandler']>): unknown {
    // By a route: Express' own `all` makes a layer for each of 35 methods, a tenth of the time of a start.
    for (const [path, methods] of this.methods)
      this.getInstance<Express>().route(path).all(methodsOfAddress(methods));
    this.getInstance<Express>().use(answerOptions);
    return super.setNotFoundHandler(...handler);
  }

  private noted(method: string, path: unknown): unknown {
    if (typeof path !== 'string') return path;
    const methods = this.methods.get(path);
    if (methods) methods.add(method);
    else this.methods.set(path, new Set([method]));
    return path;
  }
}

/** Where a list goes on, by its cursor alone; null at its end, which of the feed is not for ever. */
function cursorOf(body: object | string): string | null {
  if (typeof body === 'string' || !('has_more' in body) || body.has_more !== true) return null;
  return 'next_cursor' in body && typeof body.next_cursor === 'string' ? body.next_cursor : null;
}

function isAnswer(body: unknown): body is object | string {
  if (typeof body === 'string') return true;
  return (
    typeof body === 'object' && body !== null && !(body instanceof StreamableFile || body instanceof Error)
  );
}
