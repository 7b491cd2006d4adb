import { Injectable } from '@nestjs/common';
import { Database, type Queryable } from '../../db/database.js';
import type { AcceptedText } from './agreements.js';
import { SAME_DAY_MS } from '../registrar/port.js';
import { HOLDING } from './order.repository.js';
import { RENEWABLE_AFTER_DAYS, RENEWABLE_FROM_DAYS } from './renewal-window.js';

/** A person's consent to renew a name by itself, for a year at a time. */
export interface RenewalConsent {
  /** `session:…`. */
  readonly by: string;
  readonly from: string | null;
  readonly at: string;
  /** Of a consent from before the hashes were kept, names: such a text is none of today. */
  readonly agreements: readonly AcceptedText[];
  /** A year may cost so much. */
  readonly maxCents: number;
  /** Why the last try failed, as its owner has read. */
  readonly failed?: string;
}

/** A name that is to be renewed by consent. */
export interface DueRenewal {
  readonly id: string;
  readonly accountId: string;
  readonly domain: string;
  readonly expiresAt: Date;
  readonly consent: RenewalConsent;
}

/** Days before the end of a registration. */
const REMINDED_DAYS = [RENEWABLE_FROM_DAYS, 30, 7] as const;
const RENEWED_DAYS = 30;

const LIVE_NAMES = `state = 'registered' AND renews IS NULL AND expires_at > $1`;
const RENEWABLE_NAMES = `state = 'registered' AND renews IS NULL
  AND expires_at > $1::timestamptz - make_interval(days => ${RENEWABLE_AFTER_DAYS})`;

/** All SQL on the ends of registrations. */
@Injectable()
export class RenewalRepository {
  constructor(private readonly database: Database) {}

  /** Writes a notice for each name that has come nearer to its end; of a name that came late the last one only. */
  async remind(now: Date, limit: number): Promise<number> {
    const rows = await this.database.kept(
      `WITH due AS (
         SELECT id, account_id, least($2, (SELECT min(days) FROM unnest($3::int[]) AS at (days)
                                           WHERE expires_at <= $1::timestamptz + make_interval(days => days))) AS days
           FROM registration_order
          WHERE ${LIVE_NAMES} AND expires_at <= $1::timestamptz + make_interval(days => $2)
            AND (reminded_days IS NULL
                 OR expires_at <= $1::timestamptz + make_interval(days => (SELECT max(days) FROM unnest($3::int[]) AS at (days)
                                                                           WHERE days < reminded_days)))
          ORDER BY expires_at LIMIT $4 FOR NO KEY UPDATE SKIP LOCKED
       ), noted AS (
         UPDATE registration_order SET reminded_days = due.days FROM due WHERE registration_order.id = due.id
         RETURNING registration_order.id, registration_order.account_id
       )
       INSERT INTO order_notice (order_id, account_id, type, state, at, due_at)
       SELECT noted.id, account.id, 'registration.expiring', 'registered', $1, $1
         FROM noted JOIN account ON account.id = noted.account_id RETURNING id`,
      [now, REMINDED_DAYS[0], REMINDED_DAYS, limit],
    );
    return rows.length;
  }

  /** @param consent null: it is not renewed by itself any more. @returns whether the account has such a name */
  async setConsent(
    accountId: string,
    id: string,
    consent: RenewalConsent | null,
    now: Date,
    transaction: Queryable,
  ): Promise<boolean> {
    const rows = await transaction.kept(
      `UPDATE registration_order SET auto_renew = $4
        WHERE ${RENEWABLE_NAMES} AND account_id = $2 AND id = $3 RETURNING id`,
      [now, accountId, id, consent && JSON.stringify(consent)],
    );
    return rows.length > 0;
  }

  /** Of an order that is being approved. */
  async keepConsent(id: string, consent: RenewalConsent, transaction: Queryable): Promise<void> {
    await transaction.kept('UPDATE registration_order SET auto_renew = $2 WHERE id = $1', [
      id,
      JSON.stringify(consent),
    ]);
  }

  async findConsent(id: string): Promise<RenewalConsent | null> {
    const [row] = await this.database.kept<{ consent: RenewalConsent | null }>(
      'SELECT auto_renew AS consent FROM registration_order WHERE id = $1',
      [id],
    );
    return row?.consent ?? null;
  }

  /**
   * In the order of their ids. Left out are names that are being renewed, and names whose customer cancelled a renewal
   * by consent: an order that lapses is cancelled at its time.
   *
   * @param after the id of the last one; null: from the first
   */
  async listDue(now: Date, after: string | null, limit: number): Promise<DueRenewal[]> {
    return this.database.kept<DueRenewal & Record<string, unknown>>(
      `SELECT id, account_id AS "accountId", domain, expires_at AS "expiresAt", auto_renew AS consent
         FROM registration_order AS name
        WHERE ${RENEWABLE_NAMES} AND auto_renew IS NOT NULL AND ($3::uuid IS NULL OR id > $3)
          AND expires_at <= $1::timestamptz + make_interval(days => $2)
          AND NOT EXISTS (SELECT FROM registration_order AS renewal
                           WHERE renewal.renews = name.id
                             AND (renewal.state IN ${HOLDING}
                                  OR renewal.state = 'cancelled' AND renewal.settled_at < renewal.lapses_at
                                     AND renewal.placed_by LIKE 'consent:%'
                                     AND renewal.approved_at > name.expires_at - make_interval(days => $4)))
        ORDER BY id LIMIT $5`,
      [now, RENEWED_DAYS, after, RENEWABLE_FROM_DAYS, limit],
    );
  }

  /**
   * The name that this order registered was renewed. An end that the registrar told counts where it is so many years
   * later, give or take a day: another would renew the name twice, or never again.
   *
   * @param told null: it told none
   */
  async extend(id: string, told: Date | null, years: number, transaction: Queryable): Promise<Date | null> {
    const reckoned = 'expires_at + make_interval(years => $3)';
    const isNear = `abs(extract(epoch FROM $2::timestamptz - (${reckoned}))) * 1000 <= ${SAME_DAY_MS}`;
    const [row] = await transaction.kept<{ until: Date | null }>(
      `UPDATE registration_order SET reminded_days = NULL, auto_renew = auto_renew - 'failed',
              expires_at = CASE WHEN ${isNear} THEN $2 ELSE ${reckoned} END
        WHERE id = $1 RETURNING expires_at AS until`,
      [id, told, years],
    );
    return row?.until ?? null;
  }

  /** @returns whether it failed for another reason before, or not at all */
  async noteFailed(id: string, reason: string): Promise<boolean> {
    const rows = await this.database.kept(
      `UPDATE registration_order SET auto_renew = auto_renew || jsonb_build_object('failed', $2::text)
        WHERE id = $1 AND auto_renew ->> 'failed' IS DISTINCT FROM $2 RETURNING id`,
      [id, reason],
    );
    return rows.length > 0;
  }
}
