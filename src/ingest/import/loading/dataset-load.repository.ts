import type { Queryable } from '../../../db/database.js';
import type { Listing } from '../../../domains/lifecycle/listings/listing.js';
import type { ListingCounts } from '../../../domains/lifecycle/listings/staged-listings.repository.js';

/**
 * One way to bring listings into the dataset. Its steps run in this order, in one transaction: prepare, COPY of the
 * encoded listings, removeRepeated, decide, apply, the events, publish.
 */
export interface DatasetLoad {
  /** The statement that takes what {@link encode} writes. */
  readonly copyStatement: string;
  /** Whether another table has taken the place of `domain`, which {@link VACUUM_ROWS} is for. */
  readonly isRebuilt: boolean;
  /** What to announce: a SELECT with the columns `domain`, `type` of the event, and `number`, which counts from 1. */
  readonly events: string;
  prepare(): Promise<void>;
  /** One line of COPY text. */
  encode(listing: Listing, line: number): string;
  /** Leaves the newest row of each name; the others go to the table `repeated_row`. @returns how many those are */
  removeRepeated(): Promise<number>;
  /**
   * Decides what each row means. A dry run ends here.
   *
   * @param rejected valid names of rejected rows; null: they are too many
   */
  decide(rejected: readonly string[] | null): Promise<ListingCounts>;
  /** Makes the changes, indexes included: the long part. @param onStep receives the name of each step */
  apply(counts: ListingCounts, onStep: (step: string) => void): Promise<void>;
  /** The last step before the commit. */
  publish(): Promise<void>;
}

/** A row whose name another row of the file speaks for. */
export interface RepeatedRow {
  readonly line: number;
  readonly domain: string;
  /** The line that counts. */
  readonly kept_line: number;
}

/**
 * Follows the commit of a rebuilt table. Until it has run, an index-only scan reads the table for every row: nothing
 * else marks sorted rows as visible to all.
 */
export const VACUUM_ROWS = 'VACUUM domain';

const BATCH_ROWS = 5_000;

/** Makes room for the rows that another row of the same file speaks for. */
export async function createRepeatedRows(transaction: Queryable): Promise<void> {
  await transaction.query(
    `CREATE TEMPORARY TABLE repeated_row (line integer, domain text COLLATE "C", kept_line integer) ON COMMIT DROP`,
  );
}

/**
 * Leaves the newest row of each name, by its purge or its day; of rows that are equally new, the last.
 *
 * @param table with the columns domain, first_seen and line
 * @param purgeAt its column for the purge, if it has one
 * @returns how many rows went to repeated_row
 */
export async function removeRepeatedFrom(
  transaction: Queryable,
  table: string,
  purgeAt: 'purge_at' | 'NULL::timestamptz',
): Promise<number> {
  const [row] = await transaction.query<{ count: number }>(
    `WITH repeated AS (
       SELECT domain FROM ${table} GROUP BY domain HAVING count(*) > 1
     ), ranked AS (
       SELECT domain, line,
              first_value(line) OVER (
                PARTITION BY domain
                ORDER BY ${purgeAt} DESC NULLS LAST, first_seen DESC NULLS LAST, line DESC
              ) AS kept_line
         FROM ${table} JOIN repeated USING (domain)
     ), removed AS (
       DELETE FROM ${table} AS staged USING ranked
        WHERE staged.domain = ranked.domain AND staged.line = ranked.line AND ranked.line <> ranked.kept_line
       RETURNING ranked.line, ranked.domain, ranked.kept_line
     ), kept AS (
       INSERT INTO repeated_row (line, domain, kept_line) SELECT line, domain, kept_line FROM removed RETURNING 1
     )
     SELECT count(*)::int AS count FROM kept`,
  );
  return row?.count ?? 0;
}

/** The rows that another row of the file speaks for, in the file's order, in batches. */
export async function* listRepeatedRows(transaction: Queryable): AsyncGenerator<RepeatedRow[]> {
  await transaction.query(
    'DECLARE repeated CURSOR FOR SELECT line, domain, kept_line FROM repeated_row ORDER BY line',
  );
  for (;;) {
    const rows = await transaction.query<RepeatedRow & Record<string, unknown>>(
      `FETCH ${BATCH_ROWS} FROM repeated`,
    );
    yield rows;
    if (rows.length < BATCH_ROWS) break;
  }
  await transaction.query('CLOSE repeated');
}
