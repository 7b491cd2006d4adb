import {
  BeforeApplicationShutdown,
  type INestApplicationContext,
  Injectable,
  Logger,
  OnApplicationBootstrap,
  OnApplicationShutdown,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { HealthService } from '../api/health/health.module.js';
import { Config } from '../config/config.js';
import type { HttpAdapter } from './http-adapter.js';

/** Requests that one connection may send before the first is answered; beyond that it is cut off. Unread answers take memory. */
const MAX_PIPELINED = 8;

/**
 * Lets requests in progress finish when the service stops. The alternatives fail in
 * test/app/running.process-spec.ts: Node's closeIdleConnections treats a connection that never sent anything as
 * busy, and a closing server keeps a finished one for its keep-alive time; Nest's forceCloseConnections cuts
 * requests off; http-terminator 3.2.0 waits out the grace period for an answer that has begun. So the listener
 * closes first, connections without a request end at once, the others end with their last answer, and the rest
 * ends after the grace period.
 */
@Injectable()
export class HttpDrain implements OnApplicationBootstrap, BeforeApplicationShutdown, OnApplicationShutdown {
  /** The answers that each connection still waits for, the oldest first. */
  private readonly waiting = new Map<Socket, Set<ServerResponse>>();
  private endsConnections = false;
  private grace: NodeJS.Timeout | undefined;

  constructor(
    private readonly adapterHost: HttpAdapterHost<HttpAdapter>,
    private readonly config: Config,
  ) {}

  onApplicationBootstrap(): void {
    this.adapterHost.httpAdapter.onConnection((socket) => {
      this.waiting.set(socket, new Set());
      socket.once('close', () => {
        for (const response of this.waiting.get(socket) ?? []) closeUnsent(response);
        this.waiting.delete(socket);
      });
    });
  }

  /**
   * Before everything else. A request that arrives while its connection is about to end with an earlier answer is
   * dropped: its answer could not be sent. The client sees the connection end and may retry.
   */
  readonly admit = ({ socket }: IncomingMessage, response: ServerResponse): boolean => {
    const responses = this.waiting.get(socket);
    if (this.endsConnections && responses && responses.size > 0) return false;
    if (responses && responses.size >= MAX_PIPELINED) {
      socket.destroy();
      return false;
    }
    responses?.add(response);
    response.once('close', () => {
      responses?.delete(response);
      if (this.endsConnections && responses?.size === 0) socket.end();
    });
    if (this.endsConnections) announceEnd(response);
    return true;
  };

  /**
   * From now on every answer is the last one of its connection, so that none is idle any more when idle ones are
   * ended: a request that is on its way just then would be lost. New connections are taken as before.
   */
  announceStop(): void {
    this.endsConnections = true;
    for (const responses of this.waiting.values()) {
      const last = [...responses].at(-1);
      if (last) announceEnd(last);
    }
  }

  beforeApplicationShutdown(): void {
    this.announceStop();
    void this.adapterHost.httpAdapter.close();
    for (const [socket, responses] of this.waiting) if (responses.size === 0) socket.destroy();
    this.grace = setTimeout(() => this.server.closeAllConnections(), this.config.http.shutdownGraceMs);
  }

  onApplicationShutdown(): void {
    clearTimeout(this.grace);
  }

  private get server(): Server {
    return this.adapterHost.httpAdapter.getHttpServer();
  }
}

/** Of a connection that ends, Node closes the answer under way; those behind it would count as in work for ever. */
function closeUnsent(response: ServerResponse): void {
  if (response.socket || response.closed) return;
  response.destroyed = true;
  Reflect.set(response, '_closed', true);
  response.emit('close');
}

/** Without it a client would send its next request on this connection. */
function announceEnd(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('Connection', 'close');
}

/**
 * Announces the stop to load balancers and keeps serving until they have noticed it. A listener that closed at
 * once would refuse requests from balancers that have not.
 *
 * @param hurry ends the wait
 */
export async function giveNotice(
  app: INestApplicationContext,
  noticeMs: number,
  hurry?: AbortSignal,
): Promise<void> {
  app.get(HealthService).announceStop();
  app.get(HttpDrain).announceStop();
  await pause(noticeMs, undefined, { ...(hurry && { signal: hurry }) }).catch((error: unknown) => {
    if (!hurry?.aborted) throw error;
  });
}

/** Says why the process ends, when it begins to and when it has done so. */
@Injectable()
export class ShutdownLogger implements BeforeApplicationShutdown, OnApplicationShutdown {
  private readonly logger = new Logger('Process');

  beforeApplicationShutdown(signal?: string): void {
    this.logger.log({ msg: 'stopping', reason: signal ?? 'closed by its owner' });
  }

  onApplicationShutdown(signal?: string): void {
    const reason = signal ?? 'closed by its owner';
    this.logger.log({ msg: 'stopped', reason, uptime_seconds: Math.round(process.uptime()) });
  }
}
