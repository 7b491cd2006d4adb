import type { Account } from '../../accounts/accounts.service.js';
import { agreementName, AGREEMENTS } from '../../orders/order/agreements.js';
import type { OrderActor } from '../../orders/order/order-actors.js';
import { isStopped, isTakenMeanwhile, wordsOf } from '../../orders/order/order-words.js';
import type { Order, OrderProgress } from '../../orders/order/order.repository.js';
import type { RenewalConsent } from '../../orders/order/renewal.repository.js';
import { isRenewableAt, renewableUntil } from '../../orders/order/renewal-window.js';
import { termInWords } from '../../orders/order/order-bookings.js';
import { ORDER_STATES } from '../../orders/order/order-states.js';
import type { Registrant } from '../../orders/registrar/port.js';
import { dollars, fillIn, t } from '../../texts/texts.js';
import { momentInWords } from '../layout/words.js';

/** What a person ticks. */
export const AGREEMENT_BOXES = AGREEMENTS.map((one) => ({ name: agreementName(one), text: one.text }));

/** A step of an order: `ok` was done, `bad` ended without the name, `ask` is doubtful, `now` is under way. */
interface Step {
  readonly tone: 'ok' | 'bad' | 'ask' | 'now' | '';
  readonly words: string;
  readonly hint: string | null;
}

interface Ending extends Omit<Step, 'hint'> {
  readonly at: Date;
}

export interface OrderFacts {
  readonly order: Order;
  readonly progress: OrderProgress | null;
  readonly registrant: Registrant | null;
  readonly freeCents: number;
  /** The hash of what an approval is for; null where the order waits for none, or its registrant cannot be read. */
  readonly terms: string | null;
  readonly now: Date;
  /** To renewals by itself; null without. */
  readonly consent: RenewalConsent | null;
  /** Today's price of a year of renewal; null while the registrar gives none. */
  readonly renewalCents: number | null;
  /** Whether the registrar takes name servers; null where there is no name to delegate. */
  readonly takesServers: boolean | null;
  /** Of a mailed link. */
  readonly token: string | null;
}

/** The page of an order: its state in words, what happened, and what its customer can do. */
export function orderView(facts: OrderFacts): object {
  const { order, progress, registrant, freeCents, terms, token } = facts;
  const { state, domain, number, registrar, totalCents, years } = order;
  const { chip, tone, title, lead } = wordsOf(order);
  const isPaid = state === 'registered' || isTakenMeanwhile(order);
  const { is, holds } = ORDER_STATES[state];
  const price = dollars(totalCents);
  const lapses = momentInWords(order.lapsesAt);
  const values = { domain, price, lapses, reason: order.reason ?? '' };
  // A name kept by its customer is a sale like any other.
  const wasLate = Boolean(progress?.executedLateAt) && state !== 'registered';
  const titleLate = order.renews === null ? t.ordering.executedLate : t.ordering.renewedLate;
  return {
    heading: fillIn(wasLate ? titleLate : title, values),
    ...{ id: order.id, number, domain, state, registrar, price, terms, token },
    registrant: registrant?.legalName ?? null,
    // What an approval is for.
    details: state === 'awaiting_approval' && registrant ? detailsOf(registrant) : null,
    ...{ chip, tone, lead: wasLate ? order.reason : fillIn(lead, values), isAsking: is === 'live' },
    // While the registrar is asked, it is what a connection or a frame said.
    reason: is === 'live' || wasLate || isStopped(order) ? null : order.reason,
    servers: order.renews === null ? order.nameServers.join(', ') || t.ordering.parked : null,
    delegation: delegationOf(facts),
    term: termInWords(years),
    paid: isPaid ? t.ordering.paid : holds ? t.ordering.setAside : t.ordering.price,
    balance: dollars(freeCents),
    lapses: is === 'waits' ? lapses : null,
    until: order.expiresAt && momentInWords(order.expiresAt),
    agreements: terms ? AGREEMENT_BOXES : [],
    unreadable: state === 'awaiting_approval' && !terms ? t.orders.closed.unreadable : null,
    ...cancellingOf(facts),
    renewal: renewalOf(facts),
    renews: renewsOf(facts),
    // Of a renewal the name was another's before.
    isOver: isOver(order) && order.renews === null,
    steps: stepsOf(facts),
  };
}

function delegationOf({ order, takesServers }: OrderFacts): object | null {
  if (takesServers === null) return null;
  const { nameServers, wishedServers, registrar } = order;
  const wished = wishedServers && (wishedServers.join(', ') || t.ordering.parked);
  return {
    elsewhere: takesServers ? null : fillIn(t.orders.closed.serversElsewhere, { registrar }),
    wished: wished && fillIn(t.ordering.serversWished, { servers: wished }),
    hosts: (wishedServers ?? nameServers).join(' '),
  };
}

const isOver = ({ state }: Order) => state === 'lost' || state === 'failed';
const endTone = (order: Order) => (order.state === 'registered' ? 'ok' : isOver(order) ? 'bad' : '');
const hintOfApproval = ({ isDrop, renews }: Order) =>
  renews !== null ? t.ordering.approvedRenewal : isDrop ? t.ordering.approvedDrop : t.ordering.approvedHint;

function cancellingOf({ order, now }: OrderFacts): object {
  const { state, cancelUntil, cancelAskedAt } = order;
  const canGiveBack = state === 'registered' && cancelUntil !== null && cancelUntil > now && !cancelAskedAt;
  return {
    isCancellable: ORDER_STATES[state].is === 'waits' || canGiveBack,
    cancelWords: canGiveBack ? t.orders.giveBack : t.orders.cancel,
    cancelHint: canGiveBack
      ? fillIn(t.orders.giveBackHint, { until: momentInWords(cancelUntil) })
      : t.orders.cancelHint,
  };
}

/** When the name of this order ends, as long as it can be renewed; null where the name is not this order's. */
export function endToRenew({ state, renews, expiresAt, cancelAskedAt }: Order, now: Date): Date | null {
  if (state !== 'registered' || renews !== null || cancelAskedAt || !expiresAt) return null;
  return renewableUntil(expiresAt) > now ? expiresAt : null;
}

/** Renewals in words; null where there are none. */
function renewalOf({ order, now, consent, renewalCents }: OrderFacts): object | null {
  const expiresAt = endToRenew(order, now);
  if (!expiresAt) return null;
  const { id, domain } = order;
  const cents = consent?.maxCents ?? renewalCents;
  const price = cents === null ? null : dollars(cents);
  const hasEnded = expiresAt <= now;
  const days = { end: momentInWords(expiresAt), until: momentInWords(renewableUntil(expiresAt)) };
  return {
    ended: hasEnded ? fillIn(t.orders.renewable, days) : null,
    form: isRenewableAt(now, expiresAt) ? `/profile/order?name=${domain}&renews=${id}` : null,
    isOn: consent !== null,
    words:
      consent &&
      fillIn(hasEnded ? t.orders.renewsNow : t.orders.renews, { price: dollars(consent.maxCents) }),
    failed: consent?.failed ? fillIn(t.orders.lastTry, { reason: consent.failed }) : null,
    ...{ cents, price },
    agreements: AGREEMENT_BOXES,
  };
}

/** Of a name that is to be renewed by itself, until it is registered. */
function renewsOf({ order, consent }: OrderFacts): string | null {
  if (!consent || order.state === 'registered' || ORDER_STATES[order.state].is === 'ended') return null;
  return fillIn(t.orders.renewsOnce, { price: dollars(consent.maxCents) });
}

/** The contact, the address and the number: all by which a changed registrant could differ. */
export function detailsOf({ idType, id, contact }: Registrant): string {
  const { name, street, city, state, postcode, email, phone } = contact;
  const address = [name, ...street, `${city} ${state} ${postcode}`].join(', ');
  return [address, email, phone, `${idType} ${id}`].join(' · ');
}

function stepsOf({ order, progress, now }: OrderFacts): Step[] {
  const { state, registrar, renews } = order;
  const { is } = ORDER_STATES[state];
  const { words, chip } = wordsOf(order);
  const steps: Step[] = [{ tone: 'ok', words: t.ordering.placed, hint: momentInWords(order.placedAt) }];
  if (order.approvedAt)
    steps.push({
      tone: 'ok',
      words: fillIn(t.ordering.approved, { price: dollars(order.totalCents) }),
      hint: fillIn(hintOfApproval(order), { time: momentInWords(order.approvedAt) }),
    });
  if (progress)
    steps.push({
      tone: 'ok',
      words: fillIn(t.ordering.sent, { registrar }),
      hint: fillIn(t.ordering.sentHint, {
        time: momentInWords(progress.sentAt),
        reference: progress.reference,
      }),
    });
  if (progress && (state === 'unknown' || state === 'needs_operator') && !isTakenMeanwhile(order))
    steps.push(
      { tone: 'ask', words: t.ordering.noAnswer, hint: t.ordering.noAnswerHint },
      { tone: 'now', words: t.ordering.asking, hint: askedIn(progress, now) },
    );
  else if (is !== 'ended') steps.push({ tone: 'now', words, hint: null });
  const ends: Ending[] = order.settledAt ? [{ tone: endTone(order), words: chip, at: order.settledAt }] : [];
  if (progress?.executedLateAt) {
    const found = renews === null ? t.ordering.foundLate : t.ordering.foundRenewed;
    ends.push({ tone: 'ask', words: fillIn(found, { registrar }), at: progress.executedLateAt });
  }
  const end = renews === null ? t.ordering.end : t.ordering.endOfRenewal;
  if (ends.length === 0) return [...steps, { tone: '', words: end, hint: null }];
  ends.sort((one, other) => one.at.getTime() - other.at.getTime());
  return [...steps, ...ends.map(({ at, ...one }) => ({ ...one, hint: momentInWords(at) }))];
}

function askedIn({ asks, askedAt, nextAt }: OrderProgress, now: Date): string | null {
  if (!askedAt) return null;
  const facts = { count: asks, time: momentInWords(askedAt) };
  return nextAt && nextAt > now
    ? fillIn(t.ordering.askingHint, { ...facts, next: momentInWords(nextAt) })
    : fillIn(t.ordering.askedHint, facts);
}

/** Who acts by a session. */
export function actorOf({ id: accountId, sessionId }: Account, address: string): OrderActor {
  return { accountId, by: `session:${sessionId}`, from: address };
}
