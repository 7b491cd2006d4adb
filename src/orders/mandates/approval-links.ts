import { createHash, randomBytes } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { AccountMails } from '../../accounts/account-mails.js';
import { Clock, type Queryable } from '../../db/database.js';
import { unscoped } from '../../db/scope.js';
import type { ApiError } from '../../errors/api-error.js';
import type { ApprovalFacts } from '../order/order-actors.js';
import { OrderDesk } from '../order/order-desk.js';
import type { Order } from '../order/order.repository.js';
import { OrderNoticeRepository } from '../order/order-notice.repository.js';
import { ApprovalLinkRepository } from './approval-link.repository.js';
import { refusal } from '../ledger/refusals.js';
import { t } from '../../texts/texts.js';

const TOKEN_BYTES = 32;
export const APPROVAL_TOKEN = /^[\w-]{43}$/;

/** Links by mail. Each approves one order, once, as long as nothing of it has changed. */
@Injectable()
export class ApprovalLinks {
  private readonly logger = new Logger('Orders');

  constructor(
    private readonly clock: Clock,
    private readonly desk: OrderDesk,
    private readonly links: ApprovalLinkRepository,
    private readonly mails: AccountMails,
    private readonly notices: OrderNoticeRepository,
  ) {}

  /** Mails the owner of the account, once an order. No request waits for it: where it fails, the notice sends it. */
  async send(order: Order): Promise<void> {
    if (await this.links.isMade(order.id)) return;
    const terms = await this.desk.termsOf(order);
    void unscoped(async () => {
      if (await this.mail(order, terms, false)) await this.notices.noteMailed(order);
    }).catch((error: unknown) => this.logger.error(`A link that approves an order waits: ${String(error)}`));
  }

  /** In place of one that was perhaps never mailed. @returns false where it has to wait, as for the hourly limit */
  async sendAgain(order: Order): Promise<boolean> {
    return this.mail(order, await this.desk.termsOf(order), true);
  }

  private async mail(order: Order, terms: string, isAgain: boolean): Promise<boolean> {
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    const { id: orderId, accountId, domain, years, totalCents, lapsesAt, renews } = order;
    const what = t.orders.movements[renews === null ? 'registration' : 'renewal'];
    const link = { orderId, tokenHash: hashOf(token), terms: Buffer.from(terms, 'hex') };
    const now = await this.clock.now();
    return this.mails.approveOrder(accountId, { what, domain, years, totalCents }, token, () =>
      this.links.insert(link, now, lapsesAt, isAgain),
    );
  }

  /** The order of a link that was not used. @throws {ApiError} not_found, also for one of another account */
  async open(token: string, accountId: string): Promise<Order> {
    const id = await this.links.find(hashOf(token), await this.clock.now());
    if (id === null) throw linkIsOld();
    return this.desk.read(id, accountId);
  }

  /** Uses a link, in the transaction of the approval: one that fails leaves it as it was. */
  async use(token: string, transaction: Queryable, { order, terms, now }: ApprovalFacts): Promise<void> {
    const link = { orderId: order.id, tokenHash: hashOf(token), terms };
    if (!(await this.links.use(link, now, transaction))) throw linkIsOld();
  }
}

function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

function linkIsOld(): ApiError {
  return refusal('not_found', 'noLink');
}
