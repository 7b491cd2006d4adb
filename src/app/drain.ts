import {
  BeforeApplicationShutdown,
  Injectable,
  OnApplicationBootstrap,
  OnApplicationShutdown,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { NextFunction, Request, Response } from 'express';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { Config } from '../config/config.js';

/** Requests that one connection may send before the first is answered; who sends more is cut off. */
const MAX_PIPELINED = 100;

/**
 * Lets requests under way finish when the service is told to stop. What others have for that does not do
 * (test/app/running.process-spec.ts): Node's closeIdleConnections takes a connection that never sent anything for busy, and a
 * closing server keeps one that has had its answer for its keep-alive time; Nest's forceCloseConnections cuts off what is
 * under way; http-terminator 3.2.0 waits out the grace period for an answer that had begun, and works on requests whose
 * answer nobody can get. So the listener is closed first, connections without a request are ended at once, the others with their
 * last answer, which says so unless its head is written already, and after the grace period all that is left.
 */
@Injectable()
export class HttpDrain implements OnApplicationBootstrap, BeforeApplicationShutdown, OnApplicationShutdown {
  /** The answers that each connection still waits for, the oldest first. */
  private readonly waiting = new Map<Socket, Set<Response>>();
  private endsConnections = false;
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
  }

  /**
   * The first middleware. A request that came when its connection was about to end with the answer to another one goes no
   * further: nobody can be told its answer. Whoever sent it sees the end of the connection, and may send it again.
   */
  readonly admit = ({ socket }: Request, response: Response, next: NextFunction): void => {
    const responses = this.waiting.get(socket);
    if (this.endsConnections && responses && responses.size > 0) return;
    if (responses && responses.size >= MAX_PIPELINED) {
      socket.destroy();
      return;
    }
    responses?.add(response);
    response.once('close', () => {
      responses?.delete(response);
      if (this.endsConnections && responses?.size === 0) socket.end();
    });
    if (this.endsConnections) announceEnd(response);
    next();
  };

  /**
   * From now on every answer is the last one of its connection, so that none is idle any more when idle ones are ended: a request
   * that is on its way just then would be lost. New connections are taken as before.
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
    return this.adapterHost.httpAdapter.getHttpServer() as Server;
  }
}

/** Without it a client would send its next request on this connection. */
function announceEnd(response: Response): void {
  if (!response.headersSent) response.setHeader('Connection', 'close');
}
