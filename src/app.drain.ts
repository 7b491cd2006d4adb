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
 * ended at once, the others with their last answer, which says so unless its head is written already, and after the grace
 * time all that is left.
 */
@Injectable()
export class HttpDrain implements OnApplicationBootstrap, BeforeApplicationShutdown, OnApplicationShutdown {
  /** The answers that each connection still waits for, the oldest first. */
  private readonly waiting = new Map<Socket, Set<ServerResponse>>();
  private stopping = false;
  private grace: NodeJS.Timeout | undefined;

  constructor(
    private readonly adapterHost: HttpAdapterHost,
    private readonly config: Config,
  ) {}

  onApplicationBootstrap(): void {
    this.server.on('connection', (socket: Socket) => {
      this.waiting.set(socket, new Set());
      socket.once('close', () => this.waiting.delete(socket));
    });
    this.server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
      // The last answer of the connection is on its way, and nothing can follow it.
      if (this.isTooLate(response)) return;
      this.waiting.get(socket)?.add(response);
      response.once('close', () => this.release(socket, response));
      if (this.stopping) announceEnd(response);
    });
  }

  /**
   * Whether nobody can be told the answer to a request, so that it must not be worked on: it came when the connection was
   * about to end with the answer to another one. Whoever sent it sees the end of the connection, and may send it again.
   */
  isTooLate(response: ServerResponse): boolean {
    if (!this.stopping) return false;
    const others = this.waiting.get(response.req.socket);
    return others !== undefined && others.size > 0 && !others.has(response);
  }

  beforeApplicationShutdown(): void {
    this.stopping = true;
    for (const [socket, responses] of this.waiting) {
      const last = [...responses].at(-1);
      if (last) announceEnd(last);
      else socket.destroy();
    }
    this.grace = setTimeout(() => this.server.closeAllConnections(), this.config.http.shutdownGraceMs);
  }

  onApplicationShutdown(): void {
    clearTimeout(this.grace);
  }

  private release(socket: Socket, response: ServerResponse): void {
    const responses = this.waiting.get(socket);
    responses?.delete(response);
    if (this.stopping && responses?.size === 0) socket.end();
  }

  private get server(): Server {
    return this.adapterHost.httpAdapter.getHttpServer();
  }
}

/** Without it a client would send its next request on this connection. */
function announceEnd(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('Connection', 'close');
}
