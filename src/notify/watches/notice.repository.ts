import { Injectable } from '@nestjs/common';
import { Database, type Queryable } from '../../db/database.js';
import { MAX_NOTICES, type Notice, NOTICE_DAYS } from './watch.js';
import type { LifeType } from '../../domains/schema/events.js';

export interface NewNotice {
  readonly account_id: string;
  readonly event: number;
  readonly type: LifeType;
  readonly domain: string;
  readonly occurred_at: string;
  readonly watches: readonly string[];
}

/** Rows removed by one statement, so that none takes long. */
const MAX_AT_ONCE = 10_000;

// The operator may have withheld the name since.
const SELECT = `
  SELECT notice.event::float8 AS event, notice.type, notice.domain, notice.occurred_at AS "occurredAt",
         domain.purge_at AS "purgeAt", domain.wayback, domain.confirmed_by AS "confirmedBy",
         NOT EXISTS (SELECT FROM watch WHERE watch.id = ANY (notice.watches) AND watch.domain IS NOT NULL) AS "bySearch"
    FROM watch_notice AS notice JOIN domain ON domain.domain = notice.domain AND NOT domain.hidden
   WHERE notice.account_id = $1`;

@Injectable()
export class NoticeRepository {
  constructor(private readonly database: Database) {}

  /** The newest event; null when it has been matched. */
  async findNewest(): Promise<number | null> {
    const [dataset] = await this.database.query<{ newest: number }>(
      `SELECT last_event::float8 AS newest FROM dataset WHERE last_event > (SELECT last_event FROM watch_outbox)`,
    );
    return dataset?.newest ?? null;
  }

  /** The last event that was matched; null while another process matches. */
  async lockCursor(transaction: Queryable): Promise<number | null> {
    const [outbox] = await transaction.query<{ last: number }>(
      'SELECT last_event::float8 AS last FROM watch_outbox FOR UPDATE SKIP LOCKED',
    );
    return outbox?.last ?? null;
  }

  async moveCursor(last: number | undefined, transaction: Queryable): Promise<void> {
    await transaction.query('UPDATE watch_outbox SET last_event = $1', [last]);
  }

  /** Accounts without mail get notices as well: the page and the feed show them. */
  async insertNotices(notices: readonly NewNotice[], transaction: Queryable): Promise<void> {
    await transaction.query(
      `INSERT INTO watch_notice (account_id, event, type, domain, occurred_at, watches, mail)
       SELECT notice.*, CASE watcher.mails WHEN 'off' THEN 'none' ELSE 'waiting' END
         FROM jsonb_to_recordset($1)
           AS notice (account_id uuid, event bigint, type text, domain text, occurred_at timestamptz, watches uuid[])
         JOIN watcher USING (account_id)`,
      [JSON.stringify(notices)],
    );
  }

  /** The newest first. */
  async listNotices(accountId: string, limit: number): Promise<Notice[]> {
    return this.database.query<Notice>(`${SELECT} ORDER BY notice.event DESC LIMIT $2`, [accountId, limit]);
  }

  /**
   * Notices waiting to be mailed, the newest first; their number, and the last event, which may be of a
   * redacted name.
   */
  async listWaiting(
    accountId: string,
    limit: number,
  ): Promise<{ notices: Notice[]; count: number; upTo: number | null }> {
    const [waiting] = await this.database.query<{ count: number; upTo: number | null }>(
      `SELECT count(*) FILTER (WHERE NOT domain.hidden)::int AS count, max(event)::float8 AS "upTo"
         FROM watch_notice LEFT JOIN domain USING (domain) WHERE account_id = $1 AND mail = 'waiting'`,
      [accountId],
    );
    const upTo = waiting?.upTo ?? null;
    const notices = await this.database.query<Notice>(
      `${SELECT} AND mail = 'waiting' AND event <= $3 ORDER BY notice.event DESC LIMIT $2`,
      [accountId, limit, upTo],
    );
    return { notices, count: waiting?.count ?? 0, upTo };
  }

  /**
   * Deletes expired notices, and the oldest of accounts over the limit.
   * @returns how many
   */
  async purge(now: Date): Promise<number> {
    const old = await this.deleteInSteps(
      `made_at < $1::timestamptz - make_interval(days => ${NOTICE_DAYS})`,
      [now],
    );
    const crowded = await this.database.query<{ account: string; from: string }>(
      `SELECT account_id AS account, (SELECT event FROM watch_notice AS kept WHERE kept.account_id = many.account_id
                                       ORDER BY event DESC OFFSET ${MAX_NOTICES - 1} LIMIT 1)::text AS from
         FROM (SELECT account_id FROM watch_notice GROUP BY account_id HAVING count(*) > ${MAX_NOTICES}) AS many`,
    );
    let beyond = 0;
    for (const { account, from } of crowded)
      beyond += await this.deleteInSteps('account_id = $1 AND event < $2', [account, from]);
    return old + beyond;
  }

  /** Rows locked by another transaction, such as an account's removal, are skipped; lock order can differ. */
  private async deleteInSteps(condition: string, values: readonly unknown[]): Promise<number> {
    for (let deleted = 0; ;) {
      const rows = await this.database.query(
        `DELETE FROM watch_notice WHERE ctid = ANY (ARRAY(
           SELECT ctid FROM watch_notice WHERE ${condition} LIMIT ${MAX_AT_ONCE}
             FOR UPDATE SKIP LOCKED)) RETURNING event`,
        values,
      );
      deleted += rows.length;
      if (rows.length < MAX_AT_ONCE) return deleted;
    }
  }
}
