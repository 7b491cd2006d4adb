import type { Queryable } from '../database/database.js';

/**
 * Lets whoever adds something to an account do it one after the other, to the end of the transaction, so that what they count
 * holds.
 *
 * @returns whether the account is there; it may have been removed since its key or its session was looked at
 */
export async function lockAccount(transaction: Queryable, accountId: string): Promise<boolean> {
  const rows = await transaction.query('SELECT FROM account WHERE id = $1 FOR UPDATE', [accountId]);
  return rows.length > 0;
}
