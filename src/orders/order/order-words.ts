import { ApiError } from '../../errors/api-error.js';
import { fillIn, t, type Texts } from '../../texts/texts.js';
import { isQueued, ORDER_STATES, type OrderState, type Tone } from './order-states.js';

/** What the words for an order depend on. */
export interface Told {
  readonly state: OrderState;
  readonly renews: string | null;
  readonly reason: string | null;
  readonly cancelAskedAt: Date | null;
}

interface Words {
  readonly words: string;
  readonly chip: string;
  readonly tone: Tone;
  readonly title: string;
  readonly lead: string;
}

/** Where an order stands: a renewal, a name that is given back and a stop have words of their own. */
export function wordsOf(order: Told): Words {
  const { state, renews, cancelAskedAt } = order;
  const { tone } = ORDER_STATES[state];
  const words = { ...t.ordering.states[state], tone };
  const { stopped, renewals } = t.ordering;
  if (isStopped(order))
    return { ...words, ...stopped, title: renews === null ? stopped.title : stopped.renewal };
  if (renews !== null) return { ...words, ...renewals[state] };
  if (cancelAskedAt === null) return words;
  if (state === 'registered') return { ...t.ordering.beingGivenBack, tone: 'wait' };
  return isTakenMeanwhile(order)
    ? { ...t.ordering.takenMeanwhile, tone }
    : { ...t.ordering.givenBack, tone: 'unk' };
}

/** As a sentence of a list: the words of its state. */
export function stateInWords(order: Told): string {
  return wordsOf(order).words;
}

/** It was registered and paid; its name went to another while it was being given back. */
export function isTakenMeanwhile({ state, cancelAskedAt }: Told): boolean {
  return state === 'needs_operator' && cancelAskedAt !== null;
}

/** Approved, with a reason why it is not sent. */
export function isStopped({ state, reason }: Pick<Told, 'state' | 'reason'>): boolean {
  return isQueued(state) && reason !== null;
}

/** The error for a step that the state of an order does not allow. */
export function orderClosed(
  why: keyof Texts['orders']['closed'],
  values: Readonly<Record<string, string | number>> = {},
  order?: Told,
): ApiError {
  const state = order && stateInWords(order);
  return new ApiError('order_closed', fillIn(t.orders.closed[why], { ...values, ...(state && { state }) }));
}
