import type { Response } from 'express';

declare module 'node:http' {
  interface ServerResponse {
    /** Of a long answer that is sent in pieces: the share of its records that the kernel has taken so far. */
    takenShare?: number;
    /** Makes room for another request in work; see Admission. */
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
  private ends: OnEnd[] | null = null;
  private isDiscarded = false;

  constructor(private readonly response: Response) {}

  /** Calls back once, at once if the caller has already gone. */
  onEnd(end: OnEnd): void {
    const { response } = this;
    if (response.closed) end(0);
    else if (this.ends) this.ends.push(end);
    else {
      this.ends = [end];
      const { socket } = response.req;
      let isTaken = false;
      // A connection that is destroyed finishes its answers too, without having sent them. Before Node's own listener,
      // which may destroy the connection of a last answer.
      response.prependOnceListener('finish', () => (isTaken = !socket.destroyed));
      response.once('close', () => this.end(isTaken));
    }
  }

  /** From now on the request waits for others, such as the registry: it is no work of this process. */
  waits(): void {
    this.response.endWork?.();
  }

  /** The answer contains nothing of what was granted for it. */
  discard(): void {
    this.isDiscarded = true;
  }

  private end(isTaken: boolean): void {
    const { statusCode, takenShare = 0 } = this.response;
    const isAnswer = statusCode < 400 && !this.isDiscarded;
    for (const end of this.ends ?? []) end(isAnswer ? (isTaken ? 1 : takenShare) : 0);
    this.ends = null;
  }
}
