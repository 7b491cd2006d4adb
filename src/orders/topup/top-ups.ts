import { randomUUID } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { assertIdempotencyKey, usedForAnother } from '../../access/idempotent-requests.js';
import { Config } from '../../config/config.js';
import { Clock, Database } from '../../db/database.js';
import { ApiError } from '../../errors/api-error.js';
import { t } from '../../texts/texts.js';
import { messageOf } from '../../validation/unknown-values.js';
import { WorkQueue } from '../../work/work-queue.js';
import { Ledger } from '../ledger/ledger.repository.js';
import { barred, refusal, RETRY_SECONDS } from '../ledger/refusals.js';
import { CardLedger } from './card-ledger.js';
import { CardPayments } from './card-payments.js';
import { type CardRefund, type TopUp, TopUpRepository } from './top-up.repository.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const PAGE_MS = HOUR_MS;
/** The provider opens no page that ends within 30 minutes, by its own clock. */
const LEAST_PAGE_MS = 35 * 60_000;
const REFUND_AGAIN_MS = 60_000;
const EVENTS_KEPT_MS = 30 * DAY_MS;

export interface RefundWish {
  /** Left out: the rest of the top-up. `free`: the part of it that no order needs. */
  readonly cents?: number | 'free' | undefined;
  /** Kept for ever: the same refund is made once. */
  readonly key: string | undefined;
  /** For the record. */
  readonly by: string;
}

/** What customers do with cards: top up, and have back what they did not spend. */
@Injectable()
export class TopUps {
  private readonly logger = new Logger('Cards');

  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly database: Database,
    private readonly ledger: Ledger,
    private readonly cards: CardPayments,
    private readonly cardLedger: CardLedger,
    private readonly topUps: TopUpRepository,
    private readonly queue: WorkQueue,
  ) {}

  /** Opens a page of the card provider. The same request again is answered with that page. @throws {ApiError} */
  async open(accountId: string, cents: number, key: string | undefined): Promise<TopUp> {
    const { topUps: bounds } = this.config.orders;
    if (cents < bounds.minCents) throw refusal('invalid_parameter', 'topUpLeast', { least: bounds.minCents });
    assertIdempotencyKey(key);
    const now = await this.clock.now();
    const found =
      (await this.topUps.findByKey(accountId, key)) ?? (await this.make(accountId, cents, key, now));
    if (found.cents !== cents) throw usedForAnother();
    if (found.checkoutUrl !== null || found.endsAt <= now) return found;
    const isLate = found.endsAt.getTime() - now.getTime() < LEAST_PAGE_MS;
    const topUp = isLate ? await this.prolong(found, now) : found;
    if (topUp.checkoutUrl !== null) return topUp;
    const returnUrl = `${this.config.links.baseUrl}/profile/orders`;
    try {
      const url = await this.cards.openCheckout({ ...topUp, returnUrl });
      await this.topUps.setCheckout(topUp.id, url);
      return { ...topUp, checkoutUrl: url };
    } catch (error) {
      this.logger.warn(`The card provider opened no page: ${messageOf(error)}`);
      throw refusal('payments_unavailable', 'cardsAway', {}, { retryAfterSeconds: RETRY_SECONDS });
    }
  }

  /** Of a top-up whose page was never shown: a request that is repeated may have opened another meanwhile. */
  private async prolong(topUp: TopUp, now: Date): Promise<TopUp> {
    await this.topUps.prolong(topUp, new Date(now.getTime() + PAGE_MS));
    return (await this.topUps.find(topUp.id)) ?? topUp;
  }

  private async make(accountId: string, cents: number, key: string, now: Date): Promise<TopUp> {
    const { firstMaxCents, dayMaxCents, firstWaitMs } = this.config.orders.topUps;
    await this.database.transaction(async (transaction) => {
      await this.topUps.lockAccount(accountId, transaction);
      if (await this.topUps.findByKey(accountId, key, transaction)) return;
      if (await this.topUps.isFrozen(accountId, transaction)) throw barred('frozen');
      const use = (ms: number) =>
        this.topUps.readUse(accountId, new Date(now.getTime() - ms), now, transaction);
      const { firstPaidAt } = await use(0);
      const isNew = firstPaidAt === null || firstPaidAt.getTime() + firstWaitMs > now.getTime();
      const { cents: used } = await use(isNew ? Math.max(DAY_MS, firstWaitMs) : DAY_MS);
      const most = isNew ? Math.min(firstMaxCents, dayMaxCents) : dayMaxCents;
      if (used + cents > most)
        throw refusal('limit_reached', isNew ? 'topUpNew' : 'topUpDay', {
          most,
          left: Math.max(0, most - used),
        });
      const topUp = {
        id: randomUUID(),
        accountId,
        cents,
        madeAt: now,
        endsAt: new Date(now.getTime() + PAGE_MS),
      };
      await this.topUps.insert(topUp, key, transaction);
    });
    const made = await this.topUps.findByKey(accountId, key);
    if (!made) throw new Error('a top-up that was made has a row');
    return made;
  }

  /**
   * Sends the free part of a top-up back to the card. The same request again is answered with that refund.
   *
   * @param accountId of the customer who asks; null: an operator
   * @throws {ApiError} not_found; balance_short
   */
  async refund(id: string, accountId: string | null, { cents, key, by }: RefundWish): Promise<CardRefund> {
    const found = await this.topUps.find(id);
    if (!found || (accountId !== null && found.accountId !== accountId)) throw noTopUp();
    assertIdempotencyKey(key);
    const at = await this.clock.now();
    if (!(await this.topUps.findRefundByKey(id, key)))
      await this.database.transaction(async (transaction) => {
        const topUp = await this.topUps.lock(id, transaction);
        if (!topUp?.paidAt) throw refusal('not_found', 'notPaid');
        if (await this.topUps.findRefundByKey(id, key, transaction)) return;
        const left = topUp.cents - topUp.refundedCents;
        const { accountId: owner } = topUp;
        const refundId = randomUUID();
        await this.cardLedger.moveOf(topUp, at, transaction, async () => {
          const { freeCents } = await this.ledger.balanceOf(owner, transaction);
          const wanted = cents === 'free' ? Math.min(left, freeCents) : (cents ?? left);
          if (wanted > left || wanted > freeCents || wanted <= 0)
            throw refusal('balance_short', 'notRefundable', { cents: Math.min(left, freeCents) });
          const refund = { id: refundId, topUpId: id, cents: wanted };
          await this.topUps.insertRefund(refund, { key, by, at }, transaction);
          const [kind, source] = ['refund', `refund:${refundId}`] as const;
          const booked = { kind, source, words: t.orders.booked.toCard };
          await this.cardLedger.change(booked, { accountId: owner, cents: -wanted, at }, [], transaction);
        });
        await this.queue.wake(transaction, 'card-refund', [{ key: refundId }], at);
      });
    const made = await this.topUps.findRefundByKey(id, key);
    if (!made) throw new Error('a refund that was made has a row');
    if (typeof cents === 'number' && made.cents !== cents) throw usedForAnother();
    return made;
  }

  /** The cents that {@link refundAll} would send, and free cents that no card paid. */
  async readRefundable(accountId: string): Promise<{ cardCents: number; otherCents: number }> {
    const { freeCents } = await this.ledger.balanceOf(accountId);
    const waiting = await this.topUps.readWaiting(accountId, await this.clock.now());
    const paid = this.config.payments.cards ? await this.topUps.listRefundable(accountId) : [];
    const left = paid.reduce((sum, { cents, refundedCents }) => sum + cents - refundedCents, 0);
    const cardCents = Math.min(left, freeCents + waiting.cents);
    return { cardCents, otherCents: freeCents + waiting.cents - cardCents };
  }

  /** What no order needs goes back to the cards that paid it, the newest payment first. @returns the cents */
  async refundAll(accountId: string, { key, by }: Omit<RefundWish, 'cents'>): Promise<number> {
    const paid = this.config.payments.cards ? await this.topUps.listRefundable(accountId) : [];
    let sent = 0;
    for (const { id } of paid) {
      const refund = await this.refund(id, accountId, { cents: 'free', key, by }).catch(nullIfShort);
      sent += refund?.cents ?? 0;
    }
    return sent;
  }

  /** Sends a refund that was asked for. @returns when to try again */
  async sendRefund(id: string, now: Date): Promise<{ againInMs?: number }> {
    const refund = await this.topUps.findRefund(id);
    if (refund?.state !== 'asked') return {};
    if (!this.config.payments.cards) return { againInMs: HOUR_MS };
    const outcome = await this.cards.refund(refund.payment, id, refund.cents);
    if (outcome === 'unknown') return { againInMs: REFUND_AGAIN_MS };
    await this.database.transaction(async (transaction) => {
      const topUp = await this.topUps.lock(refund.topUpId, transaction);
      const locked = await this.topUps.lockRefund(id, transaction);
      if (!topUp || locked?.state !== 'asked') return;
      if (outcome === 'sent') return this.topUps.setRefundState(id, 'sent', transaction);
      this.logger.error(`The card provider refused the refund ${id}`);
      await this.cardLedger.moveOf(topUp, now, transaction, () =>
        this.cardLedger.giveBack(locked, now, transaction),
      );
    });
    return {};
  }

  /**
   * Books the provider's events of the last thirty days: a database restored from a backup lacks the later ones, and
   * the provider does not repeat them. Known events change nothing.
   *
   * @throws {ApiError} payments_unavailable
   */
  async catchUp(): Promise<void> {
    if (!this.config.payments.cards) return;
    const since = new Date((await this.clock.now()).getTime() - EVENTS_KEPT_MS);
    const events = await this.cards.listEvents(since).catch((error: unknown) => {
      this.logger.warn(`The events of the card provider were not read: ${messageOf(error)}`);
      throw refusal('payments_unavailable', 'cardsAway', {}, { retryAfterSeconds: RETRY_SECONDS });
    });
    for (const event of events) await this.cardLedger.takeEvent(event);
  }

  /** Ends the waiting time of a top-up. @returns when it ends, if it has not */
  async makeAvailable(id: string, now: Date): Promise<{ againInMs?: number }> {
    return this.database.transaction(async (transaction) => {
      const topUp = await this.topUps.lock(id, transaction);
      const waitsMs = (topUp?.availableAt?.getTime() ?? 0) - now.getTime();
      if (waitsMs > 0) return { againInMs: waitsMs };
      const hold = await this.topUps.findHold(id, transaction);
      if (hold) await this.ledger.release(transaction, hold.id, now);
      return {};
    });
  }
}

function nullIfShort(error: unknown): null {
  if (error instanceof ApiError && error.code === 'balance_short') return null;
  throw error;
}

export function noTopUp(): ApiError {
  return refusal('not_found', 'noTopUp');
}
