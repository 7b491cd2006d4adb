import { createHash, randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { assertIdempotencyKey, usedForAnother } from '../../access/idempotent-requests.js';
import { Clock, Closing, Database, inOrder, type Queryable } from '../../db/database.js';
import { DomainRepository } from '../../domains/domain.repository.js';
import { type DomainName, parseDomainName } from '../../domains/name/domain-name.js';
import { ApiError } from '../../errors/api-error.js';
import { networkOf } from '../../observe/audit.repository.js';
import { Registry } from '../../registry/registry.js';
import { fillIn, t } from '../../texts/texts.js';
import { WorkLoop } from '../../work/work-loop.js';
import { WorkQueue } from '../../work/work-queue.js';
import { Ledger } from '../ledger/ledger.repository.js';
import type { Verdict } from '../eligibility/verdict.js';
import type { Registrant, Registrar } from '../registrar/port.js';
import { TopUpRepository } from '../topup/top-up.repository.js';
import { ACCEPTED_TODAY, AGREEMENT_NAMES, assertAccepted } from './agreements.js';
import { readNameServers } from './name-servers.js';
import { OrderingCustomers, type SealedRegistrant } from './customers.js';
import { balanceShort, type Bar, barred, notFree, refusal, registryAway } from '../ledger/refusals.js';
import { type Charge, OrderPrices } from './order-prices.js';
import { orderClosed } from './order-words.js';
import { type Order, type OrderHolder, type OrderIn, orderIs, OrderRepository } from './order.repository.js';
import { type Approver, type Choice, isProgram, type OrderActor, type WithApproval } from './order-actors.js';
import { assertRenewable } from './renewal-window.js';
import { SponsoredNames } from './sponsored-names.js';
import {
  assertQuote,
  hashOfHolder,
  hashOfTerms,
  offerOf,
  type Quote,
  QUOTE_MS,
  QuoteTokens,
  textHashOf,
} from './quote-token.js';

export const LAPSES_AFTER_MS = 24 * 3_600_000;
/** Of an account, placed by programs. They hold no money, so nothing else limits them. */
const MAX_AWAITING = 200;

export interface Wanted {
  readonly domain: string;
  readonly years: number;
  readonly registrantId: string;
}

export interface Quoted {
  readonly at: Date;
  readonly quote: Quote;
  readonly token: string;
  readonly verdict: Verdict;
  readonly registrant: Registrant;
}

/** What a request to place an order led to. */
export interface Placed {
  readonly order: Order;
  /** Only of a new order: its time and its registrant. */
  readonly at?: Date;
  readonly registrant?: Registrant;
}

type Wish = Omit<Quote, keyof Charge | 'agreements' | 'expiresAt'>;

/** What customers do: quote, place, approve, cancel. Every refusal says what to change and holds nothing. */
@Injectable()
export class OrderDesk {
  constructor(
    private readonly clock: Clock,
    private readonly database: Database,
    private readonly domains: DomainRepository,
    private readonly registry: Registry,
    private readonly ledger: Ledger,
    private readonly orders: OrderRepository,
    private readonly tokens: QuoteTokens,
    private readonly queue: WorkQueue,
    private readonly loop: WorkLoop,
    private readonly customers: OrderingCustomers,
    private readonly topUps: TopUpRepository,
    private readonly prices: OrderPrices,
    private readonly sponsored: SponsoredNames,
  ) {}

  /** @throws {ApiError} with what to change */
  async quote({ domain: text, years, registrantId }: Wanted, accountId: string): Promise<Quoted> {
    const domain = parseDomainName(text);
    const [bar, found, row, now] = await this.database.reads((on) =>
      Promise.all([
        this.topUps.findBar(accountId, on),
        this.customers.findRegistrant(accountId, registrantId, on),
        this.domains.findDomain(domain.domain, on),
        this.clock.now(on),
      ]),
    );
    assertNoBar(bar);
    const registrant = assertKnown(found)();
    const verdict = await this.judge(domain, registrant);
    const registrar = this.prices.choose(domain.tld, years);
    const isDrop = row?.state === 'listed';
    const holderHash = textHashOf(registrant);
    const wanted = {
      accountId,
      domain: domain.domain,
      years,
      registrantId,
      holderHash,
      isDrop,
      renews: null,
    };
    return { ...(await this.offer(wanted, registrar, now)), verdict, registrant, at: now };
  }

  /** For an order that renews the name of another one: its holder stays. @throws {ApiError} not_found, order_closed, and as {@link quote} */
  async quoteRenewal(renewed: string, years: number, accountId: string): Promise<Quoted> {
    const order = await this.read(renewed, accountId);
    const { id, domain, registrantId } = order;
    const now = await this.clock.now();
    await this.assertRenewable(order, now);
    await this.assertOrdering(accountId);
    const { registrant } = await this.readHolder(id);
    const verdict = await this.judge(parseDomainName(domain), registrant);
    const holderHash = textHashOf(registrant);
    const wanted = { accountId, domain, years, registrantId, holderHash, isDrop: false, renews: id };
    const offer = await this.offer(wanted, this.prices.named(order.registrar), now);
    return { ...offer, verdict, registrant, at: now };
  }

  private async offer(wanted: Wish, registrar: Registrar, now: Date) {
    return this.sign(wanted, await this.prices.charge(registrar, wanted), now);
  }

  private sign(wanted: Wish, charge: Charge, now: Date) {
    const expiresAt = new Date(now.getTime() + QUOTE_MS).toISOString();
    const quote = { ...wanted, ...charge, agreements: AGREEMENT_NAMES, expiresAt };
    return { quote, token: this.tokens.sign(quote) };
  }

  /** Places an order, which waits for a person. The same request again, at any time, is answered with that order. */
  async place(
    token: string,
    accept: readonly string[],
    key: string | undefined,
    actor: OrderActor,
    nameServers: readonly string[] = [],
    /** What else its person chose: a request that differs in them is another one. */
    choices: readonly object[] = [],
  ): Promise<Placed> {
    assertIdempotencyKey(key);
    const { accountId, by } = actor;
    const requestHash = createHash('sha256')
      .update(JSON.stringify([token, [...accept].sort(), ...nameServers, ...choices]))
      .digest();
    const wished = this.tokens.read(token);
    const [earlier, now, bar, { freeCents }, awaiting, found] = await this.database.reads((on) =>
      Promise.all([
        this.orders.findByKey(accountId, key, on),
        this.clock.now(on),
        this.topUps.findBar(accountId, on),
        this.ledger.balanceOf(accountId, on),
        this.orders.countAwaitingOfPrograms(accountId, on),
        wished && this.customers.findRegistrant(accountId, wished.registrantId, on),
      ]),
    );
    if (earlier) return { order: sameRequest(earlier, requestHash) };
    try {
      const quote = assertQuote(wished, accountId, now);
      assertAccepted(accept);
      assertNoBar(bar);
      const hosts = readNameServers(nameServers, quote);
      if (quote.renews !== null) await this.assertRenewable(await this.read(quote.renews, accountId), now);
      const holder = await this.holderOf(quote, found);
      await this.assertPrice(quote, holder.registrant, now);
      if (freeCents < quote.totalCents) throw balanceShort(freeCents, quote.totalCents);
      if (isProgram(actor) && awaiting >= MAX_AWAITING)
        throw refusal('limit_reached', 'tooManyWait', { most: MAX_AWAITING });
      const order = {
        ...{ ...quote, id: randomUUID(), idempotencyKey: key, requestHash, placedBy: by, placedAt: now },
        lapsesAt: new Date(now.getTime() + LAPSES_AFTER_MS),
        holder,
        nameServers: hosts,
      };
      return { order: await this.orders.insert(order), at: now, registrant: holder.registrant };
    } catch (error) {
      // The refusal may be due to the order of the same request, sent twice at once.
      const same = await this.orders.findByKey(accountId, key);
      if (!same) throw error;
      return { order: sameRequest(same, requestHash) };
    }
  }

  /** A person of the account accepts the agreements, and the money is set aside. Approved again, nothing changes. */
  async approve(
    id: string,
    accept: readonly string[],
    actor: OrderActor,
    by: Pick<Approver, 'terms'> & { readonly also?: WithApproval } = {},
  ): Promise<Order> {
    const order = await this.read(id, actor.accountId);
    if (order.approvedAt === null) assertAccepted(accept);
    const from = networkOf(actor.from);
    const decide: Approver['decide'] = async (transaction, facts) => {
      await by.also?.(transaction, facts);
      await this.orders.keepTexts(transaction);
      const acceptance = { agreements: ACCEPTED_TODAY, at: facts.now, by: actor.by, from };
      return { mandateId: null, acceptance };
    };
    return this.accept(order, { by: actor.by, from, isPerson: true, terms: by.terms, decide });
  }

  /** Places and approves in one: a refused approval leaves no order that waits. */
  async order(
    token: string,
    accept: readonly string[],
    key: string,
    actor: OrderActor,
    nameServers: readonly string[],
    choice?: Choice,
  ): Promise<Order> {
    const choices = choice && [choice.chosen];
    const { order } = await this.place(token, accept, key, actor, nameServers, choices).catch(inWordsOfForms);
    return this.approve(order.id, accept, actor, choice && { also: choice.also }).catch(
      async (error: unknown) => {
        if (error instanceof ApiError) await this.withdraw(order.id, error, true);
        throw error;
      },
    );
  }

  /** The approval of a person, or of a mandate that a person made. */
  async accept(order: Order, approver: Approver): Promise<Order> {
    if (order.state !== 'awaiting_approval') return approvedOrder(order);
    return this.acceptAt(order, approver, approver.at ?? (await this.clock.now())).catch(
      async (error: unknown) => {
        if (!(error instanceof DecidedMeanwhile)) throw error;
        return approvedOrder(await this.read(order.id, order.accountId));
      },
    );
  }

  private async acceptAt(order: OrderIn<'awaiting_approval'>, approver: Approver, now: Date): Promise<Order> {
    const domain = parseDomainName(order.domain);
    const registrant = approver.registrant ?? (await this.readHolder(order.id)).registrant;
    const orEnd = <Result>(check: Promise<Result>) => this.orEnd(order, approver.isPerson, check);
    const verdict = await orEnd(this.judge(domain, registrant));
    const terms = hashOfTerms(order, registrant);
    if (approver.terms !== undefined && approver.terms !== terms.toString('hex')) throw orderClosed('terms');
    await orEnd(this.assertPrice(order, registrant, now));
    const row = order.isDrop ? await this.domains.findDomain(order.domain) : null;
    const waits = row?.state === 'listed';
    if (!waits) await orEnd(this.assertOpen(order, domain, now));
    const until = waits && row.purgeAt && row.purgeAt > now ? row.purgeAt : now;
    const lapsesAt = new Date(until.getTime() + LAPSES_AFTER_MS);
    const { id, totalCents: cents, accountId } = order;
    const facts = { order, verdict: verdict.is, terms, holder: hashOfHolder(registrant), now };
    const approved = await this.database.transaction(async (transaction) => {
      // Sent at once, in the order in which rows are locked. Where the order waits no more, all of it is rolled back.
      const locking = this.lockAwaiting(id, transaction);
      const holding = Promise.all([
        order.renews === null ? null : this.lockRenewable(order.renews, now, transaction),
        approver.decide(transaction, facts),
        this.assertOrdering(accountId, transaction),
        this.ledger.hold(transaction, { id, accountId, cents, at: now }),
      ]);
      await inOrder([locking, holding]);
      const [locked, [, decided, , freeCents]] = await Promise.all([locking, holding]);
      if (freeCents < cents) throw balanceShort(freeCents, cents);
      const approval = { ...decided, by: approver.by, from: approver.from, terms, lapsesAt };
      const to = waits ? 'waiting_for_drop' : 'approved';
      return new Closing(this.orders.move(locked, to, now, transaction, { approval }));
    });
    this.loop.wake();
    return approved;
  }

  /** A refusal that waiting does not mend ends the order: a person would be asked about it in vain. */
  private async orEnd<Result>({ id }: Order, isSeen = false, check: Promise<Result>): Promise<Result> {
    return check.catch(async (error: unknown) => {
      const isFinal = error instanceof ApiError && error.status < 500;
      if (isFinal && !(await this.withdraw(id, error, isSeen))) throw new DecidedMeanwhile();
      throw error;
    });
  }

  /** Nothing is held for it. @param isSeen by its person at once @returns false where it waits for no approval */
  private async withdraw(id: string, { message }: ApiError, isSeen: boolean): Promise<boolean> {
    const now = await this.clock.now();
    const reason = fillIn(t.orders.reasons.notApproved, { reason: message });
    return this.database.transaction(async (transaction) => {
      const order = await this.orders.lock(id, transaction);
      if (order?.state !== 'awaiting_approval') return false;
      await this.orders.move(order, 'cancelled', now, transaction, { reason, isSeen });
      return true;
    });
  }

  /** @throws {DecidedMeanwhile} */
  private async lockAwaiting(id: string, transaction: Queryable): Promise<OrderIn<'awaiting_approval'>> {
    const order = await this.orders.lock(id, transaction);
    if (order?.state !== 'awaiting_approval') throw new DecidedMeanwhile();
    return order;
  }

  private async lockRenewable(id: string, now: Date, transaction: Queryable): Promise<void> {
    const renewed = await this.orders.lock(id, transaction);
    if (renewed) await this.assertRenewable(renewed, now, transaction);
  }

  /** The hash of what an approval of this order is for, in hexadecimal. @throws {ApiError} order_closed */
  async termsOf(order: Order): Promise<string> {
    return hashOfTerms(order, (await this.readHolder(order.id)).registrant).toString('hex');
  }

  private async readHolder(id: string): Promise<OrderHolder> {
    const holder = await this.orders.findHolder(id);
    if (!holder) throw orderClosed('unreadable');
    return holder;
  }

  /**
   * @param program left out: a person
   * @throws {ApiError} order_closed once it was sent; mandate_required
   */
  async cancel(id: string, accountId: string, program?: string): Promise<Order> {
    await this.read(id, accountId);
    const now = await this.clock.now();
    await this.database.transaction(async (transaction) => {
      const order = await this.orders.lock(id, transaction);
      if (!order || order.state === 'cancelled') return;
      if (order.state === 'registered') return this.askCancel(order, program, now, transaction);
      if (!orderIs(order, 'waits')) throw orderClosed('cancel', {}, order);
      await this.assertMay(program, order, transaction);
      await this.orders.move(order, 'cancelled', now, transaction, { reason: t.orders.reasons.cancelled });
      await this.ledger.release(transaction, id, now);
    });
    return this.read(id, accountId);
  }

  /** A program undoes what a person approved only before it is sent, and of its own order. @throws {ApiError} */
  private async assertMay(program: string | undefined, order: Order, transaction: Queryable): Promise<void> {
    if (program === undefined || order.approvedAt === null) return;
    const { isOwn, isByMandate } = await this.orders.readOrigin(order.id, program, transaction);
    const isSold = order.state === 'registered';
    if (isSold ? isOwn && isByMandate : isOwn || isByMandate) return;
    throw refusal('mandate_required', isSold ? 'notByMandate' : 'notByProgram', { id: order.id });
  }

  /** Within the window of the registrar, which deletes the name. @throws {ApiError} order_closed, mandate_required */
  private async askCancel(
    order: OrderIn<'registered'>,
    program: string | undefined,
    now: Date,
    transaction: Queryable,
  ): Promise<void> {
    const { id, cancelUntil } = order;
    if (!cancelUntil) throw orderClosed('noGiveBack');
    if (cancelUntil <= now) throw orderClosed('giveBackUntil', { until: cancelUntil.toISOString() });
    await this.assertMay(program, order, transaction);
    await this.orders.noteCancelAsked(id, now, t.orders.reasons.beingGivenBack, transaction);
    await this.queue.wake(transaction, 'registration', [{ key: id }], now);
  }

  /** @throws {ApiError} not_found */
  async read(id: string, accountId: string): Promise<Order> {
    const order = await this.orders.findOfAccount(accountId, id);
    if (!order) throw refusal('not_found', 'noOrder');
    return order;
  }

  /** @throws {ApiError} invalid_parameter, quote_expired */
  readQuote(token: string, accountId: string, now: Date): Quote {
    return assertQuote(this.tokens.read(token), accountId, now);
  }

  /** @throws {ApiError} invalid_parameter, quote_expired, not_eligible */
  private async holderOf(
    { domain, renews, holderHash }: Quote,
    found: SealedRegistrant | null,
  ): Promise<OrderHolder> {
    if (renews !== null) return this.readHolder(renews);
    const registrant = assertKnown(found)();
    if (holderHash !== textHashOf(registrant)) throw refusal('quote_expired', 'registrantChanged');
    const { policyReason } = await this.judge(parseDomainName(domain), registrant);
    return { registrant, policyReason };
  }

  /** @throws {ApiError} not_eligible */
  private async judge(domain: DomainName, registrant: Registrant): Promise<Verdict> {
    if (domain.reserved)
      throw refusal('not_eligible', 'reserved', { domain: domain.domain, reason: domain.reserved.reason });
    const verdict = await this.customers.judge(domain, registrant);
    const { is, rule, source, asOf } = verdict;
    if (is === 'not_eligible') throw refusal('not_eligible', 'notEligible', { rule, source, asOf });
    return verdict;
  }

  /** @throws {ApiError} ordering_stopped, account_frozen */
  private async assertOrdering(accountId: string, on?: Queryable): Promise<void> {
    assertNoBar(await this.topUps.findBar(accountId, on));
  }

  /** In a transaction that has the renewed order locked it stays so. @throws {ApiError} order_closed */
  private async assertRenewable(renewed: Order, now: Date, on?: Queryable): Promise<void> {
    assertRenewable(renewed, await this.orders.findRenewing(renewed.id, on), now);
  }

  /** @throws {ApiError} price_changed with a new quote */
  private async assertPrice(
    asked: Omit<Wish, 'holderHash'> & Charge,
    registrant: Registrant,
    now: Date,
  ): Promise<void> {
    const charge = await this.prices.charge(this.prices.named(asked.registrar), asked);
    if (charge.totalCents === asked.totalCents) return;
    const { accountId, domain, years, registrantId, isDrop, renews } = asked;
    const { quote, token } = this.sign(
      { accountId, domain, years, registrantId, holderHash: textHashOf(registrant), isDrop, renews },
      charge,
      now,
    );
    throw refusal(
      'price_changed',
      'priceChanged',
      { cents: charge.totalCents },
      { headers: { 'Registration-Quote': token }, more: { quote: offerOf(quote, token) } },
    );
  }

  /** @throws {ApiError} order_closed, name_not_available, registry_unavailable */
  private async assertOpen({ renews, accountId }: Order, domain: DomainName, now: Date): Promise<void> {
    if (renews !== null) {
      const renewed = await this.read(renews, accountId);
      assertRenewable(renewed, null, now);
      return this.sponsored.assertOurs(renewed);
    }
    const asked = await this.registry.ask(domain, { afresh: true });
    if (!asked.answered) throw registryAway(asked);
    if (asked.answer.state !== 'available') throw notFree(domain, asked.answer.state);
  }
}

/** The order does not wait for an approval any more. */
class DecidedMeanwhile extends Error {}

function approvedOrder(order: Order): Order {
  if (order.approvedAt !== null) return order;
  throw orderClosed('approve', {}, order);
}

/** @throws {ApiError} invalid_parameter */
function assertKnown(registrant: SealedRegistrant | null): SealedRegistrant {
  if (registrant) return registrant;
  throw refusal('invalid_parameter', 'unknownRegistrant');
}

/** @throws {ApiError} ordering_stopped, account_frozen */
function assertNoBar(bar: Bar | null): void {
  if (bar !== null) throw barred(bar);
}

function sameRequest(order: Order, requestHash: Buffer): Order {
  if (order.requestHash.equals(requestHash)) return order;
  throw usedForAnother();
}

function inWordsOfForms(error: unknown): never {
  const isOther = error instanceof ApiError && error.code === 'idempotency_conflict';
  throw isOther ? refusal(error.code, 'sentBefore') : error;
}
