import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { AGREEMENT_NAMES } from '../../../src/orders/order/agreements.js';
import { Mandates } from '../../../src/orders/mandates/mandates.js';
import { hashOfHolder } from '../../../src/orders/order/quote-token.js';
import { RegistrantRepository } from '../../../src/orders/registrants/registrant.repository.js';
import { Database } from '../../../src/db/database.js';
import { addKey } from '../accounts.js';
import { ORDER_SCOPES, REGISTRANT } from '../orders.js';
import { chance, RESELLER_SUFFIX } from './faults.js';
import type { StormWorld } from './world.js';

export const ORDER_CENTS = 2_400;
const DAY_MS = 86_400_000;

export interface StormCustomer {
  readonly accountId: string;
  readonly legalName: string;
  readonly registrant: string;
  readonly bearer: string;
}

/** Customers whose program may order by a mandate. */
export async function addStormCustomers(
  app: NestExpressApplication,
  count: number,
): Promise<StormCustomer[]> {
  const customers: StormCustomer[] = [];
  for (let made = 0; made < count; made += 1) {
    const legalName = `Storm ${made} Pty Ltd`;
    const key = await addKey(app.get(Database), { tier: 'firehose', scopes: ['read', ...ORDER_SCOPES] });
    const { accountId, bearer } = key;
    const now = new Date();
    const id = randomUUID();
    const registrant = { ...REGISTRANT, legalName };
    await app.get(RegistrantRepository).insert(accountId, { id, registrant, createdAt: now, changedAt: now });
    await app.get(Mandates).make(
      {
        ...{
          registrantId: id,
          holder: hashOfHolder(registrant),
          orderCents: ORDER_CENTS,
          monthCents: 1_000_000_000,
          suffixes: ['com.au', RESELLER_SUFFIX],
        },
        ...{ keyIds: [key.id], appIds: [], takesUnknown: true, expiresAt: new Date(now.getTime() + DAY_MS) },
      },
      AGREEMENT_NAMES,
      { accountId, by: 'session:storm', from: null },
    );
    customers.push({ accountId, legalName, registrant: id, bearer });
  }
  return customers;
}

const AGAIN_MS = 250;
const ANSWER_LIMIT_MS = 30_000;
/** Of placed orders, the share that is sent twice at once, to both instances. */
const TWICE = 0.1;

/** A caller that goes on until it is answered, at whichever instance answers. */
export class StormCaller {
  /** Answers that no caller should get, and the statuses of all. */
  readonly odd: string[] = [];
  readonly answers: Record<string, number> = {};

  constructor(private readonly world: StormWorld) {}

  /** @returns the id of the order */
  order(customer: StormCustomer, domain: string): Promise<string> {
    const wish = { domain, years: 1, registrant: customer.registrant };
    return this.place(customer, domain, '/api/v1/registrations/quote', wish);
  }

  /** @returns the id of the order that renews it */
  renew(customer: StormCustomer, id: string, domain: string): Promise<string> {
    return this.place(customer, `${domain} again`, `/api/v1/registrations/${id}/renewal`, { years: 1 });
  }

  async giveBack(customer: StormCustomer, id: string): Promise<void> {
    await this.post(customer, `/api/v1/registrations/${id}/cancel`, {});
  }

  private async place(customer: StormCustomer, what: string, path: string, wish: object): Promise<string> {
    const key = randomUUID();
    for (;;) {
      const { quote } = (await this.post(customer, path, wish)) as { quote: string };
      const isTwice = chance(`${what} twice`) < TWICE;
      const places = isTwice ? [0, 1] : [chance(what) < 0.5 ? 0 : 1];
      const placed = await Promise.all(
        places.map((at) =>
          this.post(customer, '/api/v1/registrations', { quote, accept: AGREEMENT_NAMES }, key, at),
        ),
      );
      const ids = new Set(placed.map((one) => (one as { order: { id: string } }).order.id));
      if (ids.size !== 1) this.odd.push(`${what} was placed as ${[...ids].join(' and ')}`);
      const [id] = ids;
      if (id !== undefined) return id;
    }
  }

  /** Opens a page of the card provider. @returns the id of its session */
  async topUp(customer: StormCustomer, cents: number): Promise<string> {
    const answer = await this.post(customer, '/api/v1/balance/top-ups', { cents }, randomUUID());
    return (answer as { top_up: { checkout_url: string } }).top_up.checkout_url.split('/').at(-1) ?? '';
  }

  /** Delivers an event as Stripe does: until it is answered with 2xx. */
  async deliver(body: string, signature: string, at: number): Promise<void> {
    await this.until(
      '/payments/stripe',
      at,
      { 'Content-Type': 'application/json', 'Stripe-Signature': signature },
      body,
    );
  }

  private post(
    { bearer }: StormCustomer,
    path: string,
    body: object,
    key?: string,
    at = Math.random() < 0.5 ? 0 : 1,
  ): Promise<unknown> {
    const headers = {
      ...{ Authorization: bearer, 'Content-Type': 'application/json' },
      ...(key !== undefined && { 'Idempotency-Key': key }),
    };
    return this.until(path, at, headers, JSON.stringify(body));
  }

  private async until(
    path: string,
    at: number,
    headers: Record<string, string>,
    body: string,
  ): Promise<unknown> {
    for (let tries = at; ; tries += 1) {
      const urls = this.world.urls();
      const url = `${urls[tries % urls.length]}${path}`;
      const signal = AbortSignal.timeout(ANSWER_LIMIT_MS);
      const response = await fetch(url, { method: 'POST', headers, body, signal }).catch(() => null);
      const text = await response?.text().catch(() => null);
      const status = response && text !== null ? String(response.status) : 'none';
      const answer = `${path.replace(/[0-9a-f-]{36}/, ':id')} ${status}`;
      this.answers[answer] = (this.answers[answer] ?? 0) + 1;
      if (response?.ok && text != null) return JSON.parse(text) as unknown;
      // Away, busy, short of money that is on its way, or disputed until the bank has decided.
      const isForNow =
        !response ||
        text == null ||
        response.status >= 500 ||
        [402, 429].includes(response.status) ||
        text.includes('"account_frozen"');
      if (!isForNow) throw new Error(`${path} ${status}: ${text}`);
      await pause(AGAIN_MS);
    }
  }
}
