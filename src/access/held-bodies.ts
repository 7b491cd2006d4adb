import type { IncomingMessage, ServerResponse } from 'node:http';

/** As many as an address may have connections. */
const MAX_OF_CALLER = 64;
/** Above the limit of every body parser, which refuses a longer body. */
const MAX_BODY_BYTES = 131_072;
/** Of all incomplete bodies together; small bodies are bounded by the number of connections. */
const MAX_TOTAL_BYTES = 33_554_432;
const SMALL_BYTES = 16_384;

/** Whether its body is still to come. A client that waits for another word than `100-continue` sends none. */
export function awaitsBody({ complete: isComplete, headers }: IncomingMessage): boolean {
  if (isComplete || !('content-length' in headers || 'transfer-encoding' in headers)) return false;
  return /^(?:100-continue)?$/i.test(headers.expect ?? '');
}

/**
 * Requests whose body has not arrived in full. They wait outside, so that callers who send slowly keep no others out;
 * Node ends them in time.
 */
export class HeldBodies {
  private readonly callers = new Map<string, number>();
  private bytes = 0;

  /**
   * @param arrived is called once the body is complete, unless the caller hangs up
   * @param refuse is called instead, if the caller or all of them together send too many
   */
  hold(
    request: IncomingMessage,
    response: ServerResponse,
    caller: string,
    arrived: () => void,
    refuse: () => void,
  ): void {
    const others = this.callers.get(caller) ?? 0;
    if (others >= MAX_OF_CALLER) {
      refuse();
      return;
    }
    this.callers.set(caller, others + 1);
    let size = 0;
    let isHeld = true;
    const end = (next?: () => void) => {
      if (!isHeld) return;
      isHeld = false;
      Reflect.deleteProperty(request, 'push');
      this.release(caller, size);
      next?.();
    };
    const push = request.push.bind(request);
    // Node's parser pushes the pieces, and null behind the last one. They stay in the stream for their reader.
    request.push = (piece: Buffer | null) => {
      const takesMore = push(piece);
      if (piece === null) end(arrived);
      else {
        size += piece.length;
        this.bytes += piece.length;
        if (size > MAX_BODY_BYTES) end(arrived);
        else if (this.bytes > MAX_TOTAL_BYTES && size > SMALL_BYTES) end(refuse);
      }
      return takesMore || isHeld;
    };
    response.once('close', () => end());
  }

  private release(caller: string, size: number): void {
    this.bytes -= size;
    const left = (this.callers.get(caller) ?? 0) - 1;
    if (left > 0) this.callers.set(caller, left);
    else this.callers.delete(caller);
  }
}
