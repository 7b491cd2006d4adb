import { Injectable, Logger } from '@nestjs/common';
import { isRejection, type Mail, Mailer } from '../../accounts/mailer.js';
import { Config } from '../../config/config.js';
import { Database } from '../../db/database.js';
import { unscoped } from '../../db/scope.js';
import { OutageLogger } from '../../errors/outage.js';
import { OwnerWebhooks } from '../../notify/webhooks/owner-webhooks.repository.js';
import { fillIn, t } from '../../texts/texts.js';
import type { NamedKind, Work, WorkResult } from '../../work/kind.js';
import { toOrderDto } from '../api/orders.dto.js';
import { ApprovalLinks } from '../mandates/approval-links.js';
import { stateInWords } from '../order/order-words.js';
import { dayOf, renewableUntil } from '../order/renewal-window.js';
import { type Order, OrderRepository } from '../order/order.repository.js';
import { type OrderNotice, OrderNoticeRepository } from '../order/order-notice.repository.js';

const MINUTE_MS = 60_000;
const TOLD_AT_ONCE = 50;
/** Before each further mail; an owner who could not be mailed sees it on the page. */
const RETRY_MINUTES = [1, 5, 15, 60, 240, 960];

interface Told {
  readonly notice: OrderNotice;
  readonly order: Order;
}

/** Tells owners what became of their orders: their webhooks, and by mail. Only the owner: it is in no feed. */
@Injectable()
export class OrderNotices implements NamedKind {
  readonly name = 'order-notices';
  readonly everyMs = MINUTE_MS;
  readonly channel = 'order_notice';
  /** Each mail has a limit of its own of a minute. */
  readonly deadlineMs = 10 * MINUTE_MS;
  private readonly outage = new OutageLogger(new Logger('Orders'), 'Mails about orders wait');

  constructor(
    private readonly config: Config,
    private readonly database: Database,
    private readonly notices: OrderNoticeRepository,
    private readonly orders: OrderRepository,
    private readonly webhooks: OwnerWebhooks,
    private readonly mailer: Mailer,
    private readonly approvals: ApprovalLinks,
  ) {}

  async run(_work: Work, now: Date, signal: AbortSignal): Promise<WorkResult> {
    const due = await this.notices.listDue(now, TOLD_AT_ONCE);
    const orders = new Map(
      (await this.orders.findAll(due.map(({ orderId }) => orderId))).map((one) => [one.id, one]),
    );
    const told = due.flatMap((notice) => {
      const order = orders.get(notice.orderId);
      return order && !notice.isOver ? [{ notice, order }] : [];
    });
    const silent = due.filter(({ isOver, email }) => isOver || email === null);
    await this.handOver(
      told,
      silent.map(({ id }) => id),
    );
    for (const { notice, order } of told) {
      const { email } = notice;
      if (email === null) continue;
      if (signal.aborted) break;
      // One by one: a killed run mails one notice twice at most. It was mailed with or without the lease.
      if (await this.mail(notice, email, order, now)) await unscoped(() => this.notices.delete([notice.id]));
    }
    return due.length === TOLD_AT_ONCE ? { againInMs: 0 } : {};
  }

  /** @param silent the ids of notices without an addressee, and of outdated ones */
  private async handOver(told: readonly Told[], silent: readonly string[]): Promise<void> {
    const ids = told.flatMap(({ notice }) => (notice.isHandedOver ? [] : [notice.id]));
    if (ids.length + silent.length === 0) return;
    await this.database.transaction(async (transaction) => {
      const [fresh] = await Promise.all([
        this.notices.noteHandedOver(ids, transaction),
        this.notices.delete(silent, transaction),
      ]);
      const events = told.flatMap(({ notice, order }) =>
        fresh.includes(notice.id) ? [eventOf(notice, order)] : [],
      );
      await this.webhooks.tell(events, transaction);
    });
  }

  /** @returns false where it is to be tried again */
  private async mail(notice: OrderNotice, email: string, order: Order, now: Date): Promise<boolean> {
    try {
      // An order of a program that waits: the mail with the link that approves it says so.
      if (notice.state !== 'awaiting_approval')
        await this.mailer.send(noticeMail(notice, email, order, this.config.links.baseUrl));
      else if (!(await this.approvals.sendAgain(order))) return await this.postpone(notice, now);
      this.outage.end();
      return true;
    } catch (error) {
      if (isRejection(error)) return true;
      this.outage.begin(error);
      return this.postpone(notice, now);
    }
  }

  /** @returns whether it is given up */
  private async postpone({ id, failures }: OrderNotice, now: Date): Promise<boolean> {
    const minutes = RETRY_MINUTES[failures];
    if (minutes === undefined) return true;
    await this.notices.postpone(id, new Date(now.getTime() + minutes * MINUTE_MS));
    return false;
  }
}

function eventOf({ accountId, type, state, reason, at }: OrderNotice, order: Order) {
  const words = stateInWords({ ...order, state, reason });
  const data = { ...toOrderDto(order), state, state_words: words, reason };
  return { accountId, type, data, at };
}

function noticeMail(
  { id, type, state, reason }: OrderNotice,
  to: string,
  order: Order,
  baseUrl: string,
): Mail {
  const { domain, number, expiresAt, renews, cancelAskedAt } = order;
  const days = {
    until: expiresAt ? dayOf(expiresAt) : '',
    last: expiresAt ? dayOf(renewableUntil(expiresAt)) : '',
  };
  const words = stateInWords({ ...order, state, reason });
  const isLate = type === 'registration.executed_late';
  const said = isLate ? reason : reason && `${words} (${reason})`;
  const { mails } = t.orders;
  const isGivenBack = type === 'registration.failed' && cancelAskedAt !== null;
  const { subject, lead } = isGivenBack
    ? mails.givenBack
    : mails[renews === null ? 'registration' : 'renewal'][type];
  const text = fillIn(mails.text, {
    lead: fillIn(lead, { domain, ...days }),
    number,
    state: said ?? words,
    link: `${baseUrl}/profile/orders/${order.id}`,
  });
  return {
    ...{ to, subject: fillIn(subject, { domain, ...days }), text },
    // Told twice, as a process was killed before it was noted, it is one mail to the mailbox.
    headers: { 'Message-ID': `<order.${id}@${new URL(baseUrl).hostname}>` },
  };
}
