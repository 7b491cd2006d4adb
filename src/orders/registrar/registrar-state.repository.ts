import { Injectable } from '@nestjs/common';
import { ADVISORY_LOCKS } from '../../config/product.js';
import { Database, type Queryable } from '../../db/database.js';
import { fillIn, t, type Texts } from '../../texts/texts.js';
import { ORDERING_PLACE, RESTORED_SINCE } from '../ledger/ordering-stops.repository.js';

/** Where a registrar and the orders differ. Operators are notified; no finding changes an order. */
export const RECONCILED = ['unknown_here', 'missing_there', 'expiry', 'registrant', 'unanswered'] as const;
export const FINDING_KINDS = [...RECONCILED, 'price', 'balance'] as const;
export type FindingKind = (typeof FINDING_KINDS)[number];
/** The kind of each text. */
const FINDINGS = {
  unknownHere: 'unknown_here',
  executedLate: 'unknown_here',
  endedWithout: 'unknown_here',
  notListed: 'missing_there',
  notRegistered: 'missing_there',
  otherEnd: 'expiry',
  renewedLate: 'expiry',
  otherNumber: 'registrant',
  ofAnother: 'registrant',
  otherContact: 'registrant',
  unproven: 'registrant',
  unanswered: 'unanswered',
  price: 'price',
  renewalPrice: 'price',
  charged: 'balance',
} as const satisfies Readonly<Record<keyof Texts['orders']['findings'], FindingKind>>;

export interface Finding {
  readonly registrar: string;
  readonly kind: FindingKind;
  /** A name or a suffix; empty for the registrar itself. */
  readonly subject: string;
  readonly words: string;
}

export function finding(
  registrar: string,
  subject: string,
  what: keyof typeof FINDINGS,
  values: Readonly<Record<string, string>> = {},
): Finding {
  return { registrar, kind: FINDINGS[what], subject, words: fillIn(t.orders.findings[what], values) };
}

export interface RegistrarState {
  readonly registrar: string;
  readonly balanceCents: number | null;
  readonly balanceAt: Date | null;
  readonly surplusCents: number | null;
  readonly pricesAt: Date | null;
  readonly polledAt: Date | null;
  readonly messagesRead: number;
  readonly reconciledAt: Date | null;
  /** Since this database was restored or promoted, where it was. */
  readonly isReconciled: boolean;
  readonly reconciledNames: number;
}

/** Of the exchanges of the last hour. */
export interface ExchangeStatistics {
  readonly registrar: string;
  readonly exchanges: number;
  readonly failed: number;
  /** Refused since there were too many sessions or requests. */
  readonly limited: number;
  readonly medianMs: number | null;
  /** Of the last day. */
  readonly lastGoodAt: Date | null;
}

type Row<Value> = Value & Record<string, unknown>;
/** Findings that an operator is shown; all of them are counted. */
const SHOWN = 200;
/** An answer that was understood, a refusal included. */
const GOOD = `result ~ '^(1[0-9]{3}|2[0-3][0-9]{2}|2502|[1-4][0-9]{2})$'`;

/** All SQL on the state of registrars and their differences. */
@Injectable()
export class RegistrarStateRepository {
  constructor(private readonly database: Database) {}

  /** @param registrar null: all of them */
  async list(registrar: string | null = null): Promise<RegistrarState[]> {
    return this.database.kept<Row<RegistrarState>>(
      `SELECT registrar, balance_cents::float8 AS "balanceCents", balance_at AS "balanceAt",
              surplus_cents::float8 AS "surplusCents", prices_at AS "pricesAt", polled_at AS "polledAt",
              messages_read AS "messagesRead", reconciled_at AS "reconciledAt", reconciled_names AS "reconciledNames",
              coalesce(reconciled_place = ${ORDERING_PLACE}
                       AND reconciled_at >= coalesce(${RESTORED_SINCE}, '-infinity'), false) AS "isReconciled"
         FROM registrar_state WHERE $1::text IS NULL OR registrar = $1 ORDER BY registrar`,
      [registrar],
    );
  }

  async find(registrar: string): Promise<RegistrarState | undefined> {
    return (await this.list(registrar))[0];
  }

  async noteBalance(registrar: string, cents: number, surplus: number | null, at: Date): Promise<void> {
    await this.database.kept(
      `INSERT INTO registrar_state (registrar, balance_cents, surplus_cents, balance_at) VALUES ($1, $2, $3, $4)
       ON CONFLICT (registrar) DO UPDATE
         SET balance_cents = $2, balance_at = $4,
             surplus_cents = coalesce($3, registrar_state.surplus_cents)`,
      [registrar, cents, surplus, at],
    );
  }

  async notePrices(registrar: string, at: Date): Promise<void> {
    await this.database.kept(
      `INSERT INTO registrar_state (registrar, prices_at) VALUES ($1, $2)
       ON CONFLICT (registrar) DO UPDATE SET prices_at = $2`,
      [registrar, at],
    );
  }

  async notePolled(registrar: string, messages: number, at: Date): Promise<void> {
    await this.database.kept(
      `INSERT INTO registrar_state (registrar, polled_at, messages_read) VALUES ($1, $2, $3)
       ON CONFLICT (registrar) DO UPDATE SET polled_at = $2, messages_read = $3`,
      [registrar, at, messages],
    );
  }

  /** Where this database is: a restored one is elsewhere, or was found to be one at that time. */
  async readPlace(): Promise<{ readonly place: string; readonly since: string }> {
    const [row] = await this.database.kept<{ place: string; since: string }>(
      `SELECT ${ORDERING_PLACE} AS place, coalesce(${RESTORED_SINCE}::text, '') AS since`,
    );
    if (!row) throw new Error('a database has a place');
    return row;
  }

  async noteFindings(findings: readonly Finding[], seenAt: Date): Promise<void> {
    await this.database.kept(
      `INSERT INTO registrar_finding (registrar, kind, subject, words, found_at, seen_at)
       SELECT DISTINCT ON (registrar, kind, subject) registrar, kind, subject, words, $2::timestamptz, $2::timestamptz
         FROM jsonb_to_recordset($1) AS found (registrar text, kind text, subject text, words text)
       ON CONFLICT (registrar, kind, subject) DO UPDATE SET words = excluded.words, seen_at = excluded.seen_at`,
      [JSON.stringify(findings), seenAt],
    );
  }

  /** One that is there is not known to have ended. */
  async keepFinding({ registrar, kind, subject }: Omit<Finding, 'words'>, at: Date): Promise<void> {
    await this.database.kept(
      'UPDATE registrar_finding SET seen_at = $4 WHERE registrar = $1 AND kind = $2 AND subject = $3',
      [registrar, kind, subject, at],
    );
  }

  /** Removes findings of these kinds that were not seen since. */
  async endFindings(registrar: string, kinds: readonly FindingKind[], before: Date): Promise<void> {
    await this.database.kept(
      'DELETE FROM registrar_finding WHERE registrar = $1 AND kind = ANY ($2) AND seen_at < $3',
      [registrar, kinds, before],
    );
  }

  /** Removes one. @returns whether it was there */
  async endFinding(
    { registrar, kind, subject }: Omit<Finding, 'words'>,
    transaction: Queryable,
  ): Promise<boolean> {
    const rows = await transaction.kept(
      'DELETE FROM registrar_finding WHERE registrar = $1 AND kind = $2 AND subject = $3 RETURNING subject',
      [registrar, kind, subject],
    );
    return rows.length > 0;
  }

  /** A pass over all names has ended. @param place where it began */
  async noteReconciled(registrar: string, names: number, place: string, at: Date): Promise<void> {
    await this.database.kept(
      `INSERT INTO registrar_state (registrar, reconciled_at, reconciled_place, reconciled_names)
       VALUES ($1, $2, $3, $4)
       ON CONFLICT (registrar) DO UPDATE
         SET reconciled_at = $2, reconciled_place = $3, reconciled_names = $4`,
      [registrar, at, place, names],
    );
  }

  async listFindings(): Promise<(Finding & { readonly foundAt: Date })[]> {
    return this.database.kept(
      `SELECT registrar, kind, subject, words, found_at AS "foundAt" FROM registrar_finding
        ORDER BY found_at DESC, registrar, kind, subject LIMIT ${SHOWN}`,
    );
  }

  async countFindings(): Promise<{ kind: FindingKind; count: number }[]> {
    return this.database.kept(
      'SELECT kind, count(*)::int AS count FROM registrar_finding GROUP BY kind ORDER BY kind',
    );
  }

  async readExchanges(now: Date): Promise<ExchangeStatistics[]> {
    return this.database.kept<Row<ExchangeStatistics>>(
      `SELECT registrar, count(*) FILTER (WHERE is_new)::int AS exchanges,
              count(*) FILTER (WHERE is_new AND NOT is_good)::int AS failed,
              count(*) FILTER (WHERE is_new AND result IN ('2502', '429'))::int AS limited,
              percentile_cont(0.5) WITHIN GROUP (ORDER BY took_ms) FILTER (WHERE is_new) AS "medianMs",
              max(sent_at) FILTER (WHERE is_good) AS "lastGoodAt"
         FROM (SELECT registrar, took_ms, result, sent_at, ${GOOD} AS is_good,
                      sent_at > $1::timestamptz - interval '1 hour' AS is_new
                 FROM registrar_exchange WHERE sent_at > $1::timestamptz - interval '1 day') AS exchange
        GROUP BY registrar`,
      [now],
    );
  }

  async countOpenAttempts(): Promise<{ registrar: string; attempts: number }[]> {
    return this.database.kept(
      `SELECT registrar, count(*)::int AS attempts FROM registration_attempt WHERE ended_at IS NULL GROUP BY registrar`,
    );
  }

  /** Sessions at the registry, over all instances. */
  async countSessions(): Promise<number> {
    const [row] = await this.database.kept<{ sessions: number }>(
      `SELECT count(*)::int AS sessions FROM pg_locks
        WHERE locktype = 'advisory' AND classid = ${ADVISORY_LOCKS.eppSession} AND objsubid = 2 AND granted
          AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    );
    return row?.sessions ?? 0;
  }
}
