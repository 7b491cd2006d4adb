import { Inject, Injectable, Logger } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { Clock, Closing, Database, type Queryable } from '../../db/database.js';
import { DomainRepository } from '../../domains/domain.repository.js';
import { parseDomainName } from '../../domains/name/domain-name.js';
import { NAMES_NO_HOLDER } from '../../domains/schema/states.js';
import { isSqlState, UNIQUE_VIOLATION } from '../../errors/database-failure.js';
import { Registry } from '../../registry/registry.js';
import { t } from '../../texts/texts.js';
import type { NamedKind, Work, WorkResult } from '../../work/kind.js';
import { Ledger } from '../ledger/ledger.repository.js';
import { OrderingStops } from '../ledger/ordering-stops.repository.js';
import { SeenPlace } from '../ledger/seen-place.js';
import {
  type Attempt,
  type Found,
  type Outcome,
  type Registered,
  type Registrar,
  REGISTRARS,
  type Registrars,
  type Renewal,
} from '../registrar/port.js';
import { LAPSES_AFTER_MS } from './order-desk.js';
import { type OrderEnd, OrderEnds } from './order-ends.js';
import { TopUpRepository } from '../topup/top-up.repository.js';
import { OrderTeaching } from './order-teaching.js';
import { RegisteredNames } from './registered-names.js';
import { attemptFor, RestoredOrders } from './restored-orders.js';
import { SponsoredNames } from './sponsored-names.js';
import type { SealedAttempt } from './sealed-rows.repository.js';
import {
  type OpenAttempt,
  type Order,
  type OrderHolder,
  type OrderIn,
  orderIs,
  OrderRepository,
  type OrderThat,
  type WorkedOrder,
} from './order.repository.js';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const MAX_SENDS = 2;
/**
 * After each sending of an attempt, when an answer "no such name" counts: before, the registrar may still be working.
 * Behind the last one the order has ended after 18 minutes, and 20 are promised. After an outage the answers are as far
 * apart, but for so much by which one may be late.
 */
const NONE_COUNTS_AFTER_MS = [
  [MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS],
  [MINUTE_MS, 2 * MINUTE_MS, 3 * MINUTE_MS],
] as const;
const NONE_LATE_MS = 20 * SECOND_MS;
/** Undecided orders have places of their own: behind a queue of new ones, one would be asked about after minutes. */
const UNDECIDED = { isSlow: true } as const;
/** An outcome is known within a minute of the registrar's return. */
const ASK_AGAIN_MS = 20 * SECOND_MS;
const PENDING_ASK_MS = MINUTE_MS;
const LOCKED_OUT_ASK_MS = 5 * MINUTE_MS;
/** After this time a person looks at the order; the registrar is asked all the same. */
const OPERATOR_AFTER_MS = 24 * 60 * MINUTE_MS;
const WAIT_MS = MINUTE_MS;
/** Until its purge the registry is asked so often about a name that its list has no more. */
const DELISTED_ASK_MS = 60 * MINUTE_MS;
/** From the beginning of its transaction to the sending of an attempt. */
const MAX_SEND_DELAY_MS = 30 * SECOND_MS;

type Waiting = OrderIn<'approved'> | OrderIn<'waiting_for_drop'>;

/**
 * Takes each order to its end, a step a run. Nothing is remembered between runs: a run may be killed anywhere, and the
 * next one reads the attempt and asks the registrar.
 */
@Injectable()
export class OrderWork implements NamedKind {
  readonly name = 'registration';
  readonly atOnce = 8;
  readonly slowAtOnce = 4;
  readonly deadlineMs = 2 * MINUTE_MS;
  private readonly logger = new Logger('Orders');

  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly database: Database,
    private readonly domains: DomainRepository,
    private readonly registry: Registry,
    private readonly ledger: Ledger,
    private readonly stops: OrderingStops,
    private readonly seen: SeenPlace,
    private readonly orders: OrderRepository,
    private readonly topUps: TopUpRepository,
    private readonly ends: OrderEnds,
    private readonly teaching: OrderTeaching,
    private readonly registered: RegisteredNames,
    private readonly sponsored: SponsoredNames,
    private readonly restored: RestoredOrders,
    @Inject(REGISTRARS) private readonly registrars: Registrars,
  ) {}

  async run({ key }: Work, now: Date): Promise<WorkResult> {
    const worked = await this.orders.findForWork(key);
    if (!worked) return {};
    const { order } = worked;
    switch (order.state) {
      case 'awaiting_approval':
      case 'approved':
      case 'waiting_for_drop':
        return now >= order.lapsesAt ? this.lapse(order, worked, now) : this.begin(order, worked, now);
      // An earlier run was killed after the commit: the attempt may have been sent.
      case 'submitting':
        await this.change(order.id, async (locked, transaction) => {
          if (locked.state === 'submitting') await this.orders.move(locked, 'unknown', now, transaction);
        });
        return { againInMs: 0, ...UNDECIDED };
      case 'registered':
        return this.registered.run(order, now);
      case 'unknown':
      case 'pending_registry':
      case 'needs_operator':
        // It was registered, and being given back: an operator alone decides.
        if (order.cancelAskedAt) return {};
        return { ...(await this.settle(order, now)), ...UNDECIDED };
      default:
        return this.teaching.run(order, now);
    }
  }

  /** One for a drop lapses after its purge, which a later list may have moved. */
  private async lapse(order: OrderThat<'waits'>, worked: WorkedOrder, now: Date): Promise<WorkResult> {
    const row = order.state === 'waiting_for_drop' ? await this.domains.findDomain(order.domain) : null;
    const lapsesAt = new Date((row?.purgeAt?.getTime() ?? 0) + LAPSES_AFTER_MS);
    if (lapsesAt <= now) return this.giveUp(order, worked, 'cancelled', t.orders.reasons.lapsed, now);
    await this.change(order.id, async (locked, transaction) => {
      if (locked.state === 'waiting_for_drop') await this.orders.postpone(order.id, lapsesAt, transaction);
    });
    return { againInMs: 0 };
  }

  private async begin(order: OrderThat<'waits'>, worked: WorkedOrder, now: Date): Promise<WorkResult> {
    const lapsesInMs = order.lapsesAt.getTime() - now.getTime();
    if (order.state === 'awaiting_approval') return { againInMs: lapsesInMs };
    const again = { againInMs: Math.min(WAIT_MS, lapsesInMs) };
    if (order.renews === null && worked.isOvertaken)
      return this.giveBack(order, 'lost', t.orders.reasons.overtaken, now);
    if (order.state === 'waiting_for_drop') {
      const ready = await this.hasDropped(order, now);
      if (ready === 'lost') return this.giveUp(order, worked, 'lost', t.orders.reasons.lostOrKept, now);
      if (ready !== 'dropped') return { againInMs: Math.min(ready.askAgainMs, lapsesInMs) };
    }
    const registrar = this.registrars.named(order.registrar);
    if (!this.config.orders.enabled || !registrar) return again;
    await this.seen.compareOnce();
    const begunAt = performance.now();
    const attempt = await this.openAttempt(order, worked.readHolder(), now);
    if (attempt === 'waits') return again;
    if (typeof attempt === 'string') return this.giveBack(order, 'failed', t.orders.reasons[attempt], now);
    return this.take(order, await send(registrar, attempt, begunAt), null);
  }

  /** Commits the attempt before anything is sent. */
  private async openAttempt(order: Waiting, holder: OrderHolder, now: Date) {
    const { id, renews } = order;
    const expiresBefore = renews === null ? null : await this.endBefore(order, renews);
    if (typeof expiresBefore === 'string') return expiresBefore;
    const attempt = attemptFor(order, holder, now);
    try {
      return await this.database.transaction(async (transaction) => {
        const [locked, mustWait] = await Promise.all([
          this.orders.lock(id, transaction),
          this.orders.mustWait(order, transaction),
        ]);
        if (locked?.state !== 'approved' && locked?.state !== 'waiting_for_drop') return 'waits';
        if (mustWait) return 'waits';
        const opened = { attempt, expiresBefore };
        const moving = this.orders.move(locked, 'submitting', now, transaction, { attempt: opened });
        return new Closing<SealedAttempt | 'waits'>(moving.then(() => opened));
      });
    } catch (error) {
      // Two instances began with two orders of one name in the same moment.
      if (isSqlState(error, UNIQUE_VIOLATION)) return 'waits';
      throw error;
    }
  }

  /** Of a name that is to be renewed. Asked just before: a later end that stood already would pass for this renewal. */
  private async endBefore(
    order: Order,
    renews: string,
  ): Promise<Date | 'waits' | 'notRegistered' | 'renewedBefore'> {
    const renewed = await this.orders.find(renews);
    if (renewed?.state !== 'registered' || !renewed.expiresAt) return 'notRegistered';
    if (await this.orders.mustWait(order, this.database)) return 'waits';
    const there = await this.sponsored.ask(renewed);
    if (there === 'unanswered') return 'waits';
    if (typeof there === 'string') return 'notRegistered';
    return 'laterEnd' in there ? 'renewedBefore' : there.end;
  }

  /** Takes the reply to an attempt that was sent just now. @param before as it was before its second sending */
  private async take(
    { id, registrar }: Pick<Order, 'id' | 'registrar'>,
    outcome: Outcome<Registered>,
    before: OpenAttempt | null,
  ): Promise<WorkResult> {
    if (outcome.is === 'done') return this.end(id, 'registered', { registered: outcome.value });
    if (outcome.is === 'pending') {
      await this.changeSubmitting(id, 'pending_registry');
      return { againInMs: PENDING_ASK_MS, ...UNDECIDED };
    }
    if (outcome.is === 'unknown') {
      await this.changeSubmitting(id, 'unknown', outcome.why);
      return { againInMs: ASK_AGAIN_MS, ...UNDECIDED };
    }
    const { reason, text } = outcome;
    switch (reason) {
      // It may be ours: the registrar says whose.
      case 'taken':
        await this.changeSubmitting(id, 'unknown', text);
        return { againInMs: 0, ...UNDECIDED };
      case 'funds':
      case 'credentials':
        if (await this.stops.stop(reason, `${registrar}: ${text}`, await this.clock.now(), { registrar }))
          this.logger.error(`Ordering is stopped, since ${registrar} said: ${text}`);
        return this.sendLater(id, before, WAIT_MS);
      case 'busy':
      case 'away':
        return this.sendLater(id, before, ASK_AGAIN_MS);
      case 'command':
        this.logger.error(`The registrar refused a command of the order ${id}: ${text}`);
        return this.end(id, 'failed', { reason: text });
      case 'policy':
      case 'unsupported':
        return this.end(id, 'failed', { reason: text });
      default:
        return reason satisfies never;
    }
  }

  /** Nothing was sent this time. An earlier request may still be executed: then the registrar is asked. */
  private async sendLater(id: string, before: OpenAttempt | null, againInMs: number): Promise<WorkResult> {
    await this.change(id, async (order, transaction, now) => {
      if (order.state !== 'submitting') return;
      await this.orders.move(order, before ? 'unknown' : 'approved', now, transaction);
      if (before) await this.orders.noteSending(before, transaction);
      else await this.orders.endAttempt(id, now, transaction);
    });
    return { againInMs };
  }

  /** Asks the registrar what became of the attempt. */
  private async settle(
    order: Exclude<OrderThat<'live'>, OrderIn<'submitting'>>,
    now: Date,
  ): Promise<WorkResult> {
    const open = await this.orders.readOpenAttempt(order.id);
    const registrar = this.registrars.named(open.attempt.registrar);
    const found = await ask(registrar, open, order.state !== 'unknown');
    const isUnproven = found.is === 'done' && found.value === 'unproven';
    if (found.is === 'done' && found.value !== 'unproven') {
      const { value } = found;
      if (value === 'foreign') return this.end(order.id, 'lost', { reason: t.orders.reasons.lost });
      if (value !== 'none') return this.end(order.id, 'registered', { registered: value });
      return this.takeNone(order, open, now);
    }
    await this.change(order.id, async (locked, transaction) => {
      const noneAnswers = found.is === 'pending' ? 0 : open.noneAnswers;
      await this.orders.noteAsked(open.attempt.id, noneAnswers, now, transaction);
      if (found.is === 'pending' && locked.state === 'unknown')
        await this.orders.move(locked, 'pending_registry', now, transaction);
      else await this.callOperator(locked, open, isUnproven, now, transaction);
    });
    if (found.is === 'pending') return { againInMs: PENDING_ASK_MS };
    if (found.is === 'refused' && found.reason === 'credentials') {
      await this.stops.stop('credentials', found.text, now, { registrar: order.registrar });
      return { againInMs: LOCKED_OUT_ASK_MS };
    }
    return { againInMs: ASK_AGAIN_MS };
  }

  /**
   * "No such name": after three such answers, apart in time, the same attempt is sent once more, and after three further
   * ones it failed. An attempt that was pending, is with an operator, or whose approval has lapsed, is sent once alone.
   */
  private async takeNone(order: Order, open: OpenAttempt, now: Date): Promise<WorkResult> {
    const { id, state } = order;
    const { attempt, expiresBefore, sends, decided, noneAnswers } = open;
    const isUnknown = state === 'unknown';
    // A message may be about either of two sendings.
    if (decided === 'refused' && (!isUnknown || sends === 1))
      return this.end(id, 'failed', { reason: t.orders.reasons.registryRefused });
    const schedule = NONE_COUNTS_AFTER_MS[isUnknown && sends > 1 ? 1 : 0];
    const isCounted = now.getTime() >= (noneCountsAt(open, schedule) ?? Infinity);
    const asked = isCounted ? { ...open, noneAnswers: noneAnswers + 1, noneAt: now } : open;
    const nextAt = noneCountsAt(asked, schedule);
    if (nextAt !== undefined) {
      await this.change(id, (_, transaction) =>
        this.orders.noteAsked(attempt.id, asked.noneAnswers, now, transaction),
      );
      const againInMs = Math.max(0, nextAt - now.getTime());
      return { againInMs: isUnknown ? againInMs : Math.min(againInMs, PENDING_ASK_MS) };
    }
    if (!isUnknown || sends >= MAX_SENDS || now >= order.lapsesAt) {
      const { registryRefused, neverExecuted } = t.orders.reasons;
      return this.end(id, 'failed', {
        reason: state === 'pending_registry' ? registryRefused : neverExecuted,
      });
    }
    const registrar = this.registrars.named(attempt.registrar);
    if (!registrar) return { againInMs: WAIT_MS };
    const begunAt = performance.now();
    const isBarred = await this.change(id, async (locked, transaction) => {
      if (locked.state !== 'unknown') throw new Error(`the order ${id} was decided elsewhere`);
      if (await this.topUps.findBar(locked.accountId, transaction)) return true;
      await this.orders.move(locked, 'submitting', now, transaction);
      const again = { ...open, sends: sends + 1, sentAt: now, noneAnswers: 0, noneAt: null };
      await this.orders.noteSending(again, transaction);
      return false;
    });
    if (isBarred) return { againInMs: WAIT_MS };
    return this.take(order, await send(registrar, { attempt, expiresBefore }, begunAt), open);
  }

  private async callOperator(
    order: Order,
    { attempt }: Pick<OpenAttempt, 'attempt'>,
    isUnproven: boolean,
    now: Date,
    transaction: Queryable,
  ): Promise<void> {
    if (order.state !== 'unknown' && order.state !== 'pending_registry') return;
    const isLate = now.getTime() - attempt.startedAt.getTime() > OPERATOR_AFTER_MS;
    const { unproven, noAnswer } = t.orders.reasons;
    if (isUnproven || isLate)
      await this.orders.move(order, 'needs_operator', now, transaction, {
        reason: isUnproven ? unproven : noAnswer,
      });
  }

  /**
   * Of a drop order: asked afresh, once the dataset has seen its purge. So is a name that its list has no more: as soon
   * as the registry calls it registered, its holder has kept it.
   */
  private async hasDropped(
    { domain: name }: Order,
    now: Date,
  ): Promise<'dropped' | 'lost' | { readonly askAgainMs: number }> {
    const row = await this.domains.findDomain(name);
    const isGone = row?.state === 'taken' || row?.state === 'rescued';
    if (isGone && row.confirmedBy !== NAMES_NO_HOLDER) return 'lost';
    const isDelisted = row?.state === 'delisted';
    if (!isGone && !isDelisted && row?.state !== 'purged' && row?.state !== 'available')
      return { askAgainMs: WAIT_MS };
    const purgeInMs = (row.purgeAt?.getTime() ?? 0) - now.getTime();
    const isEarly = isDelisted && purgeInMs > 0;
    const notYet = { askAgainMs: isEarly ? Math.min(DELISTED_ASK_MS, purgeInMs) : WAIT_MS };
    const asked = await this.registry.ask(parseDomainName(name), { afresh: true });
    if (!asked.answered) return notYet;
    const { state, source } = asked.answer;
    if (state === 'registered' && source !== NAMES_NO_HOLDER) return 'lost';
    return state === 'available' && !isEarly ? 'dropped' : notYet;
  }

  /** Ends an order that was not sent; its money is free again. */
  private async giveBack(
    { id }: Order,
    to: 'lost' | 'failed' | 'cancelled',
    reason: string,
    now: Date,
  ): Promise<WorkResult> {
    await this.change(id, async (order, transaction) => {
      if (!orderIs(order, 'waits')) return;
      await this.orders.move(order, to, now, transaction, { reason });
      await this.ledger.release(transaction, id, now);
    });
    return {};
  }

  /** The same, unless it was sent after the backup that this database was restored from: then it is settled. */
  private async giveUp(
    order: OrderThat<'waits'>,
    { readHolder }: WorkedOrder,
    to: 'lost' | 'cancelled',
    reason: string,
    now: Date,
  ): Promise<WorkResult> {
    const wasSent = await this.restored.wasSent(order, readHolder);
    if (wasSent === null) return { againInMs: WAIT_MS };
    if (!wasSent || order.state === 'awaiting_approval') return this.giveBack(order, to, reason, now);
    const attempt = await this.openAttempt(order, readHolder(), order.approvedAt ?? now);
    if (typeof attempt === 'string') return { againInMs: WAIT_MS };
    await this.changeSubmitting(order.id, 'unknown');
    return { againInMs: 0, ...UNDECIDED };
  }

  /** Ends an order and its money in one transaction; orders that waited for the name go on. */
  private async end(
    id: string,
    to: OrderEnd,
    { registered, reason }: { registered?: Registered; reason?: string },
  ): Promise<WorkResult> {
    const registeredAt =
      registered && (registered.createdAt ?? (await this.orders.readOpenAttempt(id)).attempt.startedAt);
    const ended = await this.change(id, async (order, transaction, now) => {
      if (!orderIs(order, 'live')) return null;
      const change = {
        ...(reason && { reason }),
        expiresAt: registered?.expiresAt ?? null,
        cancelUntil:
          registeredAt && order.renews === null ? this.cancelUntil(order, registeredAt, now) : null,
      };
      const ending = this.ends.end(order, to, change, now, transaction).then((end) => ({ order: end, now }));
      // The amount of a refund, and the end of a renewed name, are read before more is sent.
      return order.cancelAskedAt || order.renews !== null ? ending : new Closing(ending);
    });
    return ended ? this.teaching.run(ended.order, ended.now, registered?.createdAt) : {};
  }

  /** The registrar's window began with the registration, which may have been found out long after it. */
  private cancelUntil({ registrar }: Order, registeredAt: Date, now: Date): Date | null {
    const hours = this.registrars.named(registrar)?.capabilities().cancelWindowHours ?? 0;
    const until = new Date(Math.min(registeredAt.getTime(), now.getTime()) + hours * 60 * MINUTE_MS);
    return until > now ? until : null;
  }

  private async changeSubmitting(
    id: string,
    to: 'pending_registry' | 'unknown',
    reason?: string,
  ): Promise<void> {
    await this.change(id, async (order, transaction, now) => {
      if (order.state === 'submitting')
        await this.orders.move(order, to, now, transaction, { ...(reason && { reason }) });
    });
  }

  /** Work on a locked order, with the time at which it was locked. */
  private change<Result>(
    id: string,
    work: (order: Order, transaction: Queryable, now: Date) => Promise<Result | Closing<Result>>,
  ): Promise<Result> {
    return this.database.transaction(async (transaction) => {
      const [order, now] = await Promise.all([
        this.orders.lock(id, transaction),
        this.clock.now(transaction),
      ]);
      if (!order) throw new Error(`there is no order ${id}`);
      return work(order, transaction, now);
    });
  }
}

/** Not by a process that stood still since the commit: its attempt may have been settled meanwhile. */
async function send(
  registrar: Registrar,
  { attempt, expiresBefore }: SealedAttempt,
  begunAt: number,
): Promise<Outcome<Registered>> {
  if (performance.now() - begunAt > MAX_SEND_DELAY_MS)
    return { is: 'unknown', why: 'it was not sent in time' };
  return expiresBefore ? registrar.renew(renewalOf(attempt, expiresBefore)) : registrar.register(attempt);
}

function renewalOf({ clTRID, name, years }: Attempt, expiresAt: Date): Renewal {
  return { id: clTRID, name, years, expiresAt };
}

/** Asks about an attempt. @param wasAccepted whether it may be pending at the registry */
async function ask(
  registrar: Registrar | undefined,
  { attempt, expiresBefore, sends, decided }: OpenAttempt,
  wasAccepted: boolean,
): Promise<Outcome<Found>> {
  if (!registrar) return { is: 'unknown', why: 'no registrar' };
  const found = expiresBefore
    ? await registrar.findRenewal(renewalOf(attempt, expiresBefore))
    : await registrar.find(attempt);
  if (found.is !== 'done' || found.value !== 'none') return found;
  if (decided === 'done') return { is: 'unknown', why: 'it is done by a message, and not to be found' };
  if (expiresBefore) return found;
  if (sends === 1 && (!wasAccepted || decided === 'refused')) return found;
  // A registry may show nothing of a name that it has not decided about: it is free once it was refused.
  const free = await registrar.check(attempt.name);
  if (free.is !== 'done') return free;
  return free.value.available ? found : { is: 'pending', reference: null };
}

/** When the next answer "no such name" counts; undefined: all of them have been counted. */
function noneCountsAt(
  { sentAt, noneAnswers, noneAt }: OpenAttempt,
  schedule: readonly number[],
): number | undefined {
  const after = schedule[noneAnswers];
  if (after === undefined) return undefined;
  const apart = after - (schedule[noneAnswers - 1] ?? 0) - NONE_LATE_MS;
  return Math.max(sentAt.getTime() + after, (noneAt?.getTime() ?? -Infinity) + apart);
}
