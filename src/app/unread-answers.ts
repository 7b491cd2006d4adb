import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Of all connections together. The longest answer has a few MB. */
const MAX_UNREAD_BYTES = 67_108_864;

declare module 'node:http' {
  interface ServerResponse {
    /** So many bytes of the answer wait in this process for their reader. */
    awaitReader?: (bytes: number) => void;
  }
}

/**
 * Bounds the bytes of complete answers that their readers have not taken. A connection has few, but there are thousands
 * of connections: beyond the bound, the one that has taken nothing for the longest time is closed.
 */
export class UnreadAnswers {
  /** Connections by the time of their last progress, the earliest first, with their answers. */
  private readonly waiting = new Map<Socket, Map<ServerResponse, number>>();
  private total = 0;
  /** Of connections closed in this turn of the event loop, at whose end their memory is free. */
  private dying = 0;

  constructor(private readonly maxBytes = MAX_UNREAD_BYTES) {}

  readonly watch = (response: ServerResponse): void => {
    response.awaitReader = (bytes) => this.note(response, bytes);
    const end = response.end.bind(response) as (...answer: unknown[]) => ServerResponse;
    response.end = (...answer: unknown[]) => {
      if (this.total + this.dying > 2 * this.maxBytes) {
        response.req.socket.destroy();
        return response;
      }
      end(...answer);
      // Most answers fit into the kernel's buffers and do not wait.
      if (response.writableLength > 0) this.note(response, response.writableLength);
      return response;
    };
  };

  private note(response: ServerResponse, bytes: number): void {
    const { socket } = response.req;
    if (response.closed || socket.destroyed) return;
    if (!this.waiting.get(socket)?.has(response)) response.once('close', () => this.set(response, 0));
    this.set(response, bytes);
    for (const [stalled, answers] of this.waiting) {
      if (this.total <= this.maxBytes || this.waiting.size === 1) return;
      if (this.dying === 0) setImmediate(() => (this.dying = 0));
      for (const unread of answers.values()) {
        this.total -= unread;
        this.dying += unread;
      }
      this.waiting.delete(stalled);
      stalled.destroy();
    }
  }

  private set(response: ServerResponse, bytes: number): void {
    const { socket } = response.req;
    const answers = this.waiting.get(socket) ?? new Map<ServerResponse, number>();
    const known = answers.get(response) ?? 0;
    this.total += bytes - known;
    if (bytes > 0) answers.set(response, bytes);
    else answers.delete(response);
    if (bytes < known) this.waiting.delete(socket);
    if (answers.size > 0) this.waiting.set(socket, answers);
  }
}
