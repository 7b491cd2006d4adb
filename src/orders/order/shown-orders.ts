import { Injectable } from '@nestjs/common';
import { TopUpRepository } from '../topup/top-up.repository.js';
import { OrderDesk } from './order-desk.js';
import { isQueued } from './order-states.js';
import { type Order, OrderRepository } from './order.repository.js';
import { barInWords } from '../ledger/refusals.js';

/** Orders as their customers see them: approved ones with the reason why none is sent. */
@Injectable()
export class ShownOrders {
  constructor(
    private readonly desk: OrderDesk,
    private readonly orders: OrderRepository,
    private readonly topUps: TopUpRepository,
  ) {}

  /** @throws {ApiError} not_found */
  async read(id: string, accountId: string): Promise<Order> {
    const order = await this.desk.read(id, accountId);
    const [shown = order] = await this.explain([order], accountId);
    return shown;
  }

  /** The newest first. @param before the number of an order; null: from the newest */
  async list(accountId: string, before: string | null, limit: number): Promise<readonly Order[]> {
    return this.explain(await this.orders.list(accountId, before, limit), accountId);
  }

  private async explain(orders: readonly Order[], accountId: string): Promise<readonly Order[]> {
    if (!orders.some(({ state }) => isQueued(state))) return orders;
    const bar = await this.topUps.findBar(accountId);
    if (bar === null) return orders;
    const reason = barInWords(bar);
    return orders.map((order) => (isQueued(order.state) ? { ...order, reason } : order));
  }
}
