import { randomUUID } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { Clock, Database, type Queryable } from '../../db/database.js';
import { t } from '../../texts/texts.js';
import { WorkQueue } from '../../work/work-queue.js';
import { type CustomerBooking, type Entry, Ledger } from '../ledger/ledger.repository.js';
import { type CardEvent, type CardNews, cardNewsOf, CURRENCY } from './card-events.js';
import { type CardRefund, type TopUp, TopUpRepository, type WaitingNews } from './top-up.repository.js';

/** After the source of a movement: what undoes it. */
export const FAILED = ':failed';
export const WITHDRAWN = ':withdrawn';
export const REINSTATED = ':reinstated';
/** Listed with the disputes: a refund with unknown cents. */
const FOREIGN_REFUND = 'refund_not_in_aud';

/** `waits`: its payment is not known yet, and may never be: another product's. */
export type CardOutcome = 'applied' | 'duplicate' | 'suspense' | 'waits';

type WaitingTopUp = Pick<TopUp, 'id' | 'accountId' | 'availableAt'>;
type Booked = Omit<CustomerBooking, 'accountId' | 'cents' | 'against' | 'at'>;
interface Change {
  readonly accountId: string | null;
  readonly cents: number;
  readonly at: Date;
}

/**
 * Books what the card provider says. Each movement of money has a source of its own and is booked once; events may be
 * repeated and come in any order, and the same events always come to the same sum.
 */
@Injectable()
export class CardLedger {
  private readonly logger = new Logger('Cards');

  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly database: Database,
    private readonly ledger: Ledger,
    private readonly topUps: TopUpRepository,
    private readonly queue: WorkQueue,
  ) {}

  /** @returns null for an event that is about no payment */
  async takeEvent(event: CardEvent): Promise<CardOutcome | null> {
    const news = cardNewsOf(event);
    if (!news) return null;
    const now = await this.clock.now();
    const outcome = await this.database.transaction(async (transaction) => {
      const { bookedAt, accountId, topUpId } = await this.topUps.lockPayment(news.payment, now, transaction);
      if (news.is === 'paid') return bookedAt ? 'duplicate' : this.bookPayment(news, now, transaction);
      if (bookedAt) return this.apply(news, accountId, topUpId, now, transaction);
      await this.topUps.wait(news, transaction);
      return 'waits';
    });
    this.logger.log(`${event.id} (${event.type}): ${outcome}`);
    return outcome;
  }

  private async bookPayment(
    news: Extract<CardNews, { is: 'paid' }>,
    now: Date,
    transaction: Queryable,
  ): Promise<CardOutcome> {
    const { payment, cents, currency } = news;
    const topUp = await this.findTopUp(news, now, transaction);
    const fits = topUp && !topUp.paidAt && topUp.cents === cents && currency === CURRENCY;
    if (!fits) this.logger.error(`The payment ${payment} (${cents} ${currency}) fits no top-up`);
    const waiting = await this.topUps.book(payment, fits ? topUp.id : null, now, transaction);
    const words = this.config.payments.isPlayMoney ? t.orders.booked.playMoney : t.orders.booked.byCard;
    const booked = { kind: 'top_up', source: `stripe:${payment}`, words } as const;
    const accountId = fits ? topUp.accountId : null;
    await this.lock(accountId, transaction);
    // Cents of another currency are no cents of ours.
    const added =
      currency === CURRENCY && (await this.change(booked, { accountId, cents, at: now }, [], transaction));
    if (fits) {
      const availableAt = await this.notePaid(topUp, now, transaction);
      await this.setAside({ ...topUp, availableAt }, added || 0, now, transaction, topUp.id);
    }
    for (const later of waiting) await this.apply(later, accountId, fits ? topUp.id : null, now, transaction);
    return fits ? 'applied' : 'suspense';
  }

  /** A database that was restored from a backup lacks the top-up: its page names the customer. */
  private async findTopUp(
    { topUpId: id, accountId, cents, currency }: Extract<CardNews, { is: 'paid' }>,
    at: Date,
    transaction: Queryable,
  ): Promise<TopUp | null> {
    const known = await this.topUps.lock(id, transaction);
    if (known || accountId === null || currency !== CURRENCY) return known;
    await this.topUps.restore({ id, accountId, cents, madeAt: at, endsAt: at }, transaction);
    return this.topUps.lock(id, transaction);
  }

  /** A new account cannot spend its payments for a time, in which a stolen card is noticed. @returns its end */
  private async notePaid(
    { id, accountId }: Pick<TopUp, 'id' | 'accountId'>,
    now: Date,
    transaction: Queryable,
  ): Promise<Date> {
    const { firstPaidAt } = await this.topUps.readUse(accountId, now, now, transaction);
    const spendableAt = (firstPaidAt ?? now).getTime() + this.config.orders.topUps.firstWaitMs;
    const availableAt = new Date(Math.max(now.getTime(), spendableAt));
    await this.topUps.notePaid(id, now, availableAt, transaction);
    return availableAt;
  }

  private async setAside(
    { id, accountId, availableAt }: WaitingTopUp,
    cents: number,
    at: Date,
    transaction: Queryable,
    hold: string = randomUUID(),
  ): Promise<void> {
    if (!availableAt || availableAt <= at || cents <= 0) return;
    await this.ledger.holdUpTo(transaction, { id: hold, accountId, cents, at });
    await this.topUps.setHold(id, hold, transaction);
    await this.queue.wake(transaction, 'top-up', [{ key: id }], availableAt);
  }

  /**
   * Moves money of a locked top-up. The part that cannot be spent yet is set aside again: only time ends its waiting.
   *
   * @param move may take what waits
   */
  async moveOf<Result>(
    topUp: WaitingTopUp,
    at: Date,
    transaction: Queryable,
    move: () => Promise<Result>,
  ): Promise<Result> {
    const { id, accountId } = topUp;
    await this.lock(accountId, transaction);
    const before = await this.ledger.balanceOf(accountId, transaction);
    const hold = await this.topUps.findHold(id, transaction);
    if (hold) await this.ledger.release(transaction, hold.id, at);
    const result = await move();
    const after = await this.ledger.balanceOf(accountId, transaction);
    const waiting = (hold?.cents ?? 0) + after.balanceCents - before.balanceCents;
    await this.setAside(topUp, waiting, at, transaction);
    return result;
  }

  private async apply(
    news: WaitingNews,
    accountId: string | null,
    topUpId: string | null,
    now: Date,
    transaction: Queryable,
  ): Promise<CardOutcome> {
    const topUp = topUpId === null ? null : await this.topUps.lock(topUpId, transaction);
    const refundId = news.is === 'refund' ? news.refundId : null;
    const own = refundId === null ? null : await this.topUps.lockRefund(refundId, transaction);
    const move = () =>
      news.is === 'refund'
        ? this.applyRefund(news, own, accountId, now, transaction)
        : this.applyDispute(news, accountId, now, transaction);
    if (!topUp) await this.lock(accountId, transaction);
    const isNews = await (topUp ? this.moveOf(topUp, now, transaction, move) : move());
    return isNews ? 'applied' : 'duplicate';
  }

  /** All that card money may move, at once and before the first movement. */
  private async lock(accountId: string | null, transaction: Queryable): Promise<void> {
    await this.ledger.lock(transaction, [
      ...(accountId === null
        ? []
        : [{ kind: 'customer', accountId } as const, { kind: 'receivable', accountId } as const]),
      ...([{ kind: 'card_clearing' }, { kind: 'card_fees' }, { kind: 'suspense' }] as const),
    ]);
  }

  /** Ours was booked when it was asked for, and only its failure is news. Others are booked now. */
  private async applyRefund(
    { id, payment, cents, hasFailed }: Extract<CardNews, { is: 'refund' }>,
    own: CardRefund | null,
    accountId: string | null,
    at: Date,
    transaction: Queryable,
  ): Promise<boolean> {
    if (own) {
      if (hasFailed) return this.giveBack(own, at, transaction);
      if (own.state === 'asked') await this.topUps.setRefundState(own.id, 'sent', transaction);
      return own.state === 'asked';
    }
    if (cents === null) {
      if (hasFailed) return false;
      const dispute = { id, payment, cents, status: FOREIGN_REFUND };
      return this.noteDispute(dispute, accountId, at, transaction);
    }
    const sent = { kind: 'refund', source: `stripe:${id}`, words: t.orders.booked.toCard } as const;
    const isNew = (await this.change(sent, { accountId, cents: -cents, at }, [], transaction)) !== null;
    if (!hasFailed) return isNew;
    // A failure may come before its refund: then both are booked now, and the refund changes nothing when it comes.
    return this.bookFailed(`stripe:${id}`, { accountId, cents, at }, transaction);
  }

  /** Of our own refund: its money is the customer's again. @returns whether it is news */
  async giveBack(
    { id, accountId, cents }: Pick<CardRefund, 'id' | 'accountId' | 'cents'>,
    at: Date,
    transaction: Queryable,
  ): Promise<boolean> {
    await this.topUps.setRefundState(id, 'failed', transaction);
    return this.bookFailed(`refund:${id}`, { accountId, cents, at }, transaction);
  }

  /** @param refund the source of its movement */
  private async bookFailed(refund: string, change: Change, transaction: Queryable): Promise<boolean> {
    const [kind, source] = ['refund_failed', `${refund}${FAILED}`] as const;
    return (
      (await this.change({ kind, source, words: t.orders.booked.cameBack }, change, [], transaction)) !== null
    );
  }

  private async applyDispute(
    news: Extract<CardNews, { is: 'dispute' }>,
    accountId: string | null,
    at: Date,
    transaction: Queryable,
  ): Promise<boolean> {
    const { id, cents, moved, feeCents } = news;
    const isNew = await this.noteDispute(news, accountId, at, transaction);
    if (moved === null || cents === null) return isNew;
    const [kind, change, suffix] =
      moved === 'withdrawn'
        ? (['dispute', -cents, WITHDRAWN] as const)
        : (['dispute_won', cents, REINSTATED] as const);
    const booked = { kind, words: id, source: `stripe:${id}${suffix}` };
    const fees = [{ kind: 'card_fees', cents: -feeCents } as const];
    return (await this.change(booked, { accountId, cents: change, at }, fees, transaction)) !== null;
  }

  /** It freezes the account until it is harmless, or an operator has looked. @returns whether it is new */
  private async noteDispute(
    dispute: Parameters<TopUpRepository['noteDispute']>[0],
    accountId: string | null,
    at: Date,
    transaction: Queryable,
  ): Promise<boolean> {
    const { id, payment, cents } = dispute;
    const isNew = await this.topUps.noteDispute(dispute, accountId, at, transaction);
    const booked = cents === null ? ': it is not in AUD, and nothing was booked' : '';
    if (isNew) this.logger.error(`The payment ${payment} is disputed or refunded (${id})${booked}`);
    return isNew;
  }

  /** A change of what the customer has, or of suspense. @returns what the customer's balance got; null: it is booked */
  async change(
    booked: Booked,
    { accountId, cents, at }: Change,
    fees: readonly Entry[],
    transaction: Queryable,
  ): Promise<number | null> {
    const paid = fees.reduce((sum, fee) => sum + fee.cents, 0);
    const against: Entry[] = [{ kind: 'card_clearing', cents: -cents - paid }, ...fees];
    if (accountId !== null)
      return this.ledger.postTo(transaction, { ...booked, accountId, cents, at, against });
    const entries: Entry[] = [{ kind: 'suspense', cents }, ...against];
    return (await this.ledger.post(transaction, { ...booked, at, entries })) ? 0 : null;
  }
}
