import type { Queryable } from '../../../db/database.js';
import type { PreparedStatement } from '../../../db/database.js';

// How many names have ever left the offer, and how many have joined it: each counted by itself, also where one comes for another. A name
// that goes to another cell of the cube has left and joined. So where neither number has changed, every filter whose limits are limits of
// cells lets the same names through; and no more of them can have gone than have left.

/** SQL: what adds to both numbers in an UPDATE of `dataset`. @param left and @param joined how many */
export function countingMoves(left: string, joined: string): string {
  return `offers_left = offers_left + ${left}, offers_joined = offers_joined + ${joined}`;
}

/** Adds to both numbers, under the lock on `dataset`, which it takes unless that is held. */
export async function countMoves(transaction: Queryable, left: number, joined: number): Promise<void> {
  await transaction.query(`UPDATE dataset SET ${countingMoves('$1', '$2')}`, [left, joined]);
}

/** How far the offer has moved, as one snapshot has it. */
export interface OfferState {
  readonly offersLeft: number;
  readonly offersJoined: number;
  /** Whether all that write count moves: instances of the version before, which may run for a day after an upgrade, do not. */
  readonly isCounted: boolean;
}

/** SQL: the columns of {@link OfferState}, for the list of a SELECT. */
export const OFFER_STATE = `
  (SELECT offers_left::float8 FROM dataset) AS "offersLeft", (SELECT offers_joined::float8 FROM dataset) AS "offersJoined",
  (SELECT moves_counted_from <= now() FROM dataset) AS "isCounted"`;

export const READ_OFFER_STATE: PreparedStatement = {
  name: 'offer_state',
  text: `SELECT ${OFFER_STATE}`,
  values: [],
};
