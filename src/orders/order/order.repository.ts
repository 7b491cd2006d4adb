import { Injectable, Logger } from '@nestjs/common';
import { Database, type Queryable, sqlList } from '../../db/database.js';
import { ROW_CHANGED } from '../../errors/database-failure.js';
import type { PolicyReason, Registrant } from '../registrar/port.js';
import { NOTE_PLACE } from '../ledger/ordering-stops.repository.js';
import { wakingOf } from '../../work/work-queue.js';
import { isBarred, isFrozen } from '../topup/top-up.repository.js';
import { readAttempt, type SealedAttempt, SealedRows, UnreadableRow } from './sealed-rows.repository.js';
import { noticesOf } from './order-notice.repository.js';
import { type Acceptance, AGREEMENTS, type Approval } from './agreements.js';
import {
  BY_PROGRAM,
  isQueued,
  mayMove,
  ORDER_STATE_NAMES,
  ORDER_STATES,
  type OrderState,
  statesThatAre,
  toldOf,
} from './order-states.js';
import type { Terms } from './quote-token.js';

interface OrderFields extends Terms {
  readonly id: string;
  /** As people see it. As decimal digits: a bigint. */
  readonly number: string;
  readonly requestHash: Buffer;
  readonly placedAt: Date;
  readonly approvedAt: Date | null;
  readonly lapsesAt: Date;
  readonly settledAt: Date | null;
  /** Of the name. */
  readonly expiresAt: Date | null;
  readonly reason: string | null;
  /** Until when its customer may give the name back; null where the registrar promises nothing. */
  readonly cancelUntil: Date | null;
  readonly cancelAskedAt: Date | null;
  /** None: the name is parked. */
  readonly nameServers: readonly string[];
  /** Asked for, while it is not known whether the name has them; null without. */
  readonly wishedServers: readonly string[] | null;
}

type Table = typeof ORDER_STATES;
export type OrderIn<State extends OrderState> = OrderFields & { readonly state: State };
export type Order = { [State in OrderState]: OrderIn<State> }[OrderState];
/** Orders by what their state is: waiting, live or ended. */
export type OrderThat<Is extends Table[OrderState]['is']> = {
  [State in OrderState]: Table[State]['is'] extends Is ? OrderIn<State> : never;
}[OrderState];

/** Whether the order waits, is live or has ended, by the table of states. */
export function orderIs<Is extends Table[OrderState]['is']>(order: Order, is: Is): order is OrderThat<Is> {
  return ORDER_STATES[order.state].is === is;
}

export type NewOrder = Omit<
  OrderFields,
  | 'number'
  | 'approvedAt'
  | 'settledAt'
  | 'expiresAt'
  | 'reason'
  | 'cancelUntil'
  | 'cancelAskedAt'
  | 'wishedServers'
> & {
  readonly idempotencyKey: string;
  readonly placedBy: string;
  readonly holder: OrderHolder;
};

/** For whom an order is, as it was when the order was placed. */
export interface OrderHolder {
  readonly registrant: Registrant;
  readonly policyReason: PolicyReason;
}

/** An order whose work is due. */
export interface WorkedOrder {
  readonly order: Order;
  /** Whether another order got the name after this one was approved. */
  readonly isOvertaken: boolean;
  /** @throws {Error} when no key opens it, or its account was erased */
  readonly readHolder: () => OrderHolder;
}

/** What a move writes beside the state. */
export interface Change {
  readonly reason?: string;
  readonly approval?: Approval;
  readonly expiresAt?: Date | null;
  readonly cancelUntil?: Date | null;
  readonly attempt?: SealedAttempt;
  /** Its customer sees the change at once, and gets no mail of it. */
  readonly isSeen?: boolean;
}

/** An attempt, and what came of it so far. */
export interface OpenAttempt extends SealedAttempt {
  /** When it was sent last. */
  readonly sentAt: Date;
  readonly sends: number;
  readonly noneAnswers: number;
  readonly noneAt: Date | null;
  readonly decided: 'done' | 'refused' | null;
}

export interface OrderProgress {
  /** Our reference in the command. */
  readonly reference: string;
  readonly sentAt: Date;
  readonly asks: number;
  readonly askedAt: Date | null;
  readonly executedLateAt: Date | null;
  /** When the registrar is asked again; null where it is not asked again. */
  readonly nextAt: Date | null;
}

const COLUMNS = `id, number::text, account_id AS "accountId", request_hash AS "requestHash", domain, years,
  registrant_id AS "registrantId", registrar, total_cents::float8 AS "totalCents", gst_cents::float8 AS "gstCents",
  registrar_cents::float8 AS "registrarCents", agreements, is_drop AS "isDrop", state, placed_at AS "placedAt",
  approved_at AS "approvedAt", lapses_at AS "lapsesAt", settled_at AS "settledAt", expires_at AS "expiresAt", reason,
  renews, cancel_until AS "cancelUntil", cancel_asked_at AS "cancelAskedAt", name_servers AS "nameServers",
  wished_servers AS "wishedServers"`;
/** States in which the outcome of an order is open. */
export const LIVE = sqlList(statesThatAre('live'));
/** Approved, and not sent. */
const QUEUED = sqlList(ORDER_STATE_NAMES.filter(isQueued));
/** With money set aside. */
export const HOLDING = sqlList(ORDER_STATE_NAMES.filter((state) => ORDER_STATES[state].holds));

/** Work on orders, due at a time of their rows. */
const wake = (orders: string, at: string) =>
  wakingOf(`'registration'`, `SELECT id::text AS key, '' AS lane, ${at} AS due_at FROM ${orders}`);

type Row<Value> = Value & Record<string, unknown>;
type OpenRow = Row<Omit<OpenAttempt, 'attempt'> & { id: string; sealed: Buffer }>;
/** Null once its account was erased. */
type Sealed = { readonly sealed: Buffer | null };

@Injectable()
export class OrderRepository {
  private readonly logger = new Logger('Orders');

  constructor(
    private readonly database: Database,
    private readonly sealed: SealedRows,
  ) {}

  /**
   * With its work, which is due when it lapses. Waits for an order with the same key that is being placed.
   *
   * @throws SQLSTATE 23505 where there is one
   */
  async insert(order: NewOrder): Promise<Order> {
    const [row] = await this.database.kept<Row<Order>>(
      `WITH placed AS (
       INSERT INTO registration_order
         (id, account_id, idempotency_key, request_hash, domain, years, registrant_id, registrar, total_cents, gst_cents,
          registrar_cents, agreements, is_drop, state, placed_by, placed_at, lapses_at, changed_at, sealed, renews,
          name_servers)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, 'awaiting_approval', $14, $15, $16, $15, $17, $18, $19)
       RETURNING *), noticed AS (${noticesOf('placed', '$20', 'NULL', 'placed_at')}),
       noted AS (${NOTE_PLACE}), woken AS (${wake('placed', 'lapses_at')})
       SELECT ${COLUMNS} FROM placed`,
      [
        ...[order.id, order.accountId, order.idempotencyKey, order.requestHash, order.domain, order.years],
        ...[order.registrantId, order.registrar, order.totalCents, order.gstCents, order.registrarCents],
        ...[JSON.stringify(order.agreements), order.isDrop, order.placedBy, order.placedAt, order.lapsesAt],
        ...[this.sealed.seal(order.holder, order.id), order.renews, order.nameServers],
        toldOf('awaiting_approval'),
      ],
    );
    if (!row) throw new Error('a placed order has a row');
    return row;
  }

  async countAwaitingOfPrograms(accountId: string, on: Queryable): Promise<number> {
    const [row] = await on.kept<{ count: number }>(
      `SELECT count(*)::int AS count FROM registration_order
        WHERE account_id = $1 AND state = 'awaiting_approval' AND placed_by ~ '${BY_PROGRAM}'`,
      [accountId],
    );
    return row?.count ?? 0;
  }

  async findByKey(accountId: string, key: string, on?: Queryable): Promise<Order | null> {
    return this.one('account_id = $1 AND idempotency_key = $2', [accountId, key], on);
  }

  async findOfAccount(accountId: string, id: string): Promise<Order | null> {
    return this.one('account_id = $1 AND id = $2', [accountId, id]);
  }

  async find(id: string): Promise<Order | null> {
    return this.one('id = $1', [id]);
  }

  async findAll(ids: readonly string[]): Promise<Order[]> {
    return this.all('id = ANY ($1)', [ids]);
  }

  /** The approved order that renews the name of this one; null without. */
  async findRenewing(id: string, on?: Queryable): Promise<Order | null> {
    return this.one(`renews = $1 AND state IN ${HOLDING} LIMIT 1`, [id], on);
  }

  /** With what a step of its work needs to begin. */
  async findForWork(id: string): Promise<WorkedOrder | null> {
    const [row] = await this.database.kept<Row<Order & Sealed & { isOvertaken: boolean }>>(
      `SELECT ${COLUMNS}, sealed,
              EXISTS (SELECT FROM registration_order AS other
                       WHERE other.domain = one.domain AND other.state = 'registered' AND other.id <> one.id
                         AND other.settled_at >= one.approved_at) AS "isOvertaken"
         FROM registration_order AS one WHERE id = $1`,
      [id],
    );
    if (!row) return null;
    const { sealed, isOvertaken, ...order } = row;
    return { order, isOvertaken, readHolder: () => this.openHolder(id, sealed) };
  }

  /** @returns null when no key opens it, or its account was erased */
  async findHolder(id: string): Promise<OrderHolder | null> {
    const [row] = await this.database.kept<Row<Sealed>>(
      'SELECT sealed FROM registration_order WHERE id = $1',
      [id],
    );
    try {
      return this.openHolder(id, row?.sealed ?? null);
    } catch (error) {
      if (!(error instanceof UnreadableRow)) throw error;
      this.logger.warn(error.message);
      return null;
    }
  }

  private openHolder(id: string, sealed: Buffer | null): OrderHolder {
    if (!sealed) throw new UnreadableRow(`the order ${id} has no registrant`);
    return this.sealed.open(sealed, id) as OrderHolder;
  }

  /** Locks it until the transaction ends: orders are locked before accounts of the ledger. */
  async lock(id: string, transaction: Queryable): Promise<Order | null> {
    return this.one('id = $1 FOR NO KEY UPDATE', [id], transaction);
  }

  /** Of a locked order: whether this program placed it, and whether a mandate approved it. */
  async readOrigin(
    id: string,
    program: string,
    transaction: Queryable,
  ): Promise<{ readonly isOwn: boolean; readonly isByMandate: boolean }> {
    const [row] = await transaction.kept<{ isOwn: boolean; isByMandate: boolean }>(
      `SELECT placed_by = $2 AS "isOwn", mandate_id IS NOT NULL AS "isByMandate"
         FROM registration_order WHERE id = $1`,
      [id, program],
    );
    return row ?? { isOwn: false, isByMandate: false };
  }

  /** The newest first. @param before the number of an order; null: from the newest */
  async list(accountId: string, before: string | null, limit: number): Promise<Order[]> {
    const where = 'account_id = $1 AND ($2::bigint IS NULL OR number < $2) ORDER BY number DESC LIMIT $3';
    return this.all(where, [accountId, before, limit]);
  }

  /** Orders whose outcome is open, over all accounts; the longest in their state first. */
  async listLive(limit: number): Promise<Order[]> {
    return this.all(`state IN ${LIVE} ORDER BY changed_at, id LIMIT $1`, [limit]);
  }

  async countLive(): Promise<number> {
    const [row] = await this.database.kept<{ orders: number }>(
      `SELECT count(*)::int AS orders FROM registration_order WHERE state IN ${LIVE}`,
    );
    return row?.orders ?? 0;
  }

  /**
   * Moves a locked order, and notifies its owner; an approved one has work that is due, and the attempt of an ended one
   * has ended. Moves that the table of states does not have neither compile nor run.
   *
   * @param at also when it was approved or settled, as the new state says
   */
  async move<From extends OrderState>(
    order: OrderIn<From>,
    to: Table[From]['next'][number],
    at: Date,
    transaction: Queryable,
    { reason, approval, expiresAt, cancelUntil, attempt, isSeen = false }: Change = {},
  ): Promise<Order> {
    const state = to as OrderState;
    if (!mayMove(order.state, state)) throw new Error(`no order goes from ${order.state} to ${state}`);
    const hasEnded = ORDER_STATES[state].is === 'ended';
    const values: unknown[] = [order.id, order.state, state, at, reason ?? null];
    const given = (value: unknown) => `$${values.push(value)}`;
    const sets = [`settled_at = ${hasEnded ? '$4' : 'NULL'}`];
    const beside: string[] = [];
    if (expiresAt) sets.push(`expires_at = ${given(expiresAt)}`);
    if (cancelUntil) sets.push(`cancel_until = ${given(cancelUntil)}`);
    if (approval) {
      const { by, from, lapsesAt, acceptance, mandateId, terms } = approval;
      sets.push(
        `approved_at = $4, approved_by = ${given(by)}, approved_from = ${given(from)}, lapses_at = ${given(lapsesAt)}`,
        `accepted = ${given(JSON.stringify(acceptedIn(acceptance)))}, mandate_id = ${given(mandateId)}`,
        `approved_terms = ${given(terms)}`,
      );
      beside.push(`woken AS (${wake('moved', 'changed_at')})`);
    }
    if (attempt)
      beside.push(`sent AS (INSERT INTO registration_attempt (id, order_id, registrar, sealed, cltrid, sent_at)
                             SELECT ${this.attemptRow(attempt).map(given).join()} FROM moved)`);
    else if (hasEnded)
      beside.push(`ended AS (UPDATE registration_attempt SET ended_at = $4, ended_as = $3
                              WHERE order_id = $1 AND ended_at IS NULL)`);
    const told = toldOf(state);
    if (told) beside.push(`noticed AS (${noticesOf('moved', given(told), 'reason', 'changed_at', isSeen)})`);
    const [row] = await transaction.kept<Row<Order>>(
      `WITH moved AS (
       UPDATE registration_order SET state = $3, changed_at = $4, reason = $5, ${sets.join()}
        WHERE id = $1 AND state = $2 RETURNING *
       ) ${beside.map((one) => `, ${one}`).join('')}
       SELECT ${COLUMNS} FROM (SELECT) AS one LEFT JOIN moved ON true
        WHERE id IS NOT NULL OR end_statement('${ROW_CHANGED}', 'the order has left the state ' || $2)`,
      values,
    );
    if (!row) throw new Error('a moved order has a row');
    return row;
  }

  /** Keeps the words of the agreements of today: without them the hash of an acceptance proves nothing. */
  async keepTexts(transaction: Queryable): Promise<void> {
    await transaction.kept(
      `INSERT INTO agreement_text (hash, id, version, text)
       SELECT hash, id, version, text FROM jsonb_to_recordset($1) AS today (hash text, id text, version text, text text)
       ON CONFLICT DO NOTHING`,
      [JSON.stringify(AGREEMENTS)],
    );
  }

  /** The account's newest order of a name that may get it, or has it until after this time; and how many it placed. */
  async findOpen(
    accountId: string,
    domain: string,
    after: Date,
  ): Promise<{ open: Order | null; placed: number }> {
    const [row] = await this.database.kept<Row<Order & { placed: number }>>(
      // One statement: an order placed meanwhile is neither counted nor found, or both.
      `SELECT ${COLUMNS}, placed FROM (
         SELECT count(*)::int AS placed FROM registration_order WHERE account_id = $1 AND domain = $2) AS counted
         LEFT JOIN LATERAL (SELECT * FROM registration_order WHERE account_id = $1 AND domain = $2
              AND (state NOT IN ${sqlList(statesThatAre('ended'))} OR state = 'registered' AND coalesce(expires_at > $3, true))
            ORDER BY number DESC LIMIT 1) AS newest ON true`,
      [accountId, domain, after],
    );
    return { open: row?.id ? row : null, placed: row?.placed ?? 0 };
  }

  /**
   * Whether its account may not order now, or of its name another order is under way, is being given back, or comes
   * before it in the queue, where a renewal has no place. One of a frozen account keeps its place; others go first.
   */
  async mustWait({ id, domain, accountId, renews }: Order, transaction: Queryable): Promise<boolean> {
    const [row] = await transaction.kept<{ waits: boolean }>(
      `SELECT ${isBarred('$3')} OR EXISTS (SELECT FROM registration_order WHERE domain = $2
                         AND (state IN ${LIVE} OR state = 'registered' AND cancel_asked_at IS NOT NULL))
           OR $4::uuid IS NULL AND (SELECT id FROM registration_order AS queued
                WHERE domain = $2 AND renews IS NULL AND state IN ${QUEUED} AND NOT ${isFrozen('queued.account_id')}
                ORDER BY approved_at, number LIMIT 1) <> $1 AS waits`,
      [id, domain, accountId, renews],
    );
    return row?.waits ?? false;
  }

  /** Orders that waited for the end of another order of this name have work that is due. */
  async wakeWaiting(domain: string, at: Date, transaction: Queryable): Promise<void> {
    const waiting = `(SELECT *, $2::timestamptz AS at FROM registration_order WHERE domain = $1 AND state IN ${QUEUED}) AS one`;
    await transaction.kept(wake(waiting, 'at'), [domain, at]);
  }

  /** What approved orders will cost at this registrar. */
  async readCostOfWaiting(registrar: string): Promise<number> {
    const [row] = await this.database.kept<{ cents: number }>(
      `SELECT coalesce(max(registrar_cents), 0)::float8 AS cents FROM registration_order
        WHERE registrar = $1 AND state IN ${QUEUED}`,
      [registrar],
    );
    return row?.cents ?? 0;
  }

  private attemptRow({ attempt, expiresBefore }: SealedAttempt): unknown[] {
    const sealed = this.sealed.seal({ ...attempt, expiresBefore }, attempt.id);
    return [attempt.id, attempt.order, attempt.registrar, sealed, attempt.clTRID, attempt.startedAt];
  }

  /** @throws {Error} without one, or when no key opens it */
  async readOpenAttempt(orderId: string): Promise<OpenAttempt> {
    const [row] = await this.database.kept<OpenRow>(
      // The release before counted answers without their time, and not by the same rules.
      `SELECT id, sealed, sent_at AS "sentAt", sends, CASE WHEN none_at IS NULL THEN 0 ELSE none_answers END AS "noneAnswers",
              none_at AS "noneAt", decided FROM registration_attempt WHERE order_id = $1 AND ended_at IS NULL`,
      [orderId],
    );
    if (!row) throw new Error(`the order ${orderId} has no attempt under way`);
    const { id, sealed, ...rest } = row;
    return { ...rest, ...readAttempt(this.sealed, sealed, id) };
  }

  /** The drop is later than it was when the order was approved. */
  async postpone(id: string, lapsesAt: Date, transaction: Queryable): Promise<void> {
    await transaction.kept('UPDATE registration_order SET lapses_at = $2 WHERE id = $1', [id, lapsesAt]);
  }

  /** Its customer gives the name back, or the registrar would not have it: null. */
  async noteCancelAsked(id: string, at: Date | null, reason: string, transaction: Queryable): Promise<void> {
    await transaction.kept('UPDATE registration_order SET cancel_asked_at = $2, reason = $3 WHERE id = $1', [
      ...[id, at, reason],
    ]);
  }

  async noteAsked(attemptId: string, noneAnswers: number, at: Date, transaction: Queryable): Promise<void> {
    await transaction.kept(
      `UPDATE registration_attempt SET asks = asks + 1, asked_at = $2, none_answers = $3,
              none_at = CASE WHEN $3 > none_answers OR none_at IS NULL AND $3 > 0 THEN $2 ELSE none_at END WHERE id = $1`,
      [attemptId, at, noneAnswers],
    );
  }

  async noteSending(open: OpenAttempt, transaction: Queryable): Promise<void> {
    const { attempt, sends, sentAt, noneAnswers, noneAt } = open;
    await transaction.kept(
      `UPDATE registration_attempt SET sends = $2, sent_at = $3, none_answers = $4, none_at = $5 WHERE id = $1`,
      [attempt.id, sends, sentAt, noneAnswers, noneAt],
    );
  }

  /** Of an order that goes on without it. */
  async endAttempt(orderId: string, at: Date, transaction: Queryable): Promise<void> {
    await transaction.kept(
      `UPDATE registration_attempt SET ended_at = $2, ended_as = 'not_sent' WHERE order_id = $1 AND ended_at IS NULL`,
      [orderId, at],
    );
  }

  /** The last attempt of an order, as its customer may see it; null before the first. */
  async readProgress(orderId: string): Promise<OrderProgress | null> {
    const [row] = await this.database.kept<Row<OrderProgress>>(
      `SELECT cltrid AS reference, sent_at AS "sentAt", asks, asked_at AS "askedAt",
              executed_late_at AS "executedLateAt", nullif(due_at, 'infinity') AS "nextAt"
         FROM registration_attempt LEFT JOIN work ON kind = 'registration' AND key = order_id::text
        WHERE order_id = $1 ORDER BY sent_at DESC LIMIT 1`,
      [orderId],
    );
    return row ?? null;
  }

  /** Keeps what a message of the registrar said. @returns the order of the attempt; null where none of ours has this name */
  async noteMessage(
    clTRID: string,
    name: string,
    decided: 'done' | 'refused',
    transaction: Queryable,
  ): Promise<string | null> {
    const [row] = await transaction.kept<{ orderId: string }>(
      `UPDATE registration_attempt SET decided = $3 FROM registration_order AS placed
        WHERE cltrid = $1 AND ended_at IS NULL AND placed.id = order_id AND domain = $2
       RETURNING order_id AS "orderId"`,
      [clTRID, name, decided],
    );
    return row?.orderId ?? null;
  }

  private async one(where: string, parameters: readonly unknown[], on?: Queryable): Promise<Order | null> {
    const [row] = await this.all(where, parameters, on);
    return row ?? null;
  }

  private async all(where: string, parameters: readonly unknown[], on: Queryable = this.database) {
    const sql = `SELECT ${COLUMNS} FROM registration_order WHERE ${where}`;
    return on.kept<Row<Order>>(sql, parameters);
  }
}

/** Each text with its acceptance: the order keeps the evidence when its mandate changes later. */
function acceptedIn({ agreements, at, by, from }: Acceptance): readonly object[] {
  return agreements.map((text) => ({ ...text, at: at.toISOString(), by, from }));
}
