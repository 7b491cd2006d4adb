import type { Queryable } from '../../database/database.js';
import type { Listing } from '../reading/row-layout.js';

/** What became of the rows that were staged. */
export interface LoadCounts {
  readonly added: number;
  readonly changed: number;
  readonly unchanged: number;
  /** Names that discovery shows now and did not show before, less those it no longer shows. */
  readonly availableDelta: number;
}

/**
 * One way to bring listings into the dataset. Its steps run in this order, in one transaction: prepare, COPY of the
 * encoded listings, removeRepeated, decide, apply, the events, publish.
 */
export interface DatasetLoad {
  /** The statement that takes what {@link encode} writes. */
  readonly copyStatement: string;
  /** What to announce: a SELECT with the columns `domain`, `type` of the event, and `number`, which counts from 1. */
  readonly announcements: string;
  /** The names that drop, announced or withheld: a SELECT with the column `domain`. */
  readonly drops: string;
  prepare(): Promise<void>;
  /** One line of COPY text. A valid name, a number and a day hold nothing that COPY would have to escape. */
  encode(listing: Listing, line: number): string;
  /** Leaves the last row of each name; the others go to the table `repeated_row`. @returns how many those are */
  removeRepeated(): Promise<number>;
  /** Decides what each row means. A dry run ends here. */
  decide(): Promise<LoadCounts>;
  /** Changes what has to change, indexes included: the long part. @param onStep is told what is being done */
  apply(counts: LoadCounts, onStep: (step: string) => void): Promise<void>;
  /** The last step before the commit. */
  publish(): Promise<void>;
}

/** COPY's text for a value that is not known. */
export const NULL_TEXT = '\\N';

/** COPY's text for a moment, or for none. */
export const timeText = (time: Date | null): string => time?.toISOString() ?? NULL_TEXT;

/** Where the rows go that a later row of the same file replaces. */
export async function createRepeatedRows(transaction: Queryable): Promise<void> {
  await transaction.query(
    `CREATE TEMPORARY TABLE repeated_row (line integer, domain text COLLATE "C", last_line integer) ON COMMIT DROP`,
  );
}

/** The same statement for every table of staged rows. */
export function removeRepeatedFrom(table: string): string {
  return `WITH last AS (
            SELECT domain, max(line) AS line FROM ${table} GROUP BY domain HAVING count(*) > 1
          ), removed AS (
            DELETE FROM ${table} AS staged USING last
             WHERE staged.domain = last.domain AND staged.line < last.line
            RETURNING staged.line, staged.domain, last.line AS last_line
          ), kept AS (
            INSERT INTO repeated_row (line, domain, last_line) SELECT line, domain, last_line FROM removed RETURNING 1
          )
          SELECT count(*)::int AS count FROM kept`;
}

/**
 * Whether a listing is older than what a registry said; null when that cannot be told. A drop list's day is no measure: the
 * purge is often a day later.
 */
export const isOlderThan = (checkedAt: string): string =>
  `coalesce(listing.purged_at < ${checkedAt}, listing.first_seen < (${checkedAt} AT TIME ZONE 'UTC')::date)`;

/**
 * Whether a listing does not count because `answer`, a row of `registry_answer`, says that the name was taken and is newer:
 * an earlier list cannot know better, and one without a day may be earlier.
 */
export const IS_OVERRULED = `(answer.state <> 'available' AND coalesce(${isOlderThan('answer.checked_at')}, true))`;
