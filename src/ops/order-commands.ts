import { MAX_CENTS } from '../validation/formats.js';
import { change, choice, id, look, number, optional, day } from './command.js';
import { STOPS } from '../orders/ledger/stop-reasons.js';

const NOT_FOUND = ['not_found'] as const;
const ORDER = { id: id('The id of an order.', 'an order') };
const ACCOUNT = { id: id('The id of an account.', 'an account') };
const CREDIT = { id: id('The id of a credit.', 'a credit') };
const CENTS = number('Cents of AUD.', { minimum: 1, maximum: MAX_CENTS });

/** The commands about orders and their money, for the table of all commands. */
export const ORDER_COMMANDS = {
  readOrdering: look('orders', 'GET orders', 'Ordering', {
    summary: 'Orders at a glance: stops and balances',
    run: ({ orders }) => orders.read(),
  }),
  readRegistrars: look('registrars', 'GET registrars', 'Registrars', {
    summary: 'How the registrars are doing, and where they differ',
    description:
      'Sessions, answers, balance, prices, open attempts, certificate and the last comparison of names.',
    run: ({ orders }) => orders.readRegistrars(),
  }),
  listUndecidedOrders: look('orders undecided', 'GET orders/undecided', 'UndecidedOrders', {
    summary: 'Orders whose outcome is not known',
    run: ({ orders }) => orders.listUndecided(),
  }),
  listDisputes: look('orders disputes', 'GET orders/disputes', 'Disputes', {
    summary: 'Disputed card payments',
    run: ({ orders }) => orders.listDisputes(),
  }),
  showOrder: look('orders show', 'GET orders/:id', 'OrderEvidence', {
    summary: 'An order, and what its registrar was asked',
    arguments: ORDER,
    failures: NOT_FOUND,
    run: ({ orders }, values) => orders.show(values.id),
  }),
  settleOrder: change('orders settle', 'POST orders/:id/settle', 'order.settle', 'Done', {
    summary: 'Settle an undecided order by evidence',
    description:
      'What the registrar showed you elsewhere: `registered` takes the money, `lost` gives it back. The reason names the evidence.',
    arguments: {
      ...ORDER,
      outcome: choice('What became of it.', ['registered', 'lost']),
      expires_on: optional(day('Of a registered name: when it expires.', '2027-11-27', 'AEST')),
    },
    failures: [...NOT_FOUND, 'order_closed'],
    run: ({ orders }, { id: asked, outcome, expires_on: expiresOn }, command) =>
      orders.settle(asked, outcome, expiresOn, command),
  }),
  releaseOrder: change('orders release', 'POST orders/:id/release', 'order.release', 'Done', {
    summary: 'End an undecided order and give its money back',
    description: 'Only when it is certain that the registrar will not execute it.',
    arguments: ORDER,
    failures: [...NOT_FOUND, 'order_closed'],
    run: ({ orders }, { id: asked }, command) => orders.release(asked, command),
  }),
  keepLateOrder: change('orders keep', 'POST orders/:id/keep', 'order.keep', 'Done', {
    summary: 'Book what a registrar executed after its order had ended',
    description:
      'When its customer writes to keep it: the price of the order is paid from the balance, with a receipt. ' +
      'The last comparison of names has to have found it. Otherwise cancel it at the registrar.',
    arguments: ORDER,
    failures: [...NOT_FOUND, 'order_closed', 'balance_short'],
    run: ({ orders }, { id: asked }, command) => orders.keep(asked, command),
  }),
  stopOrdering: change('orders stop', 'POST orders/stop', 'orders.stop', 'Done', {
    summary: 'Stop ordering for all customers',
    description: 'Orders that have begun are settled all the same.',
    run: ({ orders }, _, command) => orders.stop(command),
  }),
  clearStop: change('orders resume', 'POST orders/resume', 'orders.resume', 'Done', {
    summary: 'Clear a stop of ordering',
    description: 'That of the ledger once it adds up again, that of a restore once the names were compared.',
    arguments: { stop: choice('Which.', STOPS) },
    failures: ['order_closed'],
    run: ({ orders }, { stop }, command) => orders.clear(stop, command),
  }),
  thawAccount: change('orders thaw', 'POST orders/accounts/:id/thaw', 'account.thaw', 'Done', {
    summary: 'Let an account order again in spite of a dispute',
    arguments: ACCOUNT,
    run: ({ orders }, { id: asked }, command) => orders.thaw(asked, command),
  }),
  creditAccount: change('orders credit', 'POST orders/credits', 'account.credit', 'CreditMade', {
    makes: 'orders/credits',
    summary: 'Credit an account',
    description: 'Above ORDER_CREDIT_ALONE_CENTS a day it waits for a second operator.',
    arguments: { account: id('The id of an account.', 'an account'), cents: CENTS },
    failures: NOT_FOUND,
    run: ({ orders }, { account, cents }, command) => orders.credit(account, cents, command),
  }),
  writeOff: change('orders write-off', 'POST orders/write-offs', 'account.write_off', 'CreditMade', {
    makes: 'orders/credits',
    summary: 'Take from a balance what was paid out elsewhere, or given up',
    description: 'What no order needs. As a credit, it may wait for a second operator.',
    arguments: { account: id('The id of an account.', 'an account'), cents: CENTS },
    failures: [...NOT_FOUND, 'balance_short'],
    run: ({ orders }, { account, cents }, command) => orders.credit(account, -cents, command),
  }),
  showCredit: look('orders show-credit', 'GET orders/credits/:id', 'CreditMade', {
    summary: 'A credit',
    arguments: CREDIT,
    failures: NOT_FOUND,
    run: ({ orders }, values) => orders.showCredit(values.id),
  }),
  approveCredit: change(
    'orders approve-credit',
    'POST orders/credits/:id/approve',
    'account.credit.approve',
    'Done',
    {
      summary: 'Approve a credit that another operator asked for',
      arguments: CREDIT,
      failures: [...NOT_FOUND, 'order_closed', 'balance_short'],
      run: ({ orders }, { id: asked }, command) => orders.approveCredit(asked, command),
    },
  ),
} as const;
