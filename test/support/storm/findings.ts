import { readFile } from 'node:fs/promises';
import { SANDBOX_CLIENT } from '../../../src/demo/sandbox-registrar.js';
import { ORDER_CENTS, type StormCustomer } from './customers.js';
import type { RecordLine } from './registrar.js';
import { faultIn } from './faults.js';
import { type EndedOrder, isRenewal, timesOf } from './times.js';
import type { StormWorld } from './world.js';

interface OrderRow extends EndedOrder {
  id: string;
  accountId: string;
  registrar: string;
  cents: number;
  hold: string | null;
  booked: number;
  paidBack: number;
}

/** A balance that is not what its entries and holds say, or a transaction that is not zero in sum. By one statement. */
export const LEDGER_DIFFERENCES = `
  SELECT 'transaction ' || transaction_id AS of, sum(cents)::text AS cents FROM ledger_entry
   GROUP BY transaction_id HAVING sum(cents) <> 0
  UNION ALL
  SELECT 'balance ' || id, balance_cents - coalesce(total, 0) || ' cents' FROM ledger_account
    LEFT JOIN (SELECT ledger_account_id, sum(cents) AS total FROM ledger_entry GROUP BY 1) AS entries
           ON ledger_account_id = id
   WHERE balance_cents <> coalesce(total, 0)
  UNION ALL
  SELECT 'holds ' || id, held_cents - coalesce(total, 0) || ' cents' FROM ledger_account
    LEFT JOIN (SELECT ledger_account_id, sum(cents) AS total FROM ledger_hold WHERE state = 'active' GROUP BY 1) AS holds
           ON ledger_account_id = id
   WHERE held_cents <> coalesce(total, 0) OR kind = 'customer' AND balance_cents < held_cents
  UNION ALL
  SELECT 'names ' || domain, count(*)::text FROM registration_order
   WHERE state IN ('submitting', 'unknown', 'pending_registry', 'needs_operator') GROUP BY domain HAVING count(*) > 1
  UNION ALL
  SELECT 'registered twice ' || domain, count(*)::text FROM registration_order
   WHERE state = 'registered' AND renews IS NULL GROUP BY domain HAVING count(*) > 1`;

/** What is wrong at the end, a line each; orders that took too long; and figures of all. */
export async function findingsOf(
  world: StormWorld,
  customers: readonly StormCustomer[],
  placed: readonly { readonly id: string; readonly domain: string; readonly accountId: string }[],
  paidCents: ReadonlyMap<string, number>,
): Promise<{ wrong: string[]; late: string[]; figures: Record<string, unknown> }> {
  const wrong: string[] = [];
  const differences = await world.ask<{ of: string; cents: string }>(LEDGER_DIFFERENCES);
  wrong.push(...differences.map(({ of, cents }) => `ledger: ${of}: ${cents}`));
  const orders = await world.ask<OrderRow>(
    `SELECT one.id, account_id AS "accountId", domain, one.registrar, one.state, renews, total_cents::float8 AS cents,
            placed_at AS "placedAt", settled_at AS "settledAt", hold.state AS hold,
            (SELECT count(*)::int FROM ledger_transaction WHERE source = 'order:' || one.id) AS booked,
            (SELECT count(*)::int FROM ledger_transaction WHERE source = 'cancel:' || one.id) AS "paidBack",
            coalesce(sent.times, 0) AS sends, sent.at AS "sentAt"
       FROM registration_order AS one LEFT JOIN ledger_hold AS hold ON hold.id = one.id
            LEFT JOIN (SELECT order_id, sum(sends)::int AS times, max(sent_at) AS at FROM registration_attempt
                        WHERE ended_as IS DISTINCT FROM 'not_sent' GROUP BY 1) AS sent
                   ON order_id = one.id`,
  );
  const texts = await Promise.all(world.records.map((record) => readFile(record, 'utf8')));
  const lines = texts
    .flatMap((text) => text.split('\n'))
    .filter((line) => line.endsWith('}'))
    .map((line) => JSON.parse(line) as RecordLine);

  // Each order that was acknowledged is there once, and nothing else is.
  const known = new Set(orders.map(({ id }) => id));
  for (const { id, domain } of placed) if (!known.has(id)) wrong.push(`${domain}: the order ${id} is gone`);
  if (orders.length !== placed.length)
    wrong.push(`${placed.length} orders were placed, and there are ${orders.length}`);
  for (const { domain, state, hold, booked, paidBack } of orders) {
    const isGivenBack = state === 'cancelled' && faultIn(domain) === 'givenback';
    const isPaid = state === 'registered' || isGivenBack;
    if (!['registered', 'failed', 'lost', 'cancelled'].includes(state))
      wrong.push(`${domain} has no end: ${state}`);
    if (hold !== (isPaid ? 'captured' : 'released')) wrong.push(`${domain} is ${state}, its hold ${hold}`);
    if (booked !== (isPaid ? 1 : 0)) wrong.push(`${domain} is ${state}, and booked ${booked} times`);
    if (paidBack !== (isGivenBack ? 1 : 0)) wrong.push(`${domain} is ${state}, paid back ${paidBack} times`);
    if (faultIn(domain) === 'stays' && state !== 'lost') wrong.push(`${domain} was rescued, and is ${state}`);
  }

  // By the registrar's own record: what it has is registered here once, and the customer is the registrant.
  const legalNames = new Map(customers.map(({ accountId, legalName }) => [accountId, legalName]));
  const names = new Map<string, Extract<RecordLine, { is: 'name' }>>();
  const renewals = new Map<string, number>();
  for (const line of lines) {
    if (line.is === 'gone') names.delete(line.domain);
    if (line.is !== 'name') continue;
    const before = names.get(line.domain);
    const isSame = before?.name.clTRID === line.name.clTRID;
    const isRenewed = before !== undefined && isRenewal(before, line);
    if (isRenewed) renewals.set(line.domain, (renewals.get(line.domain) ?? 0) + 1);
    if (before && !isRenewed && !(isSame && before.name.isPending))
      wrong.push(`${line.domain} was registered twice at the registrar`);
    names.set(line.domain, line);
  }
  const paid = orders.filter(({ state }) => state === 'registered');
  const ours = new Map(paid.filter(({ renews }) => !renews).map((one) => [one.domain, one]));
  const wished = orders.filter(({ renews }) => renews).map(({ domain }) => domain);
  for (const domain of new Set([...renewals.keys(), ...wished])) {
    const [there, here] = [renewals.get(domain) ?? 0, paid.filter((one) => one.domain === domain).length - 1];
    if (there !== here) wrong.push(`${domain} was renewed ${there} times, and paid for ${here}`);
  }
  for (const [domain, { name }] of names) {
    const order = ours.get(domain);
    if (name.client !== SANDBOX_CLIENT) {
      if (order) wrong.push(`${domain} is another's, and its order is registered`);
    } else if (!order) wrong.push(`${domain} is registered at the registrar, and no order has it`);
    else if (name.registrantName !== legalNames.get(order.accountId))
      wrong.push(`${domain} is registered for ${name.registrantName}`);
  }
  for (const domain of ours.keys())
    if (names.get(domain)?.name.client !== SANDBOX_CLIENT) wrong.push(`${domain} is not at the registrar`);

  // What each customer has or owes is what came by card and stayed, less what it registered.
  const balances = await world.ask<{ accountId: string; balance: number; held: number }>(
    `SELECT account_id AS "accountId", sum(balance_cents)::float8 AS balance, sum(held_cents)::float8 AS held
       FROM ledger_account WHERE kind IN ('customer', 'receivable') GROUP BY 1`,
  );
  for (const { accountId, balance, held } of balances) {
    const spent = paid.filter((one) => one.accountId === accountId).length * ORDER_CENTS;
    const due = (paidCents.get(accountId) ?? 0) - spent;
    if (balance !== due || held !== 0)
      wrong.push(`${accountId} has ${balance} cents and ${held} held, not ${due}`);
  }
  const times = timesOf(world, orders, lines);
  return {
    ...{ wrong: [...wrong, ...times.wrong], late: times.late },
    figures: { ...countsOf(orders), groups: times.groups },
  };
}

function countsOf(orders: readonly OrderRow[]): Record<string, unknown> {
  const states: Record<string, number> = {};
  for (const { state, registrar, renews } of orders)
    for (const one of [state, `${state} ${renews ? 'renewal' : registrar}`])
      states[one] = (states[one] ?? 0) + 1;
  const givenBack = orders.filter(({ paidBack }) => paidBack > 0).length;
  const dropped = orders.filter(({ domain, state }) => faultIn(domain) === 'drops' && state === 'registered');
  const sentTwice = orders.filter(({ sends }) => sends > 1).length;
  return { states, sentTwice, givenBack, caught: dropped.length };
}
