import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type DynamicModule,
  Injectable,
  Module,
  Logger,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { Config } from '../config/config.js';
import { Database } from '../db/database.js';
import { ReadDatabase } from '../db/replicas/read-database.js';
import { ProgressWatch, type Reading, ReadingSource } from './readings.js';
import { Metrics } from './metrics.js';
import { messageOf } from '../validation/unknown-values.js';

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

const GAUGES = {
  database_connections_lent: { help: 'Connections that this process uses now.', label: 'pool' },
  database_connections_wanted: { help: 'Work of this process that waits for a connection.', label: 'pool' },
} as const;

@Injectable()
class PoolReadings extends ReadingSource<keyof typeof GAUGES> {
  readonly group = 'pools';
  readonly gauges = GAUGES;

  constructor(
    private readonly database: Database,
    private readonly reads: ReadDatabase,
  ) {
    super();
  }

  read(): Promise<Reading<keyof typeof GAUGES>[]> {
    const pools = { main: this.database.use, search: this.reads.searchUse };
    return Promise.resolve(
      Object.entries(pools).flatMap(([label, { lent, wanted }]) => [
        { gauge: 'database_connections_lent', label, value: lent },
        { gauge: 'database_connections_wanted', label, value: wanted },
      ]),
    );
  }
}

/** For Prometheus; loaded only where METRICS_PORT or METRICS_TOKEN is set. */
@Module({})
export class MetricsModule {
  /** @param isWorker a worker has worked without METRICS_PORT, which a service beside it may use */
  static with({ metrics }: Config, { isWorker = false } = {}): DynamicModule {
    const server = {
      provide: MetricsServer,
      inject: [Metrics, Config, ProgressWatch],
      useFactory: (text: Metrics, config: Config, progress: ProgressWatch) =>
        new MetricsServer(text, config, progress, isWorker),
    };
    return {
      module: MetricsModule,
      imports: [DiscoveryModule],
      providers: [PoolReadings, Metrics, ...(metrics.port === undefined ? [] : [server])],
      exports: [Metrics],
    };
  }
}
