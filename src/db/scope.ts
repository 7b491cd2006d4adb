import { AsyncLocalStorage } from 'node:async_hooks';
import { connect } from 'node:net';
import type { Client } from 'pg';
import { isSqlState, QUERY_CANCELED } from '../errors/database-failure.js';

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
  readonly signal?: AbortSignal | undefined;
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

/** Cancel requests at once: each is a connection. Statements beyond end by their time limit. */
const MAX_CANCELLING = 4;
const CANCEL_TIMEOUT_MS = 1_000;
/** The code of a cancel request, in the place of a protocol version. */
const CANCEL_REQUEST = 80_877_102;

let cancelling = 0;

/**
 * Runs reads whose statements PostgreSQL ends when the signal aborts; they then fail with its reason. Not for
 * reads that several requests share.
 */
export function cancellable<Result>(
  signal: AbortSignal | undefined,
  reads: () => Promise<Result>,
): Promise<Result> {
  return signal ? scopes.run({ ...scopes.getStore(), signal }, reads) : reads();
}

/**
 * Runs a statement of {@link cancellable} reads. The caller may lend the connection again as soon as this returns:
 * until the request to cancel has been dealt with, it would hit the next statement.
 */
export async function withCancellation<Result>(
  client: Client,
  statement: () => Promise<Result>,
): Promise<Result> {
  const signal = scopes.getStore()?.signal;
  if (!signal) return statement();
  signal.throwIfAborted();
  let cancelled: Promise<void> | undefined;
  const cancel = () => {
    cancelled = requestCancel(client);
  };
  signal.addEventListener('abort', cancel, { once: true });
  try {
    const result = await statement();
    // It may be cut short, or a time limit may have ended it at the same moment.
    signal.throwIfAborted();
    return result;
  } catch (error) {
    if (isSqlState(error, QUERY_CANCELED)) signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener('abort', cancel);
    await cancelled;
  }
}

interface Backend {
  readonly processID: number | null;
  readonly secretKey: number | null;
}

/** @returns once PostgreSQL has dealt with it, or cannot be reached */
async function requestCancel(client: Client): Promise<void> {
  const { host, port, processID, secretKey } = client as Client & Backend;
  if (cancelling >= MAX_CANCELLING || processID === null || secretKey === null) return;
  cancelling += 1;
  const message = Buffer.alloc(16);
  for (const [place, number] of [message.length, CANCEL_REQUEST, processID, secretKey].entries())
    message.writeInt32BE(number, 4 * place);
  const isFile = host.startsWith('/');
  const socket = isFile ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
  await new Promise<void>((resolve) => {
    socket.setTimeout(CANCEL_TIMEOUT_MS, () => socket.destroy());
    // The server closes it when the signal has been sent.
    socket.on('close', () => resolve()).on('error', () => undefined);
    socket.resume().write(message);
  });
  cancelling -= 1;
}
