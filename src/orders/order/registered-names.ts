import { Inject, Injectable } from '@nestjs/common';
import { Clock, Database, type Queryable } from '../../db/database.js';
import { aside } from '../../db/scope.js';
import type { ApiError } from '../../errors/api-error.js';
import { fillIn, t } from '../../texts/texts.js';
import type { WorkResult } from '../../work/kind.js';
import { WorkQueue } from '../../work/work-queue.js';
import { refusal, registrarAway, RETRY_SECONDS } from '../ledger/refusals.js';
import {
  type Attempt,
  NOT_NOW,
  type Outcome,
  type Registrar,
  REGISTRARS,
  type Registrars,
} from '../registrar/port.js';
import { GivenBackRepository } from './given-back.repository.js';
import { readNameServers } from './name-servers.js';
import { OrderCancelling } from './order-cancelling.js';
import { OrderNoticeRepository } from './order-notice.repository.js';
import { OrderTeaching } from './order-teaching.js';
import { orderClosed } from './order-words.js';
import { type Order, type OrderIn, OrderRepository } from './order.repository.js';
import { UnreadableRow } from './sealed-rows.repository.js';

type Refused = Extract<Outcome<never>, { is: 'refused' }>;

/** After a request that was killed, or had no clear answer. */
const ASK_AGAIN_MS = 30_000;
const LOCKED_OUT_ASK_MS = 5 * 60_000;

/**
 * A registered name gets other name servers, or is given back. The wish for name servers is committed before the first
 * byte leaves, and stands until the registrar has said yes or no.
 */
@Injectable()
export class RegisteredNames {
  constructor(
    private readonly clock: Clock,
    private readonly database: Database,
    private readonly orders: OrderRepository,
    private readonly given: GivenBackRepository,
    private readonly notices: OrderNoticeRepository,
    private readonly queue: WorkQueue,
    private readonly cancelling: OrderCancelling,
    private readonly teaching: OrderTeaching,
    @Inject(REGISTRARS) private readonly registrars: Registrars,
  ) {}

  /** Null where the order has no name to delegate; otherwise whether its registrar takes name servers. */
  takesServers(order: Order): boolean | null {
    if (whyNoServers(order)) return null;
    return this.registrars.named(order.registrar)?.capabilities().setsNameServers ?? false;
  }

  /**
   * The same list again is the same wish: it asks, and changes nothing that is so.
   *
   * @param given none: the name is parked
   * @param program left out: a person
   * @returns with its wish where the registrar gave no clear answer
   * @throws {ApiError} not_found, order_closed, invalid_parameter, mandate_required, registrar_unavailable
   */
  async setServers(
    id: string,
    given: readonly string[],
    accountId: string,
    program?: string,
  ): Promise<Order> {
    const order = await this.read(id, accountId);
    assertHasName(order);
    const hosts = readNameServers(given, { domain: order.domain, renews: null });
    const registrar = this.registrars.named(order.registrar);
    if (!registrar) throw registrarAway('notServed');
    const attempt = await this.attemptOf(id);
    const earlier = await this.wish(id, hosts, program);
    const outcome = await aside(() => registrar.delegate(attempt, hosts));
    if (outcome.is !== 'refused') {
      await this.noteSent(id, hosts, outcome);
      return this.read(id, accountId);
    }
    // An earlier wish without a clear answer is asked about as before.
    await this.given.endWish(id, hosts, { next: earlier });
    throw refusedServers(outcome, registrar);
  }

  private async read(id: string, accountId: string): Promise<Order> {
    const order = await this.orders.findOfAccount(accountId, id);
    if (!order) throw refusal('not_found', 'noOrder');
    return order;
  }

  private async attemptOf(id: string): Promise<Attempt> {
    return this.given.readLast(id).catch((error: unknown) => {
      throw error instanceof UnreadableRow ? orderClosed('unreadable') : error;
    });
  }

  /** @returns the wish before it */
  private async wish(
    id: string,
    hosts: readonly string[],
    program: string | undefined,
  ): Promise<readonly string[] | null> {
    return this.database.transaction(async (transaction) => {
      const order = await this.orders.lock(id, transaction);
      if (!order) throw refusal('not_found', 'noOrder');
      assertHasName(order);
      // Control of the servers is control of the name: a program moves its own orders' alone.
      const isOwn = program === undefined || (await this.orders.readOrigin(id, program, transaction)).isOwn;
      if (!isOwn) throw refusal('mandate_required', 'serversOfOther', { id });
      await this.given.noteWish(id, hosts, transaction);
      await this.askLater(id, transaction);
      return order.wishedServers;
    });
  }

  /** Another wish that came since may have reached the registrar before this one: then it is sent again. */
  private async noteSent(id: string, hosts: readonly string[], { is }: Outcome<null>): Promise<void> {
    if (is === 'done' && (await this.given.endWish(id, hosts, { isDone: true }))) return;
    await this.database.transaction(async (transaction) => {
      if (await this.given.wishAgain(id, hosts, transaction)) await this.askLater(id, transaction);
    });
  }

  private async askLater(id: string, transaction: Queryable): Promise<void> {
    const at = new Date((await this.clock.now(transaction)).getTime() + ASK_AGAIN_MS);
    await this.queue.wake(transaction, 'registration', [{ key: id }], at);
  }

  /** The work of a registered order. */
  async run(order: OrderIn<'registered'>, now: Date): Promise<WorkResult> {
    if (order.cancelAskedAt) return this.cancelling.run(order, now);
    const { wishedServers } = order;
    const again = wishedServers && (await this.settle(order, wishedServers, now));
    return again ?? this.teaching.run(order, now);
  }

  /** @returns null once the registrar has said yes or no */
  private async settle(
    { id, registrar: name }: Order,
    wished: readonly string[],
    at: Date,
  ): Promise<WorkResult | null> {
    const registrar = this.registrars.named(name);
    const outcome = await registrar?.delegate(await this.given.readLast(id), wished);
    if (!outcome) return { againInMs: ASK_AGAIN_MS };
    if (outcome.is !== 'refused') {
      await this.noteSent(id, wished, outcome);
      return outcome.is === 'done' ? null : { againInMs: ASK_AGAIN_MS };
    }
    if (NOT_NOW.includes(outcome.reason))
      return { againInMs: outcome.reason === 'credentials' ? LOCKED_OUT_ASK_MS : ASK_AGAIN_MS };
    const reason = fillIn(t.orders.reasons.serversRefused, { reason: outcome.text });
    await this.database.transaction(async (transaction) => {
      if (!(await this.given.endWish(id, wished, { reason }, transaction))) return;
      const type = 'registration.needs_attention';
      await this.notices.insert({ orderId: id, type, reason, at }, transaction);
    });
    return null;
  }
}

function whyNoServers(order: Order): ApiError | null {
  if (order.state !== 'registered' || order.cancelAskedAt) return orderClosed('noServers', {}, order);
  return order.renews === null ? null : orderClosed('serversOfRenewal');
}

/** @throws {ApiError} order_closed */
function assertHasName(order: Order): void {
  const why = whyNoServers(order);
  if (why) throw why;
}

function refusedServers({ reason, text }: Refused, { name }: Registrar): ApiError {
  if (NOT_NOW.includes(reason))
    return refusal('registrar_unavailable', 'serversNotNow', {}, { retryAfterSeconds: RETRY_SECONDS });
  if (reason === 'unsupported') return orderClosed('serversElsewhere', { registrar: name });
  if (reason === 'taken') return orderClosed('serversNotOurs');
  return refusal('invalid_parameter', 'serversRefused', { text });
}
