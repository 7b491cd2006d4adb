import {
  BeforeApplicationShutdown,
  Injectable,
  OnApplicationBootstrap,
  OnApplicationShutdown,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Config } from './config/config.js';

/**
 * Lets requests under way finish when the service is told to stop. Nest closes the listening socket and then waits for
 * every connection: one that has its answer and is kept alive would hold that up for a minute, one that never sends
 * anything just as long. (Node's closeIdleConnections takes the latter for busy.) So connections without a request are
 * ended at once, the others with their answer, and after the grace time all that is left.
 */
@Injectable()
export class HttpDrain implements OnApplicationBootstrap, BeforeApplicationShutdown, OnApplicationShutdown {
  private readonly idle = new Set<Socket>();
  private stopping = false;
  private grace: NodeJS.Timeout | undefined;

  constructor(
    private readonly adapterHost: HttpAdapterHost,
    private readonly config: Config,
  ) {}

  onApplicationBootstrap(): void {
    this.server.on('connection', (socket: Socket) => {
      this.idle.add(socket);
      socket.once('close', () => this.idle.delete(socket));
    });
    this.server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
      this.idle.delete(socket);
      response.once('close', () => this.release(socket));
    });
  }

  beforeApplicationShutdown(): void {
    this.stopping = true;
    for (const socket of this.idle) socket.destroy();
    this.grace = setTimeout(() => this.server.closeAllConnections(), this.config.http.shutdownGraceMs);
  }

  onApplicationShutdown(): void {
    clearTimeout(this.grace);
  }

  private release(socket: Socket): void {
    if (this.stopping) socket.end();
    else if (!socket.destroyed) this.idle.add(socket);
  }

  private get server(): Server {
    return this.adapterHost.httpAdapter.getHttpServer();
  }
}
