import { Injectable } from '@nestjs/common';
import { Database, type Queryable } from '../../db/database.js';
import type { KindName } from '../../work/kind.js';
import { WorkQueue } from '../../work/work-queue.js';

export interface DueMail {
  readonly accountId: string;
  readonly email: string;
  readonly isDaily: boolean;
  /** How often this mail has failed. */
  readonly failures: number;
}

/** What happens within so long after a mail comes with the next one. */
const GAP_MINUTES = 10;
/** Mails to one account per UTC day. Later notices go out the next day. */
export const MAX_MAILS_A_DAY = 24;
const MAX_ENQUEUED = 200;

/** When an account whose mails go at once is mailed next. $1 is the moment. */
const DUE = `CASE WHEN mail_day = ($1::timestamptz AT TIME ZONE 'UTC')::date AND mails_of_day >= ${MAX_MAILS_A_DAY}
                  THEN date_trunc('day', $1::timestamptz, 'UTC') + interval '1 day'
                  ELSE greatest($1::timestamptz, mailed_at + interval '${GAP_MINUTES} minutes') END`;
/** The next due time, with $2 as the time of a daily mail. */
const NEXT = `CASE mails WHEN 'daily' THEN $2::timestamptz ELSE ${DUE} END`;

@Injectable()
export class MailboxRepository {
  constructor(
    private readonly database: Database,
    private readonly queue: WorkQueue,
  ) {}

  /** Makes a mail due for accounts that want mail; a failed one keeps its retry time. */
  async makeDue(accountIds: readonly string[], now: Date, transaction: Queryable): Promise<void> {
    await transaction.query(
      `UPDATE watcher
          SET mail_due_at = CASE WHEN failures > 0 AND mail_due_at IS NOT NULL THEN mail_due_at
                                 ELSE least(mail_due_at, ${NEXT}) END
        WHERE account_id = ANY ($3) AND mails <> 'off'`,
      [now, nextDailyMail(now), accountIds],
    );
  }

  /** Gives the mails that have been due for longest to the engine. */
  async enqueueDue(kind: KindName, now: Date): Promise<void> {
    await this.database.transaction(async (transaction) => {
      const due = await transaction.query<{ key: string; lane: string }>(
        `SELECT account_id::text AS key, account_id::text AS lane FROM watcher JOIN account ON account.id = account_id
          WHERE mail_due_at <= $1 AND disabled_at IS NULL
            AND NOT EXISTS (SELECT FROM work WHERE kind = $2 AND key = account_id::text AND due_at < 'infinity')
          ORDER BY mail_due_at LIMIT ${MAX_ENQUEUED}`,
        [now, kind],
      );
      await this.queue.wake(transaction, kind, due, now);
    });
  }

  async findDue(accountId: string, now: Date): Promise<DueMail | null> {
    const [row] = await this.database.query<DueMail>(
      `SELECT account_id AS "accountId", account.email, mails = 'daily' AS "isDaily", failures
         FROM watcher JOIN account ON account.id = account_id
        WHERE account_id = $1 AND mail_due_at <= $2 AND disabled_at IS NULL`,
      [accountId, now],
    );
    return row ?? null;
  }

  /** Records that all events up to this one were mailed, or needed no mail. */
  async noteMailed(accountId: string, upTo: number | null, now: Date): Promise<void> {
    await this.database.transaction(async (transaction) => {
      // A removal locks the account first, then its rows. A row changed twice in one transaction checks its
      // foreign key again, so it would wait for a removal that waits for this row. Lock the account first.
      await transaction.query('SELECT FROM account WHERE id = $1 FOR KEY SHARE', [accountId]);
      // Inserting notices locks this row last: earlier notices are visible below, and later ones make a mail
      // due.
      await transaction.query('SELECT FROM watcher WHERE account_id = $1 FOR UPDATE', [accountId]);
      await transaction.query(
        `UPDATE watch_notice SET mail = 'sent' WHERE account_id = $1 AND mail = 'waiting' AND event <= $2`,
        [accountId, upTo],
      );
      await transaction.query(
        `UPDATE watcher SET failures = 0,
                mailed_at = CASE WHEN $2::bigint IS NULL THEN mailed_at ELSE $3 END,
                mails_of_day = CASE WHEN $2::bigint IS NULL THEN mails_of_day
                  WHEN mail_day = ${DAY} THEN mails_of_day + 1 ELSE 1 END,
                mail_day = CASE WHEN $2::bigint IS NULL THEN mail_day ELSE ${DAY} END
          WHERE account_id = $1`,
        [accountId, upTo, now],
      );
      await transaction.query(
        `UPDATE watcher
            SET mail_due_at = CASE WHEN mails <> 'off' AND EXISTS (
                  SELECT FROM watch_notice WHERE account_id = $3 AND mail = 'waiting') THEN ${NEXT} END
          WHERE account_id = $3`,
        [now, nextDailyMail(now), accountId],
      );
    });
  }

  async postpone(accountId: string, until: Date): Promise<void> {
    await this.database.query(
      `UPDATE watcher SET failures = failures + 1, mail_due_at = $2 WHERE account_id = $1`,
      [accountId, until],
    );
  }

  async switchOff(accountId: string, problem: string): Promise<void> {
    await this.database.query(
      `WITH given AS (UPDATE watch_notice SET mail = 'none' WHERE account_id = $1 AND mail = 'waiting')
       UPDATE watcher SET mails = 'off', problem = $2, failures = 0, mail_due_at = NULL
        WHERE account_id = $1`,
      [accountId, problem],
    );
  }
}

const DAY = `($3::timestamptz AT TIME ZONE 'UTC')::date`;

/** 07:00 in the registry's time, before a day's purges. */
const HOUR_UTC = 21;
const DAY_MS = 86_400_000;

export function nextDailyMail(now: Date): Date {
  const today = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate(), HOUR_UTC);
  return new Date(today > now.getTime() ? today : today + DAY_MS);
}
