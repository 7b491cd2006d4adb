import type { DomainState } from '../schema/states.js';
import type { FeedType } from '../schema/events.js';

/** A move that needs nothing but time; a job notes it. */
export interface TimeMove {
  readonly from: DomainState;
  /** In words, for the README; the statement that makes the move says the same in SQL. */
  readonly when: string;
  readonly to: DomainState;
  readonly event?: FeedType;
}

/** The time of the purge has come. */
export const PURGE: TimeMove = {
  from: 'listed',
  when: 'its purge has passed',
  to: 'purged',
  event: 'domain.purged',
};
/** Nobody has asked about the name for longer than the operator allows. */
export const STALENESS: TimeMove = {
  from: 'available',
  when: 'nobody has asked about it for OFFER_MAX_AGE_DAYS',
  to: 'stale',
};

export const TIME_MOVES: readonly TimeMove[] = [PURGE, STALENESS];
