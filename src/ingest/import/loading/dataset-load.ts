import type { Listing } from '../../../domains/lifecycle/listings/listing.js';
import type { ListingCounts } from '../../../domains/lifecycle/listings/staged-listings.repository.js';

/**
 * One way to bring listings into the dataset. Its steps run in this order, in one transaction: prepare, COPY of the
 * encoded listings, removeRepeated, decide, apply, the events, publish.
 */
export interface DatasetLoad {
  /** The statement that takes what {@link encode} writes. */
  readonly copyStatement: string;
  /** What to announce: a SELECT with the columns `domain`, `type` of the event, and `number`, which counts from 1. */
  readonly events: string;
  prepare(): Promise<void>;
  /** One line of COPY text. */
  encode(listing: Listing, line: number): string;
  /** Leaves the newest row of each name; the others go to the table `repeated_row`. @returns how many those are */
  removeRepeated(): Promise<number>;
  /** Decides what each row means. A dry run ends here. */
  decide(): Promise<ListingCounts>;
  /** Changes what has to change, indexes included: the long part. @param onStep is told what is being done */
  apply(counts: ListingCounts, onStep: (step: string) => void): Promise<void>;
  /** The last step before the commit. */
  publish(): Promise<void>;
}
