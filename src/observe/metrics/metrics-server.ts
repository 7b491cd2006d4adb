import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Config } from '../../config/config.js';
import { messageOf } from '../../validation/unknown-values.js';
import { ProgressWatch } from '../progress.js';
import { Metrics } from './metrics.js';

const REQUEST_TIMEOUT_MS = 10_000;
const MAX_CONNECTIONS = 20;

/**
 * A port for Prometheus and supervisors, which the world need not reach: open until the last request of the process is
 * answered.
 */
@Injectable()
export class MetricsServer implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(MetricsServer.name);
  private readonly server: Server;

  constructor(
    private readonly metrics: Metrics,
    private readonly config: Config,
    private readonly progress: ProgressWatch,
    /** Whether the process goes on without the port where another process has it. */
    private readonly isOptional: boolean,
  ) {
    this.server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS }, (request, response) => {
      this.answer(request, response).catch((error: unknown) => {
        this.logger.error(`Metrics were not written: ${messageOf(error)}`);
        response.writeHead(500).end();
      });
    });
    this.server.maxConnections = MAX_CONNECTIONS;
  }

  async onApplicationBootstrap(): Promise<void> {
    const { port } = this.config.metrics;
    this.server.listen(port, this.config.http.host);
    // Also when it cannot: once() throws what the server emits as an error.
    try {
      await once(this.server, 'listening');
    } catch (error) {
      const problem = `METRICS_PORT ${port} cannot be listened on (${messageOf(error)}).`;
      if (!this.isOptional) throw new Error(problem, { cause: error });
      this.logger.warn(`${problem} This process has no metrics.`);
      return;
    }
    this.logger.log({ msg: 'metrics are served', port: this.port });
  }

  async onApplicationShutdown(): Promise<void> {
    if (!this.server.listening) return;
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }

  /** Which the system chose where the configuration says 0. */
  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { token } = this.config.metrics;
    if (request.method === 'GET' && request.url === '/readyz') await this.answerReady(response);
    else if (request.method !== 'GET' || request.url !== '/metrics') response.writeHead(404).end();
    else if (token !== undefined && !this.metrics.admits(request.headers.authorization))
      response.writeHead(401, { 'WWW-Authenticate': 'Bearer' }).end();
    else {
      const text = await this.metrics.write();
      response
        .writeHead(200, { 'Content-Type': this.metrics.contentType, 'Cache-Control': 'no-store' })
        .end(text);
    }
  }

  /** Whether work moves; whether requests can be served is another question, which PORT answers. */
  private async answerReady(response: ServerResponse): Promise<void> {
    const stalled = await this.progress
      .findStalls()
      .catch((error: unknown) => [`Progress cannot be read: ${messageOf(error)}`]);
    const isReady = stalled.length === 0;
    response
      .writeHead(isReady ? 200 : 503, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' })
      .end(JSON.stringify(isReady ? { ok: true } : { ok: false, stalled }));
  }
}
