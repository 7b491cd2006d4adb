import { Injectable } from '@nestjs/common';
import { Database } from '../../db/database.js';
import type { Seller, TransactionKind } from '../ledger/ledger.repository.js';
import { REVERSAL, SALE } from '../order/order-bookings.js';
import { FAILED, REINSTATED, WITHDRAWN } from '../topup/card-ledger.js';

/** A document about a movement of money. Nothing of it can change: it is read from the ledger. */
export interface Receipt {
  readonly number: string;
  readonly kind: TransactionKind;
  /** What it was booked for, such as `order:…`. */
  readonly source: string;
  readonly words: string;
  readonly at: Date;
  /** What the customer paid or got back, with GST. */
  readonly totalCents: number;
  readonly gstCents: number;
  readonly seller: Seller;
  /** The number of the document that this one adjusts or corrects. */
  readonly adjusts: string | null;
}

/** The two movements of an order: its sale, and the sale's reversal. */
const sourcesOf = (orderId: string) => [`${SALE}${orderId}`, `${REVERSAL}${orderId}`];

/** @returns the order that it was booked for; null: none */
export function orderOf({ source }: Pick<Receipt, 'source'>): string | null {
  const prefix = [SALE, REVERSAL].find((one) => source.startsWith(one));
  return prefix === undefined ? null : source.slice(prefix.length);
}

/** What a reversal or correction is about, by the source of its movement. */
const CORRECTED = `CASE
  WHEN booked.source LIKE '${REVERSAL}%' THEN '${SALE}' || substr(booked.source, ${REVERSAL.length + 1})
  WHEN booked.kind = 'refund_failed' THEN left(booked.source, -${FAILED.length})
  WHEN booked.kind = 'dispute_won' THEN left(booked.source, -${REINSTATED.length}) || '${WITHDRAWN}'
  WHEN booked.kind = 'dispute' THEN (SELECT 'stripe:' || payment FROM card_dispute WHERE id = booked.words) END`;

// A reversal states the seller of its sale.
const RECEIPT = `receipt.number::text, booked.kind, booked.source, booked.words, booked.at,
  abs(sums.total)::float8 AS "totalCents", abs(sums.gst)::float8 AS "gstCents",
  coalesce(sale.seller, receipt.seller) AS seller, sale.number AS adjusts`;
const FROM = `receipt JOIN ledger_transaction AS booked ON booked.id = receipt.transaction_id
  CROSS JOIN LATERAL (
    SELECT coalesce(sum(entry.cents) FILTER (WHERE account.kind IN ('customer', 'receivable')), 0) AS total,
           coalesce(sum(entry.cents) FILTER (WHERE account.kind = 'gst_payable'), 0) AS gst
      FROM ledger_entry AS entry JOIN ledger_account AS account ON account.id = entry.ledger_account_id
     WHERE entry.transaction_id = booked.id) AS sums
  LEFT JOIN LATERAL (
    SELECT earlier.number::text, earlier.seller
      FROM ledger_transaction AS sold JOIN receipt AS earlier ON earlier.transaction_id = sold.id
     WHERE sold.source = ${CORRECTED}) AS sale ON true`;

@Injectable()
export class ReceiptRepository {
  constructor(private readonly database: Database) {}

  /** @param number decimal digits of a bigint @returns null where the account has none by it */
  async find(accountId: string, number: string): Promise<Receipt | null> {
    const [row] = await this.many('receipt.account_id = $1 AND receipt.number = $2', [accountId, number]);
    return row ?? null;
  }

  /** Of an order, in the order of their numbers. */
  async listOfOrder(accountId: string, orderId: string): Promise<Receipt[]> {
    return this.many('receipt.account_id = $1 AND booked.source = ANY ($2) ORDER BY receipt.number', [
      ...[accountId, sourcesOf(orderId)],
    ]);
  }

  private async many(where: string, parameters: readonly unknown[]): Promise<Receipt[]> {
    return this.database.kept<Receipt & Record<string, unknown>>(
      `SELECT ${RECEIPT} FROM ${FROM} WHERE ${where}`,
      parameters,
    );
  }
}
