import { AsyncLocalStorage } from 'node:async_hooks';
import type { Queryable } from './database.js';

/**
 * Makes sure, inside a transaction and until it ends, that whoever writes is still the one who may.
 *
 * @throws when it is not; the transaction is rolled back
 */
export type Fence = (transaction: Queryable) => Promise<void>;

const fences = new AsyncLocalStorage<Fence>();

/**
 * Runs work every transaction of which begins with the fence, however deep in the call it is begun. A process that stood
 * still for longer than its lease would otherwise go on writing beside its successor.
 */
export function fenced<Result>(fence: Fence, work: () => Promise<Result>): Promise<Result> {
  return fences.run(fence, work);
}

/**
 * Runs work without the fence of whoever calls: what has a lock of its own, may wait long, and does no harm when it is done twice.
 * A fence held for so long would keep all other work waiting.
 */
export function unfenced<Result>(work: () => Promise<Result>): Promise<Result> {
  return fences.exit(work);
}

/** The fence of the work that calls, if it has one. */
export async function passFence(transaction: Queryable): Promise<void> {
  await fences.getStore()?.(transaction);
}
