import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { IdempotentRequests, type Remember, senderOfOperator } from '../access/idempotent-requests.js';
import { Config } from '../config/config.js';
import { Clock, Database, type Queryable } from '../db/database.js';
import type { ApiError } from '../errors/api-error.js';
import { AuditRepository } from '../observe/audit.repository.js';
import { Ledger } from '../orders/ledger/ledger.repository.js';
import { type OrderingStop, OrderingStops } from '../orders/ledger/ordering-stops.repository.js';
import type { StopReason } from '../orders/ledger/stop-reasons.js';
import { refusal } from '../orders/ledger/refusals.js';
import { orderClosed } from '../orders/order/order-words.js';
import { LateSales } from '../orders/order/late-sales.js';
import { type OrderEnd, OrderEnds } from '../orders/order/order-ends.js';
import { type Order, orderIs, OrderRepository } from '../orders/order/order.repository.js';
import { ExchangeEvidenceRepository } from '../orders/registrar/exchange-evidence.repository.js';
import { RegistrarHealthReader } from '../orders/registrar/registrar-health.js';
import { RegistrarStateRepository } from '../orders/registrar/registrar-state.repository.js';
import { TopUpRepository } from '../orders/topup/top-up.repository.js';
import { TopUps } from '../orders/topup/top-ups.js';
import { type AnswerOf, done, type Done, type OperatorCommand } from './answers.js';
import { type CreditRow, OperatorOrdersRepository } from './orders.repository.js';
import { timeOrNull } from '../validation/formats.js';
import { t } from '../texts/texts.js';

const SHOWN = 100;
const DAY_MS = 86_400_000;

/** Orders and their money, for operators. */
@Injectable()
export class OperatorOrders {
  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly database: Database,
    private readonly audit: AuditRepository,
    private readonly ledger: Ledger,
    private readonly stops: OrderingStops,
    private readonly orders: OrderRepository,
    private readonly ends: OrderEnds,
    private readonly late: LateSales,
    private readonly evidence: ExchangeEvidenceRepository,
    private readonly topUps: TopUpRepository,
    private readonly cards: TopUps,
    private readonly rows: OperatorOrdersRepository,
    private readonly health: RegistrarHealthReader,
    private readonly registrars: RegistrarStateRepository,
    private readonly requests: IdempotentRequests,
  ) {}

  async read(): Promise<AnswerOf<'Ordering'>> {
    const stops = await this.stops.list();
    const balances = await this.rows.readBalances();
    const credits = await this.rows.listWaitingCredits();
    const differences = await this.ledger.prove();
    return {
      ok: true,
      takes_orders: this.config.orders.enabled && stops.length === 0,
      stops: stops.map(({ reason, words, since }) => ({ reason, words, since: since.toISOString() })),
      undecided: await this.orders.countLive(),
      balances: balances.map(({ kind, accounts, balance, held }) => ({
        ...{ kind, accounts, balance_cents: balance, held_cents: held },
      })),
      ledger_differences: differences.map(({ account, words }) => `${account}: ${words}`),
      waiting_credits: credits.map(({ id, account, cents, reason, askedBy, askedAt }) => ({
        ...{ id, account, cents, reason, asked_by: askedBy, asked_at: askedAt.toISOString() },
      })),
    };
  }

  listStops(): Promise<OrderingStop[]> {
    return this.stops.list();
  }

  async readRegistrars(): Promise<AnswerOf<'Registrars'>> {
    const registrars = await this.health.read(await this.clock.now());
    const findings = await this.registrars.listFindings();
    const counts = await this.registrars.countFindings();
    return {
      ok: true,
      registrars: registrars.map((one) => ({
        ...{ name: one.name, cannot: one.cannot, reconciles_by: one.reconcilesBy },
        ...{ sessions: one.sessions, sessions_max: one.sessionsCap },
        ...{ last_good_at: timeOrNull(one.lastGoodAt), exchanges: one.exchanges, failed: one.failed },
        ...{ limited: one.limited, median_ms: one.medianMs === null ? null : Math.round(one.medianMs) },
        year_cents: Object.entries(one.yearCents).map(
          ([suffix, { registration, renewal }]) => `${suffix}: ${registration}, renewal ${renewal}`,
        ),
        ...{ balance_cents: one.balanceCents, balance_at: timeOrNull(one.balanceAt) },
        ...{ open_attempts: one.openAttempts, messages_read: one.messagesRead },
        ...{
          polled_at: timeOrNull(one.polledAt),
          certificate_expires_at: timeOrNull(one.certificateExpiresAt),
        },
        ...{ reconciled_at: timeOrNull(one.reconciledAt), is_reconciled: one.isReconciled },
        reconciled_names: one.reconciledNames,
      })),
      findings_all: counts.reduce((sum, { count }) => sum + count, 0),
      findings: findings.map(({ foundAt, ...one }) => ({ ...one, found_at: foundAt.toISOString() })),
    };
  }

  async listUndecided(): Promise<AnswerOf<'UndecidedOrders'>> {
    return { ok: true, orders: (await this.orders.listLive(SHOWN)).map(orderDto) };
  }

  /** @throws {ApiError} not_found */
  async show(id: string): Promise<AnswerOf<'OrderEvidence'>> {
    const order = await this.orders.find(id);
    if (!order) throw missing();
    const attempts = await this.rows.listAttempts(order);
    const [newest] = attempts;
    const exchanges = newest ? await this.evidence.list(newest.reference) : [];
    return {
      ok: true,
      ...orderDto(order),
      attempts: attempts.map(({ reference, sentAt, sends, asks, endedAs, executedLateAt }) => ({
        ...{ id: reference, sent_at: sentAt.toISOString(), sends, asks, ended_as: endedAs },
        executed_late_at: timeOrNull(executedLateAt),
      })),
      exchanges: exchanges.map(({ command, sentAt, tookMs, result, request, reply }) => ({
        ...{ command, sent_at: sentAt.toISOString(), took_ms: tookMs, result, request, reply },
      })),
    };
  }

  /** @throws {ApiError} not_found; order_closed unless its outcome is open */
  async settle(
    id: string,
    outcome: 'registered' | 'lost',
    expiresOn: string | undefined,
    command: OperatorCommand,
  ): Promise<Done> {
    const expiresAt = expiresOn === undefined ? null : new Date(`${expiresOn}T00:00:00Z`);
    return this.end(id, outcome, { expiresAt, reason: t.orders.reasons.settled }, command);
  }

  /** @throws {ApiError} not_found; order_closed, balance_short */
  async keep(id: string, command: OperatorCommand): Promise<Done> {
    const order = await this.orders.find(id);
    if (!order) throw missing();
    const subject = `account:${order.accountId}`;
    return done(await this.late.keep(order, (on) => this.audit.record({ ...command, subject }, on)));
  }

  /** @throws as `settle` does */
  async release(id: string, command: OperatorCommand): Promise<Done> {
    return this.end(id, 'failed', { reason: t.orders.reasons.released }, command);
  }

  private async end(
    id: string,
    to: OrderEnd,
    change: { readonly reason: string; readonly expiresAt?: Date | null },
    command: OperatorCommand,
  ): Promise<Done> {
    const now = await this.clock.now();
    await this.database.transaction(async (transaction) => {
      const order = await this.orders.lock(id, transaction);
      if (!order) throw missing();
      // While it is being sent, its outcome is on its way.
      if (!orderIs(order, 'live') || order.state === 'submitting')
        throw orderClosed('nothingToDecide', {}, order);
      await this.audit.record({ ...command, subject: `account:${order.accountId}` }, transaction);
      await this.ends.end(order, to, change, now, transaction);
    });
    return done(true);
  }

  async stop(command: OperatorCommand): Promise<Done> {
    const now = await this.clock.now();
    return this.steer(command, 'ordering', (transaction) =>
      this.stops.stop('operator', command.reason, now, { on: transaction }),
    );
  }

  /**
   * @throws {ApiError} order_closed while the ledger does not add up, or a restored database is not reconciled;
   *   payments_unavailable while it cannot be compared with the card provider
   */
  async clear(stop: StopReason, command: OperatorCommand): Promise<Done> {
    if (stop === 'ledger' && (await this.ledger.prove()).length > 0) throw orderClosed('ledger');
    if (stop === 'restored' && (await this.stops.list()).some(({ reason }) => reason === stop)) {
      const missing = await this.health.listUnreconciled();
      if (missing.length > 0) throw orderClosed('notReconciled', { registrars: missing.join(', ') });
      await this.cards.catchUp();
    }
    const now = await this.clock.now();
    return this.steer(command, 'ordering', (transaction) => this.stops.clear(stop, transaction, now));
  }

  async listDisputes(): Promise<AnswerOf<'Disputes'>> {
    const disputes = await this.topUps.listDisputes(SHOWN);
    return {
      ok: true,
      disputes: disputes.map(({ id, accountId, cents, status, openedAt, clearedAt }) => ({
        ...{ id, account: accountId, cents, status, opened_at: openedAt.toISOString() },
        cleared_at: timeOrNull(clearedAt),
      })),
    };
  }

  /** Lets an account order again in spite of a dispute. */
  async thaw(id: string, command: OperatorCommand): Promise<Done> {
    const now = await this.clock.now();
    return this.steer(command, `account:${id}`, (transaction) => this.topUps.thaw(id, now, transaction));
  }

  /**
   * With those of a day above a limit, it waits for a second operator.
   *
   * @param cents below zero: written off
   * @throws {ApiError} not_found, balance_short, idempotency_conflict
   */
  async credit(account: string, cents: number, command: OperatorCommand): Promise<AnswerOf<'CreditMade'>> {
    const { actor, reason, requestKey: key } = command;
    return this.requests.once(
      {
        by: senderOfOperator(actor),
        ...{ key, content: ['credit', account, cents, reason] },
      },
      (remember) => this.makeCredit(account, cents, command, remember),
      (id) => this.showCredit(id),
    );
  }

  private async makeCredit(
    account: string,
    cents: number,
    command: OperatorCommand,
    remember: Remember,
  ): Promise<AnswerOf<'CreditMade'>> {
    const askedAt = await this.clock.now();
    const { actor: askedBy, reason } = command;
    const credit: CreditRow = { id: randomUUID(), account, cents, reason, askedBy, askedAt };
    const since = new Date(askedAt.getTime() - DAY_MS);
    const isBooked = await this.database.transaction(async (transaction) => {
      if (!(await this.rows.lockAccount(account, transaction))) throw refusal('not_found', 'noSuchAccount');
      const ofDay = await this.rows.readBookedAlone(account, since, transaction);
      const isAlone = ofDay + Math.abs(cents) <= this.config.orders.creditAloneCents;
      await this.rows.insertCredit(credit, transaction);
      if (isAlone) await this.book(credit, askedBy, askedAt, transaction);
      await this.audit.record({ ...command, subject: `account:${account}` }, transaction);
      await remember(credit.id, transaction);
      return isAlone;
    });
    return { ok: true, id: credit.id, is_booked: isBooked };
  }

  /** @throws {ApiError} not_found */
  async showCredit(id: string): Promise<AnswerOf<'CreditMade'>> {
    const isBooked = await this.rows.isCreditBooked(id);
    if (isBooked === null) throw refusal('not_found', 'noSuchCredit');
    return { ok: true, id, is_booked: isBooked };
  }

  /** @throws {ApiError} not_found; order_closed for the operator who asked for it */
  async approveCredit(id: string, command: OperatorCommand): Promise<Done> {
    const now = await this.clock.now();
    await this.database.transaction(async (transaction) => {
      const credit = await this.rows.lockWaitingCredit(id, transaction);
      if (!credit) throw refusal('not_found', 'noCreditWaits');
      if (nameOf(credit.askedBy) === nameOf(command.actor)) throw orderClosed('ownCredit');
      await this.book(credit, command.actor, now, transaction);
      await this.audit.record({ ...command, subject: `account:${credit.account}` }, transaction);
    });
    return done(true);
  }

  private async book(
    { id, account, cents }: CreditRow,
    by: string,
    at: Date,
    transaction: Queryable,
  ): Promise<void> {
    await this.rows.noteBooked(id, by, at, transaction);
    if (cents < 0) await this.assertFree(account, -cents, transaction);
    await this.ledger.postTo(transaction, {
      ...{
        kind: 'credit',
        source: `credit:${id}`,
        words: cents > 0 ? t.orders.booked.byOperator : t.orders.booked.writtenOff,
        at,
        accountId: account,
        cents,
      },
      against: [{ kind: 'goodwill', cents: -cents }],
    });
  }

  private async assertFree(accountId: string, cents: number, transaction: Queryable): Promise<void> {
    const accounts = [
      { kind: 'customer', accountId },
      { kind: 'receivable', accountId },
      { kind: 'goodwill' },
    ] as const;
    await this.ledger.lock(transaction, accounts);
    const { freeCents } = await this.ledger.balanceOf(accountId, transaction);
    if (freeCents < cents) throw refusal('balance_short', 'notThatMuch', { free: freeCents });
  }

  private async steer(
    command: OperatorCommand,
    subject: string,
    change: (transaction: Queryable) => Promise<boolean>,
  ): Promise<Done> {
    return this.database.transaction(async (transaction) => {
      const changed = await change(transaction);
      await this.audit.record({ ...command, subject }, transaction);
      return done(changed);
    });
  }
}

/** The same person at either door. */
function nameOf(actor: string): string {
  return actor.slice(actor.indexOf(':') + 1);
}

function missing(): ApiError {
  return refusal('not_found', 'noSuchOrder');
}

function orderDto(order: Order) {
  const { id, number, accountId, domain, years, registrar, state, reason, totalCents, placedAt, renews } =
    order;
  return {
    ...{ id, number, account: accountId, domain, years, registrar, state, reason, renews },
    ...{ total_cents: totalCents, placed_at: placedAt.toISOString() },
    give_back_asked_at: timeOrNull(order.cancelAskedAt),
  };
}
