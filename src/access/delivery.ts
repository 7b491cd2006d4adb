import type { Response } from 'express';
import { RequestEnded } from '../errors/database-failure.js';

declare module 'node:http' {
  interface ServerResponse {
    /** Of a long answer that is sent in pieces: the share of its records that the kernel has taken so far. */
    takenShare?: number;
    /** Makes room for another request in work. */
    endWork?: () => void;
  }
}

/** @param share of the answer that was sent: 1 for all, 0 for nothing */
type OnEnd = (share: number) => void;

/**
 * Tells what became of an answer. It was sent when the kernel has taken it; a caller who hung up before that got
 * nothing, and an error contains no records.
 */
export class Delivery {
  private readonly ends: OnEnd[] = [];
  private controller: AbortController | undefined;
  private isDiscarded = false;
  private isListening = false;

  /** @param deadlineMs the longest that the reads of the request may take, from now on */
  constructor(
    private readonly response: Response,
    private readonly deadlineMs: number,
  ) {}

  /** Calls back once, at once if the caller has already gone. */
  onEnd(end: OnEnd): void {
    if (this.response.closed) end(0);
    else this.ends.push(end);
    this.listen();
  }

  /** Aborts with RequestEnded when the caller hangs up, or at the deadline. */
  get signal(): AbortSignal {
    if (this.controller) return this.controller.signal;
    const controller = new AbortController();
    this.controller = controller;
    if (this.response.closed) controller.abort(new RequestEnded(true));
    else {
      const late = setTimeout(() => controller.abort(new RequestEnded(false)), this.deadlineMs).unref();
      this.ends.push(() => clearTimeout(late));
      this.listen();
    }
    return controller.signal;
  }

  /** From now on the request waits for others, such as the registry: it is no work of this process. */
  waits(): void {
    this.response.endWork?.();
  }

  /** The answer contains none of the records granted for it. */
  discard(): void {
    this.isDiscarded = true;
  }

  private listen(): void {
    const { response } = this;
    if (this.isListening || response.closed) return;
    this.isListening = true;
    const { socket } = response.req;
    let isTaken = false;
    // A connection that is destroyed finishes its answers too, without having sent them. Before Node's own listener,
    // which may destroy the connection of a last answer.
    response.prependOnceListener('finish', () => (isTaken = !socket.destroyed));
    response.once('close', () => this.end(isTaken));
  }

  private end(isTaken: boolean): void {
    const { statusCode, takenShare = 0 } = this.response;
    const isAnswer = statusCode < 400 && !this.isDiscarded && this.response.req.method !== 'HEAD';
    for (const end of this.ends) end(isAnswer ? (isTaken ? 1 : takenShare) : 0);
    if (!isTaken) this.controller?.abort(new RequestEnded(true));
  }
}
