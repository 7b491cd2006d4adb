import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { NextFunction, Request, Response } from 'express';
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Config } from '../config/config.js';
import type { HttpAdapter } from './http-adapter.js';
import { nothingAt } from '../errors/api-error.filter.js';

/**
 * A list of 64 MB at one megabit a second takes nine minutes; on the main port it has the time of any other
 * request.
 */
const REQUEST_TIMEOUT_MS = 600_000;
/** Of their own, so that callers at the main port cannot take the operators'. */
const MAX_CONNECTIONS = 256;
const OPERATORS = /^\/ops(\/|$)/i;
/** What pages load. */
const ASSETS = /^\/assets\//i;

/** Keeps /ops on a port of its own, where OPS_PORT names one: there and nowhere else, and nothing else there. */
@Injectable()
export class OperatorsPort implements BeforeApplicationShutdown {
  private server: Server | undefined;
  /** Where operators are answered; 0 before it is known, null where that is the main port. */
  private port: number | null;

  constructor(
    private readonly adapterHost: HttpAdapterHost<HttpAdapter>,
    private readonly config: Config,
  ) {
    const { keys, port } = config.operators;
    this.port = keys.length > 0 && port !== undefined ? 0 : null;
  }

  /** The port; null where there is none of its own. */
  get listensAt(): number | null {
    return this.port;
  }

  /** A middleware before all that answers. */
  readonly admit = (request: Request, _response: Response, next: NextFunction): void => {
    const isHere = request.socket.localPort === this.port;
    if (this.port === null || OPERATORS.test(request.path) === isHere || ASSETS.test(request.path)) next();
    else next(nothingAt(request.path));
  };

  /** @throws what keeps it from listening */
  async listen(): Promise<void> {
    if (this.port === null) return;
    // admit rejects the paths that do not belong here.
    const server = this.adapterHost.httpAdapter.createServer({
      requestMs: REQUEST_TIMEOUT_MS,
      maxConnections: MAX_CONNECTIONS,
    });
    server.listen(this.config.operators.port, this.config.operators.host);
    await once(server, 'listening');
    this.server = server;
    this.port = (server.address() as AddressInfo).port;
  }

  async beforeApplicationShutdown(): Promise<void> {
    const { server } = this;
    if (!server) return;
    const closed = once(server, 'close');
    server.close();
    server.closeIdleConnections();
    const grace = setTimeout(() => server.closeAllConnections(), this.config.http.shutdownGraceMs);
    await closed;
    clearTimeout(grace);
  }
}
