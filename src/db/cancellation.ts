import { AsyncLocalStorage } from 'node:async_hooks';
import { connect } from 'node:net';
import type { Client } from 'pg';
import { isSqlState, QUERY_CANCELED } from '../errors/database-failure.js';

/** Cancel requests at once: each is a connection. Statements beyond end by their time limit. */
const MAX_CANCELLING = 4;
const CANCEL_TIMEOUT_MS = 1_000;
/** The code of a cancel request, in the place of a protocol version. */
const CANCEL_REQUEST = 80_877_102;

const signals = new AsyncLocalStorage<AbortSignal>();
let cancelling = 0;

/**
 * Runs reads whose statements PostgreSQL ends when the signal aborts; they then fail with its reason. Not for
 * reads that several requests share.
 */
export function cancellable<Result>(
  signal: AbortSignal | undefined,
  reads: () => Promise<Result>,
): Promise<Result> {
  return signal ? signals.run(signal, reads) : reads();
}

/**
 * Runs a statement of {@link cancellable} reads. The caller may lend the connection again as soon as this returns:
 * until the request to cancel has been dealt with, it would hit the next statement.
 */
export async function withCancellation<Result>(
  client: Client,
  statement: () => Promise<Result>,
): Promise<Result> {
  const signal = signals.getStore();
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
