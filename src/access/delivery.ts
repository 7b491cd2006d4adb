import type { Response } from 'express';
import type { ServerResponse } from 'node:http';
import { cancellable, RequestReads, unscoped } from '../db/scope.js';

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
  private isDiscarded = false;
  private isListening = false;

  /** @param whole the answer; this is a part of it */
  constructor(
    private readonly response: Response,
    private readonly whole: Delivery | null = null,
  ) {}

  /** One of several results in the answer, which can be discarded alone. */
  part(): Delivery {
    return new Delivery(this.response, this);
  }

  /** Calls back once, at once if the caller has already gone. */
  onEnd(end: OnEnd): void {
    if (this.whole) {
      this.whole.onEnd((share) => end(this.isDiscarded ? 0 : share));
      return;
    }
    if (this.response.closed) unscoped(() => end(0));
    else this.ends.push(end);
    this.listen();
  }

  /** From now on the request waits for others, such as the registry: it is no work of this process. */
  waits(): void {
    this.response.endWork?.();
  }

  /** This part contains none of the records granted for it. */
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
    const isAnswer = statusCode < 400 && this.response.req.method !== 'HEAD';
    const share = isAnswer ? (isTaken ? 1 : takenShare) : 0;
    // The reads of the request have ended with it, and the last charges have not.
    unscoped(() => {
      for (const end of this.ends) end(share);
    });
  }
}

/**
 * Has a request run with a deadline for its reads.
 *
 * @param deadlineMs from now on; the request may begin later
 * @returns runs it
 */
export function withDeadline(response: ServerResponse, deadlineMs: number, run: () => void): () => void {
  const endsAtMs = performance.now() + deadlineMs;
  return () => {
    const reads = new RequestReads(endsAtMs);
    // Without `finish` the answer was not taken, and its caller is gone.
    response.once('close', () => reads.end(!response.writableFinished));
    cancellable(reads, run);
  };
}
