import { Injectable } from '@nestjs/common';
import { OrderRepository } from '../order/order.repository.js';
import { buyerOf, type ReceiptFacts, receiptView } from './receipt.js';
import { drawReceipt } from './receipt-pdf.js';
import { orderOf, ReceiptRepository } from './receipt.repository.js';
import { refusal } from '../ledger/refusals.js';

/** Receipts, tax invoices and adjustment notes of an account. */
@Injectable()
export class Receipts {
  constructor(
    private readonly receipts: ReceiptRepository,
    private readonly orders: OrderRepository,
  ) {}

  /** @throws {ApiError} not_found, also for one of another account */
  async read(accountId: string, number: string): Promise<ReceiptFacts> {
    const receipt = await this.receipts.find(accountId, number);
    if (!receipt) throw refusal('not_found', 'noReceipt');
    const orderId = orderOf(receipt);
    const order = orderId === null ? null : await this.orders.find(orderId);
    if (!order) return { receipt, buyer: null, order: null };
    const holder = await this.orders.findHolder(order.id);
    return { receipt, order: order.number, buyer: holder && buyerOf(holder.registrant) };
  }

  /** @throws {ApiError} not_found */
  async draw(accountId: string, number: string): Promise<Buffer> {
    const facts = await this.read(accountId, number);
    return drawReceipt(receiptView(facts), facts.receipt.at);
  }
}
