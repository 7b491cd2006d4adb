import { Inject, Injectable, Logger } from '@nestjs/common';
import { Database } from '../../db/database.js';
import { fillIn, t } from '../../texts/texts.js';
import type { WorkResult } from '../../work/kind.js';
import { OrderNoticeRepository } from './order-notice.repository.js';
import {
  type Attempt,
  type Outcome,
  refused,
  type Registrar,
  REGISTRARS,
  type Registrars,
} from '../registrar/port.js';
import { GivenBackRepository } from './given-back.repository.js';
import { type Order, type OrderIn, OrderRepository } from './order.repository.js';
import { OrderTeaching } from './order-teaching.js';
import { OrderEnds } from './order-ends.js';

const AGAIN_MS = 20_000;
/** A deletion that was sent within the window counts, though its reply came later. */
const SLACK_MS = 60_000;

/**
 * Gives registered names back within the window that the registrar promises, and the money to the customer. A name that
 * is gone was deleted by an earlier run, and so was one that another has after our command left without a reply. A run
 * that was killed may not have sent its command: then an operator decides.
 */
@Injectable()
export class OrderCancelling {
  private readonly logger = new Logger('Orders');

  constructor(
    private readonly database: Database,
    private readonly orders: OrderRepository,
    private readonly givenBack: GivenBackRepository,
    private readonly notices: OrderNoticeRepository,
    private readonly ends: OrderEnds,
    private readonly teaching: OrderTeaching,
    @Inject(REGISTRARS) private readonly registrars: Registrars,
  ) {}

  async run(order: OrderIn<'registered'>, now: Date): Promise<WorkResult> {
    const { attempt, sentAt } = await this.givenBack.readAttempt(order.id);
    const registrar = this.registrars.named(attempt.registrar);
    if (!registrar) return { againInMs: AGAIN_MS };
    const isLate = now.getTime() > (order.cancelUntil?.getTime() ?? 0) + SLACK_MS;
    const outcome = isLate ? await isGone(registrar, attempt) : await registrar.cancel(attempt);
    if (outcome.is === 'done') return this.giveBack(order, t.orders.reasons.givenBack, now);
    if (outcome.is !== 'refused' && !isLate && !sentAt) await this.givenBack.noteSent(attempt, now);
    if (outcome.is === 'refused' && outcome.reason === 'taken')
      return sentAt
        ? this.giveBack(order, t.orders.reasons.takenAfterwards, now)
        : this.callOperator(order, now);
    const isAway = outcome.is !== 'refused' || outcome.reason === 'busy' || outcome.reason === 'away';
    if (isAway) return { againInMs: AGAIN_MS };
    // The name is still ours: earlier commands deleted nothing, and a later deletion is a new one.
    await this.givenBack.noteSent(attempt, null);
    await this.refuse(order, fillIn(t.orders.reasons.notGivenBack, { reason: outcome.text }), now);
    return {};
  }

  /** We deleted nothing: evidence decides how the name came to another, and whether the registrar gave the fee back. */
  private async callOperator({ id, domain }: Order, now: Date): Promise<WorkResult> {
    this.logger.error(`The order ${id} was being given back, and another has ${domain}`);
    await this.database.transaction(async (transaction) => {
      const order = await this.orders.lock(id, transaction);
      if (order?.state !== 'registered' || !order.cancelAskedAt) return;
      const reason = t.orders.reasons.takenMeanwhile;
      await this.orders.move(order, 'needs_operator', now, transaction, { reason });
    });
    return {};
  }

  private async giveBack({ id }: Order, reason: string, now: Date): Promise<WorkResult> {
    const ended = await this.database.transaction(async (transaction) => {
      const order = await this.orders.lock(id, transaction);
      if (order?.state !== 'registered') return null;
      const cancelled = await this.orders.move(order, 'cancelled', now, transaction, { reason });
      await this.ends.payBack(order, now, transaction);
      return cancelled;
    });
    return ended ? this.teaching.run(ended, now) : {};
  }

  private async refuse({ id }: Order, reason: string, at: Date): Promise<void> {
    this.logger.warn(`The order ${id} stays registered: ${reason}`);
    await this.database.transaction(async (transaction) => {
      await this.orders.noteCancelAsked(id, null, reason, transaction);
      const type = 'registration.needs_attention';
      await this.notices.insert({ orderId: id, type, reason, at }, transaction);
    });
  }
}

/** Behind the window nothing is deleted: a deletion that was sent before it may have been executed. */
async function isGone(registrar: Registrar, attempt: Attempt): Promise<Outcome<null>> {
  const found = await registrar.find(attempt);
  if (found.is !== 'done') return found;
  if (found.value === 'none') return { is: 'done', value: null };
  if (found.value === 'foreign') return refused('taken', 'window', 'The name is not of this order.');
  return { is: 'refused', reason: 'policy', code: 'window', text: 'the window for cancelling has passed' };
}
