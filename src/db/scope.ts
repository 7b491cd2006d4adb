import { AsyncLocalStorage } from 'node:async_hooks';
import { connect } from 'node:net';
import type { Client } from 'pg';
import { isSqlState, QUERY_CANCELED, RequestEnded } from '../errors/database-failure.js';

/**
 * A statement that keeps the lease of work until the transaction ends, and fails with LEASE_LOST where it is lost. Plain
 * values, so that a process that does the work for another can be given it.
 */
export interface Fence {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

/** What applies to every statement below a call. */
interface Scope {
  readonly fence?: Fence | undefined;
  readonly reads?: RequestReads | undefined;
}

/** One for all of it: on Node 20 every promise of the process asks each storage for its value. */
const scopes = new AsyncLocalStorage<Scope>();

/**
 * Runs work in which every transaction, and every statement that may write, begins with the fence, at any depth of the
 * call. Otherwise a process that was frozen for longer than its lease would go on writing beside its successor.
 */
export function fenced<Result>(fence: Fence, work: () => Promise<Result>): Promise<Result> {
  return scopes.run({ ...scopes.getStore(), fence }, work);
}

/** For what work or a request sets off and does not own. */
export function unscoped<Result>(work: () => Result): Result {
  return scopes.exit(work);
}

export function currentFence(): Fence | undefined {
  return scopes.getStore()?.fence;
}

/**
 * The reads of one request. PostgreSQL ends them when the caller hangs up or the deadline has passed; they then fail
 * with RequestEnded. A request that has begun to write is carried through, so that none of its steps is missing.
 */
export class RequestReads {
  private ended: RequestEnded | undefined;
  private readonly running = new Set<() => void>();
  private timer: NodeJS.Timeout | undefined;
  private waits = 0;
  private waitsSinceMs = 0;
  private writes = false;

  /** @param endsAtMs the deadline, by performance.now() */
  constructor(private endsAtMs: number) {}

  get mayEnd(): boolean {
    return !this.writes;
  }

  /** From now on nothing of the request is cancelled. */
  beginWrite(): void {
    this.writes = true;
  }

  /** @param isCancelled whether a cancel request was sent for the statement @throws {RequestEnded} */
  assertOpen(isCancelled = false): void {
    if (this.ended && (!this.writes || isCancelled)) throw this.ended;
  }

  /** @param cancel is called when the reads end. @returns for the end of the statement */
  begin(cancel: () => void): () => void {
    this.running.add(cancel);
    if (this.waits === 0) this.startTimer();
    return () => this.running.delete(cancel);
  }

  /** The time until {@link resume} does not count. */
  pause(): void {
    this.waits += 1;
    if (this.waits > 1) return;
    this.waitsSinceMs = performance.now();
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  resume(): void {
    this.waits -= 1;
    if (this.waits > 0) return;
    this.endsAtMs += performance.now() - this.waitsSinceMs;
    if (this.running.size > 0) this.startTimer();
  }

  /** The request is over. @param isGone whether its caller hung up */
  end(isGone: boolean): void {
    clearTimeout(this.timer);
    this.waits = Infinity;
    if (isGone) this.abort(true);
  }

  private abort(isGone: boolean): void {
    this.ended ??= new RequestEnded(isGone);
    if (!this.writes) for (const cancel of this.running) cancel();
  }

  private startTimer(): void {
    this.timer ??= setTimeout(
      () => this.abort(false),
      Math.max(0, this.endsAtMs - performance.now()),
    ).unref();
  }
}

/** Runs a request, whose statements outside of transactions are cancelled with its reads. */
export function cancellable<Result>(reads: RequestReads, work: () => Result): Result {
  return scopes.run({ ...scopes.getStore(), reads }, work);
}

/** For code whose library turns every failure into its own. @throws {RequestEnded} */
export function assertReadsOpen(): void {
  scopes.getStore()?.reads?.assertOpen();
}

/** Runs what does not end with the request that began it, as others wait for it too. The fence of a job stays. */
export function carriedThrough<Result>(work: () => Result): Result {
  return scopes.run({ fence: currentFence() }, work);
}

/** Waits for others, such as the registry: the deadline of the request is put off for as long. */
export async function aside<Result>(work: () => Promise<Result>): Promise<Result> {
  const reads = scopes.getStore()?.reads;
  reads?.pause();
  try {
    return await work();
  } finally {
    reads?.resume();
  }
}

/** Cancel requests at once: each is a connection. Statements beyond end by their time limit. */
const MAX_CANCELLING = 4;
const CANCEL_TIMEOUT_MS = 1_000;
/** The code of a cancel request, in the place of a protocol version. */
const CANCEL_REQUEST = 80_877_102;

let cancelling = 0;

/** The current request writes; see {@link RequestReads}. */
export function noteWrite(): void {
  scopes.getStore()?.reads?.beginWrite();
}

/**
 * Runs a statement of {@link cancellable} reads. The caller may lend the connection again as soon as this returns:
 * until the request to cancel has been dealt with, it would hit the next statement.
 */
export async function withCancellation<Result>(
  client: Client,
  statement: () => Promise<Result>,
): Promise<Result> {
  const reads = scopes.getStore()?.reads;
  if (!reads?.mayEnd) return statement();
  reads.assertOpen();
  let cancelled: Promise<boolean> | undefined;
  const end = reads.begin(() => {
    cancelled = requestCancel(client);
  });
  try {
    const result = await statement();
    // It may be cut short, or a time limit may have ended it at the same moment.
    reads.assertOpen(cancelled !== undefined);
    return result;
  } catch (error) {
    if (isSqlState(error, QUERY_CANCELED)) reads.assertOpen(cancelled !== undefined);
    throw error;
  } finally {
    end();
    // The pool lends no connection again that has been ended.
    if ((await cancelled) === false) void client.end();
  }
}

interface Backend {
  readonly processID: number | null;
  readonly secretKey: number | null;
}

/**
 * @returns once PostgreSQL has dealt with it or cannot be reached; false: it may still act on it, as a server that was
 *   frozen does
 */
async function requestCancel(client: Client): Promise<boolean> {
  const { host, port, processID, secretKey } = client as Client & Backend;
  if (cancelling >= MAX_CANCELLING || processID === null || secretKey === null) return true;
  cancelling += 1;
  const message = Buffer.alloc(16);
  for (const [place, number] of [message.length, CANCEL_REQUEST, processID, secretKey].entries())
    message.writeInt32BE(number, 4 * place);
  const isFile = host.startsWith('/');
  const socket = isFile ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
  let isInTime = true;
  await new Promise<void>((resolve) => {
    socket.setTimeout(CANCEL_TIMEOUT_MS, () => {
      isInTime = false;
      socket.destroy();
    });
    // The server closes it when the signal has been sent.
    socket.on('close', () => resolve()).on('error', () => undefined);
    socket.resume().write(message);
  });
  cancelling -= 1;
  return isInTime;
}
