import { Injectable } from '@nestjs/common';
import { lockAccount } from '../../access/api-key.repository.js';
import type { Remember } from '../../access/idempotent-requests.js';
import { Database, type Queryable } from '../../db/database.js';
import { tiersSeeing } from '../../access/tier-gate.js';
import { type TierName, type TierTable, Tiers } from '../../config/tiers.js';
import type { MailMode, Watch, Watcher } from './watch.js';
import type { Reading } from '../../domains/words/reading.js';
import type { LifeType } from '../../domains/schema/events.js';

export type NewWatch = Pick<Watch, 'domain' | 'question' | 'eventTypes'> & {
  /** How the words of the question were read; null: it has none. */
  readonly reading: Reading | null;
};

export interface MatchedWatch {
  readonly id: string;
  readonly accountId: string;
  readonly eventTypes: readonly LifeType[];
  readonly afterEvent: number;
}

export interface WatchedSearch extends MatchedWatch {
  readonly question: string;
  readonly reading: Reading | null;
}

/** Events are matched from the first watch on. */
const OPEN_OUTBOX =
  'INSERT INTO watch_outbox (last_event) SELECT last_event FROM dataset ON CONFLICT DO NOTHING';

export interface WatchPlace {
  readonly isSearch: boolean;
  /** To the microsecond. */
  readonly at: string;
  readonly id: string;
}

type ListedWatch = Watch & { readonly at: string };

const COLUMNS = `id, domain, question, event_types AS "eventTypes", created_at AS "createdAt"`;
const MATCHED = `watch.id, account_id AS "accountId", event_types AS "eventTypes", after_event::float8 AS "afterEvent"`;
const OLDEST_FIRST = 'created_at, watch.id';

@Injectable()
export class WatchRepository {
  /** By tier, for statements. */
  private readonly nameLimits: string;
  private readonly searchLimits: string;
  /** Tiers that see names in other states than on offer. */
  private readonly seeing: readonly TierName[];

  constructor(
    private readonly database: Database,
    { table }: Tiers,
  ) {
    this.nameLimits = limitsOf(table, 'watchedNames');
    this.searchLimits = limitsOf(table, 'savedSearches');
    this.seeing = tiersSeeing(table);
  }

  /**
   * Watches from now on; an existing watch takes these event types.
   *
   * @param max how many of its kind the account can have
   * @returns the watch as it is now, and whether it changed
   */
  async insertWatch(
    accountId: string,
    { domain, question, eventTypes, reading }: NewWatch,
    max: number,
    remember?: Remember,
  ): Promise<{ watch: Watch; isChanged: boolean } | 'too_many' | 'no_account'> {
    const what = domain === null ? 'question' : 'domain';
    return this.database.transaction(async (transaction) => {
      if (!(await lockAccount(transaction, accountId))) return 'no_account';
      await transaction.query(OPEN_OUTBOX);
      await transaction.query('INSERT INTO watcher (account_id) VALUES ($1) ON CONFLICT DO NOTHING', [
        accountId,
      ]);
      const [row] = await transaction.query<Watch & { isChanged: boolean }>(
        `WITH before AS (SELECT event_types FROM watch WHERE account_id = $1 AND ${what} = $6)
         INSERT INTO watch (account_id, domain, question, event_types, after_event, reading)
         SELECT $1, $2, $3, $4, last_event, $8
           FROM dataset
          WHERE (SELECT count(*) FROM watch WHERE account_id = $1 AND ${what} IS NOT NULL) < $5
             OR EXISTS (SELECT FROM watch WHERE account_id = $1 AND ${what} = $6)
         ON CONFLICT (account_id, ${what}) DO UPDATE SET event_types = excluded.event_types
         RETURNING ${COLUMNS}, event_types IS DISTINCT FROM (SELECT event_types FROM before) AS "isChanged",
                   (SELECT count(*) FROM watch AS earlier
                     WHERE earlier.account_id = $1 AND earlier.${what} IS NOT NULL
                       AND (earlier.created_at, earlier.id) < (watch.created_at, watch.id)) >= $5
                     OR NOT ${isShown('$7', '(SELECT tier FROM account WHERE id = $1)')} AS "isBeyondTier"`,
        [accountId, domain, question, eventTypes, max, domain ?? question, this.seeing, reading],
      );
      if (!row) return 'too_many';
      const { isChanged, ...watch } = row;
      await remember?.(watch.id, transaction);
      return { watch, isChanged };
    });
  }

  /** Names first, and of both the newest first. */
  async listWatches(
    accountId: string,
    limit: number | null = null,
    behind: WatchPlace | null = null,
  ): Promise<ListedWatch[]> {
    return this.select(accountId, limit, behind, null);
  }

  async findWatch(accountId: string, id: string): Promise<Watch | null> {
    const [watch] = await this.select(accountId, 1, null, id);
    return watch ?? null;
  }

  private select(
    accountId: string,
    limit: number | null,
    behind: WatchPlace | null,
    id: string | null,
  ): Promise<ListedWatch[]> {
    return this.database.query<ListedWatch>(
      `SELECT ${COLUMNS}, created_at::text AS at,
              place > CASE WHEN domain IS NULL THEN ($2::jsonb ->> tier)::int ELSE ($3::jsonb ->> tier)::int END
                OR NOT ${isShown('$4')} AS "isBeyondTier"
         FROM (SELECT watch.*, account.tier,
                      row_number() OVER (PARTITION BY domain IS NULL ORDER BY watch.created_at, watch.id) AS place
                 FROM watch JOIN account ON account.id = account_id
                WHERE account_id = $1) AS watch
        WHERE ($9::uuid IS NULL OR id = $9)
          AND ($5::timestamptz IS NULL OR (domain IS NULL) > $6
               OR (domain IS NULL) = $6 AND (created_at < $5 OR created_at = $5 AND id > $7::uuid))
        ORDER BY domain IS NULL, created_at DESC, id
        LIMIT $8`,
      [
        ...[accountId, this.searchLimits, this.nameLimits, this.seeing],
        ...[behind?.at, behind?.isSearch, behind?.id, limit, id],
      ],
    );
  }

  /** @returns the name or search of the deleted watch; null when the account had no such watch */
  async deleteWatch(accountId: string, id: string): Promise<string | null> {
    const [row] = await this.database.query<{ what: string }>(
      'DELETE FROM watch WHERE account_id = $1 AND id = $2 RETURNING coalesce(domain, question) AS what',
      [accountId, id],
    );
    return row?.what ?? null;
  }

  /** Null for an account that never watched anything, or that the operator has disabled. */
  async findWatcher(accountId: string): Promise<Watcher | null> {
    const [row] = await this.database.query<Watcher>(
      `SELECT mails, feed_generation AS "feedGeneration", problem
         FROM watcher JOIN account ON account.id = account_id
        WHERE account_id = $1 AND disabled_at IS NULL`,
      [accountId],
    );
    return row ?? null;
  }

  /** The address of the feed is another one from now on. */
  async renewFeed(accountId: string): Promise<void> {
    await this.database.query(
      `INSERT INTO watcher (account_id) SELECT id FROM account WHERE id = $1
       ON CONFLICT (account_id) DO UPDATE SET feed_generation = watcher.feed_generation + 1`,
      [accountId],
    );
  }

  /**
   * @param dueAt when the next daily mail goes; waiting notices go with it, or at once
   * @returns whether the mode changed
   */
  async setMails(accountId: string, mails: MailMode, dueAt: Date | null): Promise<boolean> {
    return this.database.transaction(async (transaction) => {
      await transaction.query(
        `INSERT INTO watcher (account_id) SELECT id FROM account WHERE id = $1 ON CONFLICT DO NOTHING`,
        [accountId],
      );
      const [before] = await transaction.query<{ mails: MailMode }>(
        'SELECT mails FROM watcher WHERE account_id = $1 FOR UPDATE',
        [accountId],
      );
      // Events from the time without mail are not mailed later.
      if (mails === 'off' || before?.mails === 'off')
        await transaction.query(
          `UPDATE watch_notice SET mail = 'none' WHERE account_id = $1 AND mail = 'waiting'`,
          [accountId],
        );
      await transaction.query(
        `UPDATE watcher
            SET mails = $2, problem = NULL, failures = 0,
                mail_due_at = CASE WHEN EXISTS (SELECT FROM watch_notice WHERE account_id = $1 AND mail = 'waiting')
                                   THEN $3::timestamptz END
          WHERE account_id = $1`,
        [accountId, mails, dueAt],
      );
      return before !== undefined && before.mails !== mails;
    });
  }

  /** Of the names that are watched those among these, as far as the tiers go. */
  async listNameWatches(
    domains: readonly string[],
    source: Queryable,
  ): Promise<(MatchedWatch & { domain: string })[]> {
    return source.query(
      `SELECT ${MATCHED}, domain
         FROM watch JOIN account ON account.id = account_id
        WHERE domain = ANY ($1) AND account.disabled_at IS NULL
          AND (SELECT count(*) FROM watch AS earlier
                WHERE earlier.account_id = watch.account_id AND earlier.domain IS NOT NULL
                  AND (earlier.created_at, earlier.id) < (watch.created_at, watch.id))
                    < ($2::jsonb ->> account.tier)::int`,
      [domains, this.nameLimits],
    );
  }

  /** All searches that are watched, as far as the tiers go. */
  async listSearchWatches(source: Queryable): Promise<WatchedSearch[]> {
    return source.query(
      `SELECT ${MATCHED}, question, reading
         FROM (SELECT *, row_number() OVER (PARTITION BY account_id ORDER BY ${OLDEST_FIRST}) AS place
                 FROM watch WHERE question IS NOT NULL) AS watch
         JOIN account ON account.id = account_id
        WHERE place <= ($1::jsonb ->> account.tier)::int AND account.disabled_at IS NULL AND ${isShown('$2')}`,
      [this.searchLimits, this.seeing],
    );
  }
}

/**
 * SQL: whether the tier includes the events of a watch. A search for available names notifies of drops only.
 */
function isShown(seeing: string, tier = 'tier'): string {
  return `(domain IS NOT NULL OR event_types = '{domain.dropped}' OR ${tier} = ANY (${seeing}))`;
}

function limitsOf(table: TierTable, limit: 'watchedNames' | 'savedSearches'): string {
  return JSON.stringify(Object.fromEntries(Object.values(table).map((tier) => [tier.name, tier[limit]])));
}
