import { dollars, fillIn, t } from '../../texts/texts.js';
import { TRANSACTION_KINDS } from '../ledger/ledger.repository.js';
import type { Registrant } from '../registrar/port.js';
import type { Receipt } from './receipt.repository.js';

/** Who bought: the registrant of the order. */
export interface Buyer {
  readonly name: string;
  /** Such as `ABN 53 004 085 616`. */
  readonly number: string;
}

export interface ReceiptFacts {
  readonly receipt: Receipt;
  /** Null for movements without an order, and once the account was erased. */
  readonly buyer: Buyer | null;
  /** The number of the order; null without one. */
  readonly order: string | null;
}

type Fact = readonly [label: string, value: string];

/** What a page and a PDF show of it. */
export interface ReceiptView {
  readonly heading: string;
  readonly isTaxInvoice: boolean;
  readonly facts: readonly Fact[];
  readonly sums: readonly Fact[];
  readonly notes: readonly string[];
}

export type ReceiptTitle = keyof typeof t.receipts.titles;

/**
 * The name of the document. A sale with GST by a seller with an ABN is a tax invoice, and its reversal an adjustment
 * note: A New Tax System (Goods and Services Tax) Act 1999, sections 29-70 and 29-75.
 */
export function titleOf({ kind, gstCents, seller }: Receipt): ReceiptTitle {
  const isTaxed = seller.abn !== null && gstCents > 0 && !seller.isPlayMoney;
  const receipt = TRANSACTION_KINDS[kind];
  switch (receipt) {
    case 'sale':
      return isTaxed ? 'taxInvoice' : 'receipt';
    case 'adjustment':
      return isTaxed ? 'adjustment' : 'refund';
    case 'refund':
    case 'credit':
    case 'correction':
      return receipt;
    default:
      return 'receipt';
  }
}

/**
 * A tax invoice states its title, seller, ABN, date, description, quantity, price and GST. The law names the buyer from
 * A$ 1,000 on; here every sale does.
 */
export function receiptView({ receipt, buyer, order }: ReceiptFacts): ReceiptView {
  const { number, kind, words, at, totalCents, gstCents, seller, source } = receipt;
  const title = titleOf(receipt);
  const isSale = order !== null;
  const net = totalCents - gstCents;
  return {
    heading: fillIn(t.receipts.heading, { title: t.receipts.titles[title], number }),
    isTaxInvoice: title === 'taxInvoice',
    facts: [
      [t.receipts.seller, [seller.name, seller.address, abnOf(seller.abn)].filter(Boolean).join(', ')],
      [t.receipts.date, dayOf(at)],
      ...(isSale ? ([[t.receipts.buyer, buyerIn(buyer)]] as const) : []),
      [t.receipts.what, fillIn(whatOf(kind), { words })],
      ...(isSale ? ([[t.receipts.quantity, '1']] as const) : []),
      isSale ? [t.receipts.order, order] : [t.receipts.reference, source.replace(/^\w+:/, '')],
    ],
    sums:
      gstCents > 0
        ? [
            [t.receipts.net, dollars(net)],
            [t.receipts.gst, dollars(gstCents)],
            [t.receipts.totalWithGst, dollars(totalCents)],
          ]
        : [[t.receipts.total, dollars(totalCents)]],
    notes: notesOf(receipt, title),
  };
}

function notesOf({ kind, gstCents, seller, adjusts }: Receipt, title: ReceiptTitle): string[] {
  const receipt = TRANSACTION_KINDS[kind];
  const notes: string[] = [];
  if (receipt === 'sale') notes.push(t.receipts.paidFrom);
  if (receipt === 'adjustment') notes.push(t.receipts.paidTo);
  if (receipt === 'payment') notes.push(t.receipts.noSale);
  if (receipt === 'credit') notes.push(t.receipts.isGift);
  if (adjusts !== null) notes.push(fillIn(ADJUSTS[title] ?? t.receipts.refunds, { number: adjusts }));
  if (receipt === 'sale' && gstCents === 0) notes.push(t.receipts.noGst);
  if (receipt === 'sale' && seller.abn === null) notes.push(t.receipts.noInvoice);
  if (seller.isPlayMoney) notes.push(t.receipts.playMoney);
  return notes;
}

const ADJUSTS: Readonly<Partial<Record<ReceiptTitle, string>>> = {
  adjustment: t.receipts.adjusts,
  correction: t.receipts.corrects,
};

export function buyerOf({ legalName, idType, id }: Registrant): Buyer {
  return { name: legalName, number: `${idType} ${inGroups(id)}` };
}

function buyerIn(buyer: Buyer | null): string {
  return buyer ? `${buyer.name}, ${buyer.number}` : t.receipts.buyerGone;
}

function whatOf(kind: Receipt['kind']): string {
  const { whats }: { whats: Partial<Record<string, string>> } = t.receipts;
  return whats[kind] ?? whats[TRANSACTION_KINDS[kind] ?? ''] ?? t.receipts.whats.payment;
}

function abnOf(abn: string | null): string | null {
  return abn && fillIn(t.receipts.abn, { abn: inGroups(abn) });
}

/** As the register writes them: 53 004 085 616, 004 085 616. */
function inGroups(digits: string): string {
  return digits.replace(/(\d)(?=(\d{3})+$)/g, '$1 ');
}

const DAYS = new Intl.DateTimeFormat(t.locale, { dateStyle: 'long', timeZone: 'Australia/Brisbane' });

function dayOf(at: Date): string {
  return DAYS.format(at);
}
