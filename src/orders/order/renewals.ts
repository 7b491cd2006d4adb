import { createHash } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { Clock, Database } from '../../db/database.js';
import { ApiError } from '../../errors/api-error.js';
import { DatabaseUnavailable } from '../../errors/database-failure.js';
import { networkOf } from '../../observe/audit.repository.js';
import { fillIn, t } from '../../texts/texts.js';
import { messageOf } from '../../validation/unknown-values.js';
import type { NamedKind, Work, WorkResult } from '../../work/kind.js';
import { OrderNoticeRepository } from './order-notice.repository.js';
import { ACCEPTED_TODAY, AGREEMENT_NAMES, areTextsOfToday, assertAccepted } from './agreements.js';
import type { Choice, OrderActor } from './order-actors.js';
import { OrderDesk } from './order-desk.js';
import { OrderPrices } from './order-prices.js';
import { refusal } from '../ledger/refusals.js';
import { orderClosed, stateInWords } from './order-words.js';
import { type Order, orderIs, OrderRepository } from './order.repository.js';
import { QuoteTokens } from './quote-token.js';
import { type DueRenewal, type RenewalConsent, RenewalRepository } from './renewal.repository.js';
import { dayOf, renewableUntil } from './renewal-window.js';

const HOUR_MS = 3_600_000;
const REMINDED_AT_ONCE = 200;
const RENEWED_AT_ONCE = 50;

/** Reminds of the ends of registrations, and renews them: by an order, or by itself with a person's consent. */
@Injectable()
export class Renewals implements NamedKind {
  readonly name = 'renewals';
  readonly everyMs = HOUR_MS;
  readonly deadlineMs = 10 * 60_000;
  private readonly logger = new Logger('Orders');

  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly database: Database,
    private readonly desk: OrderDesk,
    private readonly orders: OrderRepository,
    private readonly notices: OrderNoticeRepository,
    private readonly renewals: RenewalRepository,
    private readonly prices: OrderPrices,
    private readonly tokens: QuoteTokens,
  ) {}

  /** Null where a person has to order the renewal. */
  findConsent(id: string): Promise<RenewalConsent | null> {
    return this.renewals.findConsent(id);
  }

  /**
   * A person consents to renewals by itself.
   *
   * @param given null: they end; maxCents is what a year of renewal costs today, as the person was shown
   * @throws {ApiError} not_found, invalid_parameter, price_changed, registrar_unavailable
   */
  async setConsent(
    id: string,
    given: { readonly accept: readonly string[]; readonly maxCents: number | undefined } | null,
    actor: OrderActor,
  ): Promise<void> {
    const { accountId } = actor;
    const order = await this.desk.read(id, accountId);
    const now = await this.clock.now();
    let consent: RenewalConsent | null = null;
    if (given) {
      assertAccepted(given.accept);
      consent = consentOf(actor, await this.assertToday(order, given.maxCents), now);
    }
    const isSet = await this.database.transaction(async (transaction) => {
      if (consent) await this.orders.keepTexts(transaction);
      return this.renewals.setConsent(accountId, id, consent, now, transaction);
    });
    if (!isSet) throw refusal('not_found', 'noName');
  }

  /** @returns what a year of renewal costs today @throws {ApiError} price_changed, registrar_unavailable */
  private async assertToday(
    terms: Parameters<OrderPrices['yearOfRenewal']>[0],
    shown: number | undefined,
  ): Promise<number> {
    const cents = await this.prices.yearOfRenewal(terms);
    if (cents !== shown) throw refusal('price_changed', 'renewalPrice', { cents });
    return cents;
  }

  /**
   * The same, given with the order of a name and kept with its approval: it counts once the name is registered.
   *
   * @param maxCents what a year of renewal costs today, as the person was shown
   * @param key of the request that orders it: once its order is approved, the same request changes nothing
   * @throws {ApiError} price_changed, registrar_unavailable
   */
  async consentWith(
    token: string,
    maxCents: number,
    key: string,
    actor: OrderActor,
  ): Promise<Choice | undefined> {
    const quote = this.tokens.read(token);
    // The order itself is refused.
    if (!quote || quote.renews !== null) return undefined;
    // Of two requests at once either may approve the order that the other has placed.
    if (!(await this.orders.findByKey(actor.accountId, key))) await this.assertToday(quote, maxCents);
    return {
      chosen: { renewFor: maxCents },
      also: (transaction, { order, now }) =>
        this.renewals.keepConsent(order.id, consentOf(actor, maxCents, now), transaction),
    };
  }

  /** The cursor has the last name that was looked at, so hundreds of names that cannot be paid keep no other waiting. */
  async run({ cursor }: Work, now: Date, signal: AbortSignal): Promise<WorkResult> {
    const reminded = await this.renewals.remind(now, REMINDED_AT_ONCE);
    let after = typeof cursor?.after === 'string' ? cursor.after : null;
    const due = this.config.orders.enabled ? await this.renewals.listDue(now, after, RENEWED_AT_ONCE) : [];
    for (const one of due) {
      if (signal.aborted) return { cursor: { after }, againInMs: 0 };
      await this.renew(one, now).catch((error: unknown) => this.fail(one, error, now, signal));
      after = one.id;
    }
    const next = due.length === RENEWED_AT_ONCE ? after : null;
    const isMore = next !== null || reminded === REMINDED_AT_ONCE;
    return { cursor: { after: next }, ...(isMore && { againInMs: 0 }) };
  }

  /**
   * One order a day: the key names the day, and the list has no name that is being renewed. The key cannot be guessed,
   * or a program's order with it would be approved by the consent.
   */
  private async renew({ id, accountId, consent }: DueRenewal, now: Date): Promise<void> {
    const parts = ['renewal', id, dayOf(now), consent.by, consent.at];
    const key = createHash('sha256').update(parts.join(' ')).digest('base64url');
    const actor = { accountId, by: `consent:${consent.by}`, from: consent.from };
    if (!areTextsOfToday(consent.agreements)) throw orderClosed('agreements');
    let order = await this.orders.findByKey(accountId, key);
    if (!order) {
      const { quote, token } = await this.desk.quoteRenewal(id, 1, accountId);
      if (quote.totalCents > consent.maxCents)
        throw refusal('price_changed', 'yearPrice', { cents: quote.totalCents });
      ({ order } = await this.desk.place(token, AGREEMENT_NAMES, key, actor));
    }
    assertOpen(order);
    if (order.renews !== id || order.years !== 1 || order.totalCents > consent.maxCents)
      throw new Error(`the order ${order.id} is not what was consented to`);
    const { agreements, by, from } = consent;
    const acceptance = { agreements, at: new Date(consent.at), by, from };
    const decide = () => Promise.resolve({ mandateId: null, acceptance });
    // Its owner is notified by the run, and not of the order that ends.
    await this.desk
      .accept(order, { by: actor.by, from, isPerson: true, decide })
      .catch(async (error: unknown) => {
        // In the words of the runs that find it ended: its owner is notified once.
        assertOpen(await this.desk.read(order.id, accountId));
        throw error;
      });
  }

  /** Notifies its owner once for each reason; a later run tries again. */
  private async fail(
    { id, domain, expiresAt }: DueRenewal,
    error: unknown,
    at: Date,
    signal: AbortSignal,
  ): Promise<void> {
    if (!(error instanceof ApiError)) {
      if (signal.aborted || error instanceof DatabaseUnavailable) throw error;
      // Of this name alone: the others have their turn.
      this.logger.error(`${domain} of the order ${id} was not renewed: ${messageOf(error)}`);
      return;
    }
    const until = dayOf(renewableUntil(expiresAt));
    const why = error.message.replace(/\.$/, '');
    const reason = fillIn(t.orders.reasons.notRenewed, { reason: why, until });
    this.logger.warn(`${domain} of the order ${id}: ${reason}`);
    if (!(await this.renewals.noteFailed(id, reason))) return;
    const notice = { orderId: id, type: 'registration.needs_attention', reason, at } as const;
    await this.database.transaction((transaction) => this.notices.insert(notice, transaction));
  }
}

/** @throws {ApiError} order_closed */
function assertOpen(order: Order): void {
  if (orderIs(order, 'ended')) throw orderClosed('ended', { reason: order.reason ?? stateInWords(order) });
}

function consentOf({ by, from }: OrderActor, maxCents: number, now: Date): RenewalConsent {
  return { by, from: networkOf(from), at: now.toISOString(), maxCents, agreements: ACCEPTED_TODAY };
}
