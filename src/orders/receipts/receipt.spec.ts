import type { Receipt } from './receipt.repository.js';
import { receiptView, titleOf } from './receipt.js';

const SELLER = { name: 'Seller Pty Ltd', abn: '53004085616', address: '1 Example St', isPlayMoney: false };
const SALE: Receipt = {
  ...{ number: '1001', kind: 'registration', source: 'order:1', words: 'slowcoffee.au, 1 year' },
  ...{
    at: new Date('2026-11-27T20:00:00Z'),
    totalCents: 2_400,
    gstCents: 218,
    seller: SELLER,
    adjusts: null,
  },
};
const BUYER = { name: 'Coffee Cart Pty Ltd', number: 'ABN 51 824 753 556' };

it.each<[string, Partial<Receipt>]>([
  ['taxInvoice', {}],
  ['taxInvoice', { kind: 'renewal' }],
  ['receipt', { seller: { ...SELLER, abn: null } }],
  ['receipt', { seller: { ...SELLER, isPlayMoney: true } }],
  ['receipt', { gstCents: 0 }],
  ['receipt', { kind: 'top_up', gstCents: 0 }],
  ['refund', { kind: 'refund', gstCents: 0 }],
  ['credit', { kind: 'credit', gstCents: 0 }],
  ['correction', { kind: 'dispute', gstCents: 0 }],
  ['adjustment', { kind: 'registration_cancelled' }],
  ['refund', { kind: 'registration_cancelled', seller: { ...SELLER, abn: null } }],
])('is a %s', (title, change) => {
  expect(titleOf({ ...SALE, ...change })).toBe(title);
});

it('a tax invoice has what the law asks for, on the day of the seller', () => {
  const view = receiptView({ receipt: SALE, buyer: BUYER, order: '2048' });
  expect(view).toMatchObject({ heading: 'Tax invoice 1001', isTaxInvoice: true });
  expect(Object.fromEntries([...view.facts, ...view.sums])).toEqual({
    Seller: 'Seller Pty Ltd, 1 Example St, ABN 53 004 085 616',
    'Date of issue': '28 November 2026',
    Buyer: 'Coffee Cart Pty Ltd, ABN 51 824 753 556',
    Description: 'Registration of a domain name: slowcoffee.au, 1 year',
    Quantity: '1',
    Order: '2048',
    'Price without GST': 'A$\u00a021.82',
    GST: 'A$\u00a02.18',
    'Total, which includes GST': 'A$\u00a024.00',
  });
});

it('says why it is no tax invoice, and that play money is none', () => {
  const notes = (change: Partial<Receipt>) =>
    receiptView({ receipt: { ...SALE, ...change }, buyer: BUYER, order: '2048' }).notes.join(' ');
  expect(notes({ seller: { ...SELLER, abn: null } })).toContain(
    'not a tax invoice: the seller states no ABN',
  );
  expect(notes({ gstCents: 0 })).toContain('No GST was charged');
  expect(notes({ seller: { ...SELLER, isPlayMoney: true } })).toContain('Play money: nothing was paid');
  expect(notes({ kind: 'registration_cancelled', adjusts: '1000' })).toContain('Adjusts tax invoice 1000');
  expect(notes({ kind: 'dispute_won', adjusts: '1000' })).toContain('Corrects document 1000');
});
