import { Injectable, Logger } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { Clock, Database } from '../../db/database.js';
import { ApiError } from '../../errors/api-error.js';
import { networkOf } from '../../observe/audit.repository.js';
import type { NamedKind, Work, WorkResult } from '../../work/kind.js';
import { OrderNoticeRepository } from './order-notice.repository.js';
import { AGREEMENT_NAMES, areOfToday } from './agreements.js';
import { assertAccepted, type OrderActor, OrderDesk, type Quoted } from './order-desk.js';
import { type Order, OrderRepository } from './order.repository.js';
import {
  type DueRenewal,
  REMINDED_DAYS,
  type RenewalConsent,
  RenewalRepository,
} from './renewal.repository.js';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** The registry renews a name from this day on, and for so long after its end. */
const RENEWABLE_FROM_MS = REMINDED_DAYS[0] * DAY_MS;
const RENEWABLE_AFTER_MS = 30 * DAY_MS;
const AT_ONCE = 200;

/** Reminds of the ends of registrations, and renews them: by an order, or by itself with a person's consent. */
@Injectable()
export class Renewals implements NamedKind {
  readonly name = 'renewals';
  readonly everyMs = HOUR_MS;
  readonly deadlineMs = 10 * 60_000;
  private readonly logger = new Logger('Orders');

  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly database: Database,
    private readonly desk: OrderDesk,
    private readonly orders: OrderRepository,
    private readonly notices: OrderNoticeRepository,
    private readonly renewals: RenewalRepository,
  ) {}

  /** @throws {ApiError} not_found, order_closed, and what a quote of a registration throws */
  async quote(id: string, years: number, accountId: string): Promise<Quoted> {
    const order = await this.desk.read(id, accountId);
    const { expiresAt } = order;
    if (order.state !== 'registered' || order.renews !== null || !expiresAt)
      throw new ApiError(
        'order_closed',
        `The order is ${order.state}: only a registered name can be renewed`,
      );
    const now = await this.clock.now();
    const [from, to] = [expiresAt.getTime() - RENEWABLE_FROM_MS, expiresAt.getTime() + RENEWABLE_AFTER_MS];
    if (now.getTime() < from || now.getTime() > to)
      throw new ApiError(
        'order_closed',
        `The registry renews the name from ${dayOf(from)} to ${dayOf(to)}; ask for a quote then`,
      );
    return this.desk.quoteRenewal(order, years);
  }

  /** Null where a person has to order the renewal. */
  findConsent(id: string): Promise<RenewalConsent | null> {
    return this.renewals.findConsent(id);
  }

  /**
   * A person consents to renewals by itself, for what a year cost; without agreements they end.
   *
   * @throws {ApiError} not_found, invalid_parameter
   */
  async setConsent(id: string, accept: readonly string[], actor: OrderActor): Promise<void> {
    const { accountId, by } = actor;
    const order = await this.desk.read(id, accountId);
    const isGiven = accept.length > 0;
    if (isGiven) assertAccepted(accept);
    const now = await this.clock.now();
    const consent = {
      ...{ by, from: networkOf(actor.from), at: now.toISOString() },
      ...{ maxCents: yearCentsOf(order), agreements: AGREEMENT_NAMES },
    };
    if (!(await this.renewals.setConsent(accountId, id, isGiven ? consent : null, now)))
      throw new ApiError('not_found', 'This account has no registered name with that id');
  }

  async run(_work: Work, now: Date, signal: AbortSignal): Promise<WorkResult> {
    const reminded = await this.renewals.remind(now, AT_ONCE);
    const due = this.config.orders.enabled ? await this.renewals.listDue(now, AT_ONCE) : [];
    for (const one of due) {
      if (signal.aborted) break;
      await this.renew(one, now).catch((error: unknown) => this.fail(one, error, now));
    }
    return reminded === AT_ONCE ? { againInMs: 0 } : {};
  }

  /** Once for each end: the key of the order names it. */
  private async renew({ id, accountId, expiresAt, consent }: DueRenewal, now: Date): Promise<void> {
    const key = `renewal:${id}:${dayOf(expiresAt.getTime())}`;
    const actor = { accountId, by: `consent:${consent.by}`, from: consent.from };
    if (!areOfToday(consent.agreements))
      throw new ApiError('order_closed', 'the agreements have changed since the consent');
    let order = await this.orders.findByKey(accountId, key);
    if (!order) {
      const { quote, token } = await this.quote(id, 1, accountId);
      if (quote.totalCents > consent.maxCents)
        throw new ApiError(
          'price_changed',
          `a year costs ${quote.totalCents} cents, more than was consented to`,
        );
      order = await this.desk.place(token, AGREEMENT_NAMES, key, actor);
    }
    if (order.state === 'awaiting_approval' && now < order.lapsesAt)
      await this.desk.approve(order.id, AGREEMENT_NAMES, actor);
  }

  /** Notifies its owner once for each reason; the next run tries again. */
  private async fail({ id, domain }: DueRenewal, error: unknown, at: Date): Promise<void> {
    if (!(error instanceof ApiError)) throw error;
    const reason = `it was not renewed by itself: ${error.message}`;
    this.logger.warn(`${domain} of the order ${id}: ${reason}`);
    if (!(await this.renewals.noteFailed(id, reason))) return;
    const notice = { orderId: id, type: 'registration.needs_attention', reason, at } as const;
    await this.database.transaction((transaction) => this.notices.insert(notice, transaction));
  }
}

/** What a year of an order cost. */
export function yearCentsOf({ totalCents, years }: Pick<Order, 'totalCents' | 'years'>): number {
  return Math.ceil(totalCents / years);
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
