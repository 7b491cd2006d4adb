import { clockMs, inOrder, type Queryable } from '../../../db/database.js';
import { isSqlState, ROW_CHANGED } from '../../../errors/database-failure.js';
import type { LedgerCounts } from './listing-ledger.repository.js';
import { DELISTING, isPlausibleRevision, MOVE_SQL, STATE_SQL, WORD_SQL } from './listing-moves.js';
import { wordsText } from '../../words/label-words.js';
import { lexicon } from '../../words/lexicon.js';
import {
  ImplausibleRevision,
  type Listing,
  type ListingTerms,
  newsUntilOf,
  type Revision,
  voucherOf,
} from './listing.js';

export interface ListingCounts extends LedgerCounts {
  readonly added: number;
  readonly changed: number;
  readonly unchanged: number;
  /** Names that the dataset does not have and that were not to be added. */
  readonly absent: number;
  /** Names that say nothing new and are asked about again. */
  readonly askedAgain: number;
  /** Names whose purge lies ahead. */
  readonly ahead: number;
  /** Names that a list of the same days had before, that this one lacks, and that are off the list now. */
  readonly delisted: number;
  /** The same, of a list that lacks too many to be believed: they stay listed. */
  readonly keptListed: number;
}

export const NO_LISTINGS: ListingCounts = {
  ...{ added: 0, changed: 0, unchanged: 0, absent: 0, askedAgain: 0, ahead: 0, delisted: 0, keptListed: 0 },
  ...{ events: 0, availableDelta: 0 },
};

/** What the rows of a batch come to. */
export interface FoundChanges {
  readonly counts: ListingCounts;
  /** Of the file. */
  readonly rows: number;
  /** Names that the dataset has and that are changed or asked about again: they are locked. */
  readonly known: number;
  /** The last name of a batch that was cut. */
  readonly cutAt: string | null;
}

/** What a batch was decided on has been changed since: it is to be begun again. */
export class ChangedMeanwhile extends Error {}

/** COPY's text for a value that is not known. */
export const NULL_TEXT = '\\N';

const ROW_COLUMNS =
  'domain, name, tld, wayback, first_seen, hidden, purge_at, purge_approximate, news_until, line, words';

/**
 * The rows of a file in the temporary table `file_row`, those of one batch in `staged_row`, and what they mean for
 * the dataset in `change`: a row for each name that is new, comes out different or is asked about again. The last two
 * are empty again with each commit. All are of one connection.
 */
export class StagedListings {
  readonly copyStatement = `COPY file_row (${ROW_COLUMNS}) FROM STDIN`;

  constructor(private readonly terms: ListingTerms) {}

  async create(connection: Queryable): Promise<void> {
    await connection.query(`CREATE TEMPORARY TABLE file_row (${ROW_TYPES})`);
    await connection.query(`CREATE TEMPORARY TABLE staged_row (${ROW_TYPES}) ON COMMIT DELETE ROWS`);
    await connection.query(`
      CREATE TEMPORARY TABLE change (
        domain text COLLATE "C" NOT NULL,
        is_new boolean NOT NULL,
        is_change boolean NOT NULL,
        asks_again boolean NOT NULL,
        is_taken boolean NOT NULL,
        event text,
        available_delta integer NOT NULL,
        was_shown boolean NOT NULL,
        former_wayback integer,
        former_first_seen date,
        move text NOT NULL,
        wayback integer NOT NULL,
        first_seen date,
        hidden boolean NOT NULL,
        state text NOT NULL,
        available boolean NOT NULL,
        confirmed_by text,
        checked_at timestamptz,
        dropped_at timestamptz,
        registry_state text,
        free_seen_at timestamptz,
        ask_at timestamptz,
        archive_status text NOT NULL,
        list_kind text,
        list_source text,
        listed_at timestamptz,
        purge_at timestamptz,
        purge_approximate boolean NOT NULL,
        news_until timestamptz,
        announced boolean NOT NULL,
        -- Of the row that it was decided on; null for a new name.
        version xid
      ) ON COMMIT DELETE ROWS`);
  }

  /** One line of COPY text. A valid name, a number and a day hold nothing that COPY would have to escape. */
  encode(listing: Listing, line: number): string {
    const { domain, wayback, firstSeen, purgeAt, isPurgeApproximate, hidden } = listing;
    const newsUntil = newsUntilOf(listing, this.terms) ?? NULL_TEXT;
    return (
      `${domain.domain}\t${domain.name}\t${domain.tld}\t${wayback ?? NULL_TEXT}\t${firstSeen ?? NULL_TEXT}\t` +
      `${hidden ?? NULL_TEXT}\t${purgeAt?.toISOString() ?? NULL_TEXT}\t` +
      `${isPurgeApproximate}\t${newsUntil}\t${line}\t${wordsText(domain.name, lexicon())}\n`
    );
  }

  /** Brings the rows into the order of their names, once all are there. */
  async sort(connection: Queryable): Promise<void> {
    await connection.query('CREATE INDEX ON file_row (domain)');
    // Temporary tables have no statistics of their own accord.
    await connection.query('ANALYZE file_row');
  }

  /** Fills `staged_row` with the next rows. @returns how many, and the last name; null when there is none left */
  async takeRows(
    transaction: Queryable,
    after: string,
    limit: number,
  ): Promise<{ rows: number; last: string | null }> {
    const [taken] = await transaction.query<{ rows: number; last: string | null }>(
      `WITH taken AS (
         INSERT INTO staged_row (${ROW_COLUMNS})
         SELECT ${ROW_COLUMNS} FROM file_row WHERE domain > $1 ORDER BY domain LIMIT $2 RETURNING domain
       )
       SELECT count(*)::int AS rows, max(domain) AS last FROM taken`,
      [after, limit],
    );
    return taken ?? { rows: 0, last: null };
  }

  /**
   * Fills `change` from `staged_row`. Locks nothing.
   *
   * @param mostKnown names of the dataset that are changed: of more, the rows behind the last one are put back
   */
  async findChanges(transaction: Queryable, mostKnown: number): Promise<FoundChanges> {
    const { now, kind, source, vouch, adds, asksAgain } = this.terms;
    const values = [now, vouch?.at ?? null, vouch && voucherOf(vouch.by), kind, source, asksAgain];
    const finding = (adds ? [FIND_NEW_NAMES, FIND_CHANGES] : [FIND_CHANGES]).map((text) =>
      transaction.kept(text, values),
    );
    const counting = this.count(transaction);
    await inOrder([...finding, counting]);
    const found = await counting;
    if (found.known <= mostKnown) return found;
    const [cut] = await transaction.query<{ domain: string }>(CUT, [mostKnown - 1]);
    return { ...(await this.count(transaction)), cutAt: cut?.domain ?? null };
  }

  /**
   * Locks the names of `change` that the dataset has, in the order of the alphabet, as other writers of several names
   * do.
   *
   * @returns when it began to, in ms by the server's clock
   * @throws {ChangedMeanwhile} when another writer has changed one of them since it was read
   */
  async lockChanges(transaction: Queryable): Promise<number> {
    try {
      const statement = { name: 'lock_listed', text: LOCK, values: [] };
      const [locked] = await transaction.prepared<{ beganAtMs: number }>(statement);
      return locked?.beganAtMs ?? 0;
    } catch (error) {
      throw isSqlState(error, ROW_CHANGED) ? new ChangedMeanwhile() : error;
    }
  }

  /**
   * How many names the list lacks that stay listed all the same, as it is not to be believed.
   *
   * @param rejected valid names of rejected rows: the list has them all the same; null: they are too many
   * @throws {ImplausibleRevision} as the terms have it
   */
  async judgeMissing(source: Queryable, rejected: readonly string[] | null): Promise<number> {
    const missed = this.missed(rejected);
    if (!missed) return 0;
    const [counts] = await source.query<{ missing: number; present: number }>(
      `SELECT (count(*) FILTER (WHERE ${IS_MISSING}))::int AS missing,
              (count(*) FILTER (WHERE NOT ${IS_MISSING}))::int AS present ${missed.from}`,
      missed.values,
    );
    const { missing = 0, present = 0 } = counts ?? {};
    const { ifImplausible } = missed.revision;
    const isPlausible = rejected !== null && isPlausibleRevision(missing, present);
    if (missing === 0 || isPlausible || ifImplausible === 'accept') return 0;
    if (ifImplausible === 'keep') return missing;
    throw new ImplausibleRevision(
      `It lacks ${missing} of the ${missing + present} names that the list of the same day had.`,
    );
  }

  /** Fills `change` with names that the list lacks. Locks nothing. */
  async findMissing(
    transaction: Queryable,
    rejected: readonly string[] | null,
    limit: number,
  ): Promise<FoundChanges> {
    const missed = this.missed(rejected);
    if (!missed) return { counts: NO_LISTINGS, rows: 0, known: 0, cutAt: null };
    await transaction.query(
      `INSERT INTO change SELECT ${DELISTED_COLUMNS} ${missed.from} AND ${IS_MISSING}
        ORDER BY known.domain LIMIT ${limit}`,
      missed.values,
    );
    return this.count(transaction);
  }

  /** Null for a file that revises no list. */
  private missed(
    rejected: readonly string[] | null,
  ): { revision: Revision; from: string; values: unknown[] } | null {
    const { now, kind, source, revision } = this.terms;
    if (!revision || !kind) return null;
    const values = [now, kind, rejected ?? [], ...(revision.of === 'source' ? [source] : [])];
    return { revision, from: LISTED_BEFORE[revision.of], values };
  }

  private async count(transaction: Queryable): Promise<FoundChanges> {
    const [counts] = await transaction.prepared<
      Omit<ListingCounts, 'unchanged'> & { rows: number; known: number }
    >({
      name: 'count_listed',
      text: COUNT,
      values: [this.terms.now, this.terms.adds],
    });
    if (!counts) throw new Error('an aggregate gave no row');
    const { rows, known, ...rest } = counts;
    const unchanged = rows - rest.absent - rest.added - rest.changed;
    return { counts: { ...rest, unchanged }, rows, known, cutAt: null };
  }
}

const ROW_TYPES = `
  domain text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  tld text COLLATE "C" NOT NULL,
  wayback integer,
  first_seen date,
  hidden boolean,
  purge_at timestamptz,
  purge_approximate boolean NOT NULL,
  news_until timestamptz,
  line integer NOT NULL,
  words integer[] NOT NULL`;

// Where the names come from that a revised list may take off: the same days, as their rows have it, and the same days
// of purges. The Date column alone is not enough, as a day's names may be spread over two lists, by their time.
const listedBefore = (condition: string) => `
   FROM domain AS known
   JOIN (SELECT DISTINCT first_seen, (purge_at AT TIME ZONE 'UTC')::date AS purge_day
           FROM file_row WHERE purge_at > $1) AS day
     ON known.first_seen = day.first_seen AND (known.purge_at AT TIME ZONE 'UTC')::date = day.purge_day
  WHERE known.state = '${DELISTING.from}' AND known.purge_at > $1 AND known.list_kind = $2 AND ${condition}`;
const LISTED_BEFORE: Readonly<Record<Revision['of'], string>> = {
  kind: listedBefore('true'),
  source: listedBefore('known.list_source = $4'),
  files: listedBefore(`known.list_source !~ '^https?://'`),
};
const IS_MISSING = `(known.domain <> ALL ($3::text[])
  AND NOT EXISTS (SELECT FROM file_row WHERE file_row.domain = known.domain))`;
// In the order of the columns of `change`. The question after the purge date is due at its time.
const DELISTED_COLUMNS = `
  known.domain, false, true, false, false, CASE WHEN NOT known.hidden THEN '${DELISTING.event}' END, 0, false,
  known.wayback, known.first_seen, 'delist', known.wayback, known.first_seen, known.hidden, '${DELISTING.to}',
  false, known.confirmed_by, known.checked_at, known.dropped_at, known.registry_state, known.free_seen_at,
  known.purge_at, known.archive_status, known.list_kind, known.list_source, known.listed_at, known.purge_at,
  known.purge_approximate, known.news_until, known.announced, known.xmin`;

const TERMS = `
  CROSS JOIN (SELECT $1::timestamptz AS now, $2::timestamptz AS vouched_at, $3::text AS voucher, $4::text AS kind,
                     $5::text AS source, $6::boolean AS asks_again) AS terms
   LEFT JOIN registry_answer AS answer
     ON answer.domain = listing.domain AND answer.state <> 'available' AND answer.checked_at > terms.vouched_at`;

// What a listing makes of a name, step by step: what it amounts to, the move, what it shows, and the row that comes
// out. OFFSET 0 keeps PostgreSQL from writing the move out wherever it is asked for, which takes a third longer,
// and 70 ms to plan.
const OUTCOME = `
  CROSS JOIN LATERAL (SELECT coalesce(known.state = 'available' AND NOT known.hidden, false) AS was_shown) AS former
  CROSS JOIN LATERAL (SELECT ${WORD_SQL} AS name) AS word
  CROSS JOIN LATERAL (SELECT ${MOVE_SQL} AS name OFFSET 0) AS move
  CROSS JOIN LATERAL (
        SELECT ${STATE_SQL} AS state, coalesce(listing.hidden, known.hidden, false) AS hidden,
               move.name IN ('list', 'purge', 'correct') OR (move.name = 'relist' AND terms.kind IS NOT NULL)
                 OR (move.name = 'vouch' AND listing.purge_at IS NOT NULL) AS has_list,
               move.name IN ('list', 'purge') AS is_listed_anew,
               -- A vouched name is a drop when it was not on offer, or dropped again since by its day.
               move.name = 'vouch'
               AND (coalesce(known.state, 'new') NOT IN ('available', 'stale')
                 OR coalesce(listing.first_seen > known.first_seen, false)) AS is_drop,
               -- Another life of the name begins.
               move.name IN ('list', 'purge', 'doubt')
                 OR (move.name = 'vouch' AND coalesce(known.state IN ('taken', 'rescued'), false)) AS starts_anew,
               terms.asks_again AND move.name = 'none' AND word.name = 'passed' AND known.state <> 'listed'
               AND NOT (known.state IN ('purged', 'unconfirmed') AND known.ask_at IS NULL) AS asks_again
        ) AS verdict
  CROSS JOIN LATERAL (
        SELECT coalesce(listing.wayback, known.wayback, 0) AS wayback,
               CASE WHEN verdict.is_drop OR verdict.is_listed_anew OR move.name = 'doubt'
                    THEN coalesce(listing.first_seen, known.first_seen)
                      ELSE coalesce(known.first_seen, listing.first_seen) END AS first_seen,
               verdict.state = 'available' AS available,
               CASE move.name WHEN 'vouch' THEN terms.voucher WHEN 'list' THEN NULL
                 WHEN 'purge' THEN NULL WHEN 'doubt' THEN NULL
                    ELSE known.confirmed_by END AS confirmed_by,
               CASE move.name WHEN 'vouch' THEN terms.vouched_at ELSE known.checked_at END AS checked_at,
               CASE WHEN verdict.is_drop THEN terms.vouched_at WHEN verdict.is_listed_anew THEN NULL
                 ELSE known.dropped_at END AS dropped_at,
               CASE WHEN verdict.is_listed_anew THEN NULL ELSE known.registry_state END AS registry_state,
               CASE WHEN move.name IN ('none', 'correct') THEN known.free_seen_at END AS free_seen_at,
               CASE WHEN verdict.asks_again AND known.state NOT IN ('purged', 'available', 'stale') THEN terms.now
                    WHEN verdict.asks_again OR move.name NOT IN ('none', 'correct') THEN NULL
                      ELSE known.ask_at END AS ask_at,
               -- What the archive has is asked again; until then the row shows what it said last.
               CASE WHEN verdict.starts_anew THEN 'pending'
                 ELSE coalesce(known.archive_status, 'pending') END AS archive_status,
               CASE WHEN verdict.has_list THEN terms.kind ELSE known.list_kind END AS list_kind,
               CASE WHEN verdict.has_list THEN terms.source ELSE known.list_source END AS list_source,
               CASE WHEN verdict.has_list AND move.name <> 'correct' THEN terms.now
                 ELSE known.listed_at END AS listed_at,
               CASE WHEN verdict.has_list THEN listing.purge_at ELSE known.purge_at END AS purge_at,
               CASE WHEN verdict.has_list THEN listing.purge_approximate
                 ELSE coalesce(known.purge_approximate, false) END AS purge_approximate,
               CASE move.name WHEN 'none' THEN known.news_until WHEN 'vouch' THEN NULL
                 ELSE listing.news_until END AS news_until,
               NOT verdict.hidden AND coalesce(known.announced, false)
               AND verdict.state IN ('listed', 'purged', 'taken', 'rescued') AS is_taken,
               -- A name that is shown again is told of as what it is now.
               CASE WHEN verdict.hidden THEN CASE WHEN NOT known.hidden THEN 'domain.removed' END
                    WHEN verdict.state = 'available' AND (coalesce(known.hidden, false)
                         OR (verdict.is_drop AND coalesce(listing.news_until, known.news_until) >= terms.now
                             AND NOT (coalesce(known.announced, false)
                               AND known.state IN ('unconfirmed', 'available', 'stale')
                                      AND NOT coalesce(listing.first_seen > known.first_seen, false))))
                    THEN 'domain.dropped'
                    WHEN verdict.state = 'listed' AND (move.name IN ('list', 'relist') OR coalesce(known.hidden, false))
                      THEN 'domain.listed'
                    WHEN known.hidden THEN 'domain.restored'
               END AS event
        ) AS outcome`;

const CHANGE_COLUMNS = `
  listing.domain, known.state IS NULL, change.is_change, verdict.asks_again, outcome.is_taken, outcome.event,
  (outcome.available AND NOT verdict.hidden)::int - former.was_shown::int, former.was_shown,
  known.wayback, known.first_seen, move.name,
  outcome.wayback, outcome.first_seen, verdict.hidden, verdict.state, outcome.available, outcome.confirmed_by,
  outcome.checked_at, outcome.dropped_at, outcome.registry_state, outcome.free_seen_at, outcome.ask_at,
  outcome.archive_status, outcome.list_kind, outcome.list_source,
  outcome.listed_at, outcome.purge_at, outcome.purge_approximate, outcome.news_until,
  CASE WHEN outcome.event = 'domain.dropped' THEN true WHEN outcome.is_taken THEN false
    ELSE coalesce(known.announced, false) END,
  known.xmin`;

const FIND_CHANGES = `
  INSERT INTO change
  SELECT ${CHANGE_COLUMNS}
    FROM staged_row AS listing
    JOIN domain AS known USING (domain)
   ${TERMS}
   ${OUTCOME}
   CROSS JOIN LATERAL (
         SELECT (verdict.state, outcome.wayback, verdict.hidden) <> (known.state, known.wayback, known.hidden)
                OR (outcome.first_seen, outcome.checked_at, outcome.confirmed_by, outcome.purge_at, outcome.list_kind)
                   IS DISTINCT FROM
                     (known.first_seen, known.checked_at, known.confirmed_by, known.purge_at, known.list_kind)
                     AS is_change
         ) AS change
   WHERE change.is_change OR verdict.asks_again`;

const CUT = `
  WITH last AS (SELECT domain FROM change WHERE NOT is_new ORDER BY domain OFFSET $1 LIMIT 1),
       rows AS (DELETE FROM staged_row USING last WHERE staged_row.domain > last.domain),
       changes AS (DELETE FROM change USING last WHERE change.domain > last.domain)
  SELECT domain FROM last`;

// The statements behind it are sent before its answer is known, so an outdated row has to be an error.
const LOCK = `
  WITH locked AS (
    SELECT known.xmin = change.version AS is_same
      FROM change JOIN domain AS known ON known.domain = change.domain
     WHERE NOT change.is_new
     ORDER BY known.domain
       FOR UPDATE OF known
  )
  SELECT ${clockMs('statement_timestamp()')} AS "beganAtMs" FROM locked
  HAVING CASE WHEN count(*) FILTER (WHERE is_same) = (SELECT count(*) FROM change WHERE NOT is_new) THEN true
              ELSE end_statement('${ROW_CHANGED}', 'another writer has changed a name that the import read') END`;

const FIND_NEW_NAMES = `
  INSERT INTO change
  SELECT ${CHANGE_COLUMNS}
    FROM staged_row AS listing
   -- A row of nothing, of the type of a row of the dataset.
   CROSS JOIN (SELECT (NULL::domain).*, NULL::xid AS xmin) AS known
   ${TERMS}
   ${OUTCOME}
   CROSS JOIN (SELECT true AS is_change) AS change
   WHERE NOT EXISTS (SELECT FROM domain WHERE domain.domain = listing.domain)`;

const COUNT = `
  SELECT count(*) FILTER (WHERE is_new)::int AS added,
         count(*) FILTER (WHERE is_change AND NOT is_new AND move <> 'delist')::int AS changed,
         count(*) FILTER (WHERE move = 'delist')::int AS delisted,
         0 AS "keptListed",
         count(*) FILTER (WHERE asks_again)::int AS "askedAgain",
         coalesce(sum(available_delta), 0)::int AS "availableDelta",
         coalesce(sum(is_taken::int + (event IS NOT NULL)::int), 0)::int AS events,
         count(*) FILTER (WHERE NOT is_new)::int AS known,
         (SELECT count(*) FROM staged_row)::int AS rows,
         (SELECT count(*) FROM staged_row WHERE purge_at > $1)::int AS ahead,
         CASE WHEN $2 THEN 0 ELSE (SELECT count(*) FROM staged_row AS listing
           WHERE NOT EXISTS (SELECT FROM domain WHERE domain.domain = listing.domain)) END::int AS absent
    FROM change`;
