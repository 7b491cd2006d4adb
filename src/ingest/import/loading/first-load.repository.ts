import type { Queryable } from '../../../db/database.js';
import { isSqlState } from '../../../errors/database-failure.js';
import {
  replaceByStagedCells,
  shownNamesOf,
  stageCells,
} from '../../../domains/search/cube/cube.repository.js';
import { writeListingLedger } from '../../../domains/lifecycle/listings/listing-ledger.repository.js';
import {
  type CommonColumns,
  commonColumnsOf,
  firstRowOf,
  type Listing,
  type ListingTerms,
} from '../../../domains/lifecycle/listings/listing.js';
import {
  type ListingCounts,
  NO_LISTINGS,
  NULL_TEXT,
} from '../../../domains/lifecycle/listings/staged-listings.repository.js';
import { wordsText } from '../../../domains/words/label-words.js';
import { lexicon } from '../../../domains/words/lexicon.js';
import { createRepeatedRows, removeRepeatedFrom } from './repeated-rows.repository.js';
import { ShadowTable } from './shadow-table.repository.js';

/**
 * Follows the commit of a first load. Until it has run, an index-only scan reads the table for every row: nothing else
 * marks sorted rows as visible to all.
 */
export const VACUUM_ROWS = 'VACUUM domain';

/**
 * Fills a dataset that has no rows: listings are copied straight into a shadow table, which is indexed after the load
 * and then takes its place. Ten million rows are searchable after 206 s on two cores; in place they would take an
 * hour. Its steps run in this order, in one transaction: prepare, COPY of the encoded listings, removeRepeated, finish.
 */
export class FirstLoad {
  /** The statement that takes what {@link encode} writes. */
  readonly copyStatement: string;
  private readonly shadow: ShadowTable;

  private constructor(
    private readonly transaction: Queryable,
    private readonly terms: ListingTerms,
    private readonly common: CommonColumns,
  ) {
    this.shadow = new ShadowTable(transaction);
    // FREEZE: VACUUM has less to write.
    this.copyStatement = `COPY ${this.shadow.name}
        (domain, name, tld, wayback, first_seen, hidden, news_until, announced, line, words)
      FROM STDIN (FREEZE)`;
  }

  /**
   * Locks the dataset against writers, not readers, if it can be loaded in this way.
   *
   * @param isDropList its rows come to different states, so they are merged
   */
  static async begin(
    transaction: Queryable,
    terms: ListingTerms,
    isDropList: boolean,
  ): Promise<FirstLoad | null> {
    const common = isDropList ? null : commonColumnsOf(terms);
    if (!common || (await hasRows(transaction))) return null;
    const shadow = new ShadowTable(transaction);
    await shadow.lockOutWriters();
    const isPossible = !(await hasRows(transaction)) && (await shadow.isPossible());
    return isPossible ? new FirstLoad(transaction, terms, common) : null;
  }

  async prepare(): Promise<void> {
    await createRepeatedRows(this.transaction);
    await this.shadow.create();
    await this.transaction.query(`ALTER TABLE ${this.shadow.name} ADD COLUMN line integer`);
    await this.shadow.setDefaults(this.common);
  }

  /** One line of COPY text. A valid name, a number and a day hold nothing that COPY would have to escape. */
  encode(listing: Listing, line: number): string {
    const { domain, wayback, firstSeen, hidden } = listing;
    const { newsUntil, announced } = firstRowOf(listing, this.terms);
    return (
      `${domain.domain}\t${domain.name}\t${domain.tld}\t${wayback ?? 0}\t${firstSeen ?? NULL_TEXT}\t` +
      `${hidden ?? false}\t${newsUntil ?? NULL_TEXT}\t${announced}\t${line}\t` +
      `${wordsText(domain.name, lexicon())}\n`
    );
  }

  /** Leaves the newest row of each name; the others go to the table `repeated_row`. @returns how many those are */
  // Lists hardly ever name a domain twice, and the primary key finds out for nothing; looking first costs ten million
  // rows nine seconds.
  async removeRepeated(): Promise<number> {
    await this.transaction.query('SAVEPOINT before_keys');
    try {
      await this.shadow.addKeys();
      await this.transaction.query('RELEASE SAVEPOINT before_keys');
      return 0;
    } catch (error) {
      if (!isSqlState(error, UNIQUE_VIOLATION)) throw error;
    }
    await this.transaction.query('ROLLBACK TO SAVEPOINT before_keys');
    const count = await removeRepeatedFrom(this.transaction, this.shadow.name, 'NULL::timestamptz');
    await this.shadow.addKeys();
    return count;
  }

  /**
   * Builds the indexes and puts the names in their place, with their events: the last step before the commit.
   *
   * @param time asked when the events are written
   */
  async finish(onStep: (step: string) => void, time: () => Date): Promise<ListingCounts> {
    const { shadow, transaction } = this;
    const { vouch } = this.terms;
    if (vouch) await transaction.query(doubtIn(shadow.name), [vouch.at]);
    const counts = await this.count();
    await transaction.query(`ALTER TABLE ${shadow.name} DROP COLUMN line`);
    await shadow.restoreDefaults();
    await stageCells(transaction, shownNamesOf(shadow.name));
    await shadow.sortRows(onStep);
    await shadow.addIndexes(onStep);
    if (vouch) await transaction.query(FORGET_OLDER_ANSWERS(shadow.name), [vouch.at]);
    onStep('writing events');
    const events = `SELECT domain, 'domain.dropped' AS type, row_number() OVER () AS number
                      FROM ${shadow.name} WHERE available AND announced`;
    await writeListingLedger(transaction, events, counts, time());
    await replaceByStagedCells(transaction);
    await shadow.takePlace();
    return counts;
  }

  private async count(): Promise<ListingCounts> {
    const [counts] = await this.transaction.query<
      Pick<ListingCounts, 'added' | 'events' | 'availableDelta'> & Record<string, unknown>
    >(
      `SELECT count(*)::int AS added,
              (count(*) FILTER (WHERE available AND announced))::int AS events,
              (count(*) FILTER (WHERE available AND NOT hidden))::int AS "availableDelta" FROM ${this.shadow.name}`,
    );
    if (!counts) throw new Error('an aggregate gave no row');
    return { ...NO_LISTINGS, ...counts };
  }
}

const UNIQUE_VIOLATION = '23505';

// A registry has said otherwise since the vouch: what it said is observed after the commit. Replaced rather than
// updated: an index that is built over updated rows could not be used by transactions older than it.
const doubtIn = (table: string) => `
  WITH doubted AS (
    DELETE FROM ${table} AS listing USING registry_answer AS answer
     WHERE answer.domain = listing.domain AND answer.state <> 'available' AND answer.checked_at > $1
    RETURNING listing.domain, name, tld, wayback, first_seen, hidden, words
  )
  INSERT INTO ${table} (
    domain, name, tld, wayback, first_seen, hidden, words,
    state, available, confirmed_by, checked_at, dropped_at, announced
  )
  SELECT domain, name, tld, wayback, first_seen, hidden, words, 'unconfirmed', false, NULL, NULL, NULL, false FROM doubted`;

const FORGET_OLDER_ANSWERS = (table: string) => `
  DELETE FROM registry_answer AS answer USING ${table} AS listing
   WHERE answer.domain = listing.domain AND answer.checked_at < $1`;

async function hasRows(transaction: Queryable): Promise<boolean> {
  const [row] = await transaction.query<{ exists: boolean }>('SELECT EXISTS (SELECT FROM domain)');
  return row?.exists ?? true;
}
