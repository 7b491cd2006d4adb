import { ADVISORY_LOCKS } from '../../../config/product.js';
import type { Database, Queryable } from '../../../db/database.js';
import { isSqlState, LOCK_NOT_AVAILABLE } from '../../../errors/database-failure.js';
import { ImportError } from '../reading/import-error.js';

const MAX_WAIT = '15min';

/** Makes the transaction an import: alone, and with room to sort. A second import waits for the first. */
export async function beginImport(transaction: Queryable, onStep: (step: string) => void): Promise<void> {
  await waitForTurn(transaction, onStep);
  // Memory of the server, for this transaction only; index builds of ten million rows take half as long again with 64
  // MB.
  await transaction.query(`SET LOCAL maintenance_work_mem = '512MB'`);
  await transaction.query(`SET LOCAL work_mem = '64MB'`);
  // A list that comes slowly, over a pipe say, and a build that takes its time are no reason to give up.
  await transaction.query(`SET LOCAL statement_timeout = 0`);
  await transaction.query(`SET LOCAL idle_in_transaction_session_timeout = 0`);
  await noticeLostClients(transaction);
}

async function waitForTurn(transaction: Queryable, onStep: (step: string) => void): Promise<void> {
  const [turn] = await transaction.query<{ mine: boolean }>('SELECT pg_try_advisory_xact_lock($1) AS mine', [
    ADVISORY_LOCKS.import,
  ]);
  if (turn?.mine) return;
  onStep('waiting for another import to finish');
  try {
    await transaction.query(`SET LOCAL lock_timeout = '${MAX_WAIT}'`);
    await transaction.query('SELECT pg_advisory_xact_lock($1)', [ADVISORY_LOCKS.import]);
    await transaction.query('SET LOCAL lock_timeout = 0');
  } catch (error) {
    if (isSqlState(error, LOCK_NOT_AVAILABLE))
      throw new ImportError(`Another import has been running for ${MAX_WAIT}; try again later.`);
    throw error;
  }
}

// Without it the server of a killed importer would go on building indexes, and holding locks, until it has an answer to
// give. Windows servers have no such check and refuse the setting, which is no reason not to import.
async function noticeLostClients(transaction: Queryable): Promise<void> {
  await transaction.query('SAVEPOINT lost_clients');
  try {
    await transaction.query(`SET LOCAL client_connection_check_interval = '1s'`);
  } catch (error) {
    if (!isSqlState(error, INVALID_PARAMETER_VALUE)) throw error;
    await transaction.query('ROLLBACK TO SAVEPOINT lost_clients');
  }
  await transaction.query('RELEASE SAVEPOINT lost_clients');
}

const INVALID_PARAMETER_VALUE = '22023';

/**
 * Cancels the transaction's current statement when the signal aborts; the rollback follows. Breaking the connection
 * would not stop it. It is asked again and again, as a request that arrives between two statements stops nothing.
 *
 * @returns stops listening and waits for a cancel request on its way, which would cancel the connection's next
 * statement
 */
export async function cancelOnAbort(
  database: Database,
  transaction: Queryable,
  signal: AbortSignal | undefined,
): Promise<() => Promise<void>> {
  const [backend] = await transaction.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  let timer: NodeJS.Timeout | undefined;
  let onItsWay: Promise<unknown> = Promise.resolve();
  const cancel = () => {
    // A server that is not there to be asked has ended the transaction already.
    onItsWay = database.query('SELECT pg_cancel_backend($1)', [backend?.pid]).catch(() => undefined);
    timer = setTimeout(cancel, CANCEL_AGAIN_MS);
  };
  if (signal?.aborted) cancel();
  signal?.addEventListener('abort', cancel, { once: true });
  return async () => {
    signal?.removeEventListener('abort', cancel);
    clearTimeout(timer);
    await onItsWay;
  };
}

const CANCEL_AGAIN_MS = 500;
