import { STOPS } from '../orders/ledger/stop-reasons.js';
import { FINDING_KINDS } from '../orders/registrar/registrar-state.repository.js';
import { ATTEMPT_ENDS, ORDER_STATE_NAMES } from '../orders/order/order-states.js';
import {
  field,
  id,
  many,
  named as answer,
  OK,
  oneOf,
  orNull,
  shape,
  text,
  whole,
} from '../validation/shape.js';
import { count, time, yes } from './caller-answers.js';

const Stop = shape({
  reason: oneOf(STOPS, 'Which stop.', 'operator'),
  words: text('Why.', 'a look at the registrar'),
  since: time('Since when.'),
});
const LedgerAccount = shape({
  kind: text('What it is.', 'card_clearing'),
  accounts: count('How many there are.', 1),
  balance_cents: whole('Credits less debits.', -5_000),
  held_cents: count('Set aside.', 0),
});
const Credit = shape({
  id: id('Its id.'),
  account: id('The account.'),
  cents: whole('Cents; below zero: written off.', 5_000),
  reason: text('Why.', 'an outage of ours, ticket 4711'),
  asked_by: text('Who.', 'operator:alice'),
  asked_at: time('When.'),
});

export const Ordering = answer('Ordering', 'Whether names can be ordered, and what stands behind it.', {
  ...OK,
  takes_orders: yes('Whether orders begin.', true),
  stops: many(Stop, 'Why not; each stays until it is cleared.'),
  undecided: count('Orders whose outcome is not known.', 1),
  balances: many(LedgerAccount, 'The ledger, by kind of account.'),
  ledger_differences: field<string[]>({ isArray: true, type: String, description: 'What does not add up.' }),
  waiting_credits: many(Credit, 'Credits that wait for a second operator.'),
});

const Registrar = shape({
  name: text('Its name in orders.', 'registrar'),
  cannot: orNull(text('What it cannot tell.', 'EPP tells no balance.')),
  reconciles_by: oneOf(['list', 'asking', 'nothing'], 'How its names are compared.', 'list'),
  sessions: orNull(count('Sessions at the registry, over all instances.', 1)),
  sessions_max: orNull(count('The most that it allows.', 2)),
  last_good_at: orNull(time('When it last gave an answer that was understood; of the last day.')),
  exchanges: count('Exchanges of the last hour.', 120),
  failed: count('Of them without an answer that was understood.', 0),
  limited: count('Of them refused as too many.', 0),
  median_ms: orNull(count('Their median, in milliseconds.', 80)),
  year_cents: field<string[]>({ isArray: true, type: String, description: 'The table of prices.' }),
  balance_cents: orNull(whole('Our account there.', 120_000)),
  balance_at: orNull(time('When it said so.')),
  open_attempts: count('Attempts whose outcome is open.', 0),
  messages_read: count('Messages read at the last poll.', 0),
  polled_at: orNull(time('When its queue was polled to the end.')),
  certificate_expires_at: orNull(time('When our certificate ends.')),
  reconciled_at: orNull(time('When the last comparison of all names ended.')),
  is_reconciled: yes('Whether it was since this database was restored.', true),
  reconciled_names: count('Names that it compared.', 40),
});
const Finding = shape({
  registrar: text('The registrar.', 'registrar'),
  kind: oneOf(FINDING_KINDS, 'What differs.', 'unknown_here'),
  subject: text('A name or suffix; empty for the registrar itself.', 'slowcoffee.au'),
  words: text('What each side has.', 'No order here has this name.'),
  found_at: time('Since when.'),
});
export const Registrars = answer('Registrars', 'How the registrars are doing, and where they differ.', {
  ...OK,
  registrars: many(Registrar, 'Those of the settings.'),
  findings_all: count('How many differences there are.', 1),
  findings: many(Finding, 'The newest. Nothing is done about them by itself.'),
});

const ORDER = {
  id: id('Its id.'),
  number: text('Its number, as people see it.', '2048'),
  account: id('Whose.'),
  domain: text('The name.', 'slowcoffee.au'),
  years: count('For how many years.', 1),
  registrar: text('The registrar.', 'registrar'),
  state: oneOf(ORDER_STATE_NAMES, 'Where it stands.', 'needs_operator'),
  reason: orNull(text('Why it waits.', 'no answer for a day')),
  total_cents: count('What it costs.', 2_400),
  placed_at: time('When it was placed.'),
  renews: orNull(id('The order whose name it renews; null for a registration.')),
  give_back_asked_at: orNull(time('When its customer gave the registered name back; null: not.')),
};
const Exchange = shape({
  command: text('What was sent.', 'create'),
  sent_at: time('When.'),
  took_ms: count('Milliseconds.', 120),
  result: text('The result code, or why no reply came.', '1000'),
  request: text('Redacted.'),
  reply: orNull(text('Redacted; null: none came.')),
});

export const UndecidedOrders = answer('UndecidedOrders', 'Orders whose outcome is not known.', {
  ...OK,
  orders: many(shape(ORDER), 'The oldest first.'),
});
export const OrderEvidence = answer('OrderEvidence', 'An order, and what the registrar was asked about it.', {
  ...OK,
  ...ORDER,
  attempts: many(
    shape({
      id: text('Our transaction id.', 'BB-0A1B'),
      sent_at: time('When it was sent last.'),
      sends: count('How often it was sent.', 1),
      asks: count('How often the registrar was asked what became of it.', 3),
      ended_as: orNull(oneOf(ATTEMPT_ENDS, 'What it came to; null: open.', null)),
      executed_late_at: orNull(time('When it was found executed after its end.')),
    }),
    'The newest first.',
  ),
  exchanges: many(Exchange, 'Of the newest attempt.'),
});
export const Disputes = answer('Disputes', 'Disputed card payments.', {
  ...OK,
  disputes: many(
    shape({
      id: text("The provider's id.", 'dp_1'),
      account: orNull(id('Whose payment; null: it fits no top-up.')),
      cents: count('Cents.', 5_000),
      status: text("The provider's word.", 'needs_response'),
      opened_at: time('When we heard of it.'),
      cleared_at: orNull(time('When an operator let the account order again.')),
    }),
    'The newest first.',
  ),
});
export const CreditMade = answer('CreditMade', 'The answer to a credit.', {
  ...OK,
  id: id('Its id.'),
  is_booked: yes('Whether it is in the balance; otherwise it waits for a second operator.', true),
});
