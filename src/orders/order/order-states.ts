import type { AccountEventType } from '../../notify/webhooks/account-events.js';

/** What `placed_by` begins with where a program placed an order, for PostgreSQL and JavaScript. */
export const BY_PROGRAM = '^(key|app):';

/** How a state is drawn: as good, under way, an end without the name, or none of them. */
export type Tone = 'free' | 'wait' | 'gone' | 'unk';

interface StateEntry {
  /** `waits`: nothing was sent; `live`: it may be registered by now; `ended`: nothing more happens. */
  readonly is: 'waits' | 'live' | 'ended';
  readonly tone: Tone;
  /** Whether its money is set aside. */
  readonly holds: boolean;
  /** The states that may follow. */
  readonly next: readonly string[];
  /** The event that its owner receives in this state. */
  readonly tells?: AccountEventType;
}

/** The states of an order, and their moves: the one table. Their words are texts; a quote is a token, without a row. */
export const ORDER_STATES = {
  awaiting_approval: {
    ...{ is: 'waits', tone: 'wait', holds: false, next: ['approved', 'waiting_for_drop', 'cancelled'] },
    tells: 'registration.needs_attention',
  },
  approved: {
    ...{ is: 'waits', tone: 'wait', holds: true, next: ['submitting', 'lost', 'failed', 'cancelled'] },
  },
  waiting_for_drop: {
    ...{ is: 'waits', tone: 'wait', holds: true, next: ['submitting', 'lost', 'failed', 'cancelled'] },
  },
  submitting: {
    is: 'live',
    tone: 'wait',
    holds: true,
    next: ['registered', 'pending_registry', 'unknown', 'approved', 'failed', 'lost'],
  },
  pending_registry: {
    ...{ is: 'live', tone: 'wait', holds: true, next: ['registered', 'failed', 'lost', 'needs_operator'] },
  },
  unknown: {
    is: 'live',
    tone: 'wait',
    holds: true,
    next: ['registered', 'pending_registry', 'submitting', 'failed', 'lost', 'needs_operator'],
  },
  needs_operator: {
    ...{ is: 'live', tone: 'wait', holds: true, next: ['registered', 'failed', 'lost'] },
    tells: 'registration.needs_attention',
  },
  registered: {
    // An operator decides about one that was being given back when another had the name.
    ...{
      is: 'ended',
      tone: 'free',
      holds: false,
      next: ['cancelled', 'needs_operator'],
      tells: 'registration.completed',
    },
  },
  failed: {
    // Executed late, an operator may book it.
    ...{ is: 'ended', tone: 'gone', holds: false, next: ['registered'], tells: 'registration.failed' },
  },
  lost: {
    ...{ is: 'ended', tone: 'gone', holds: false, next: ['registered'], tells: 'registration.failed' },
  },
  cancelled: {
    ...{ is: 'ended', tone: 'unk', holds: false, next: [], tells: 'registration.failed' },
  },
} as const satisfies Readonly<Record<string, StateEntry>>;

type Table = typeof ORDER_STATES;
export type OrderState = keyof Table;
export const ORDER_STATE_NAMES = Object.keys(ORDER_STATES) as OrderState[];

type EndedState = { [State in OrderState]: Table[State]['is'] extends 'ended' ? State : never }[OrderState];
/** How an attempt ended: with its order, or before it, which is sent again. */
export const ATTEMPT_ENDS: readonly AttemptEnd[] = [
  ...ORDER_STATE_NAMES.filter((name): name is EndedState => ORDER_STATES[name].is === 'ended'),
  'not_sent',
];
export type AttemptEnd = EndedState | 'not_sent';

/** The moves of the table: a pair that is not in it does not compile. */
export type Move = { [From in OrderState]: { from: From; to: Table[From]['next'][number] } }[OrderState];

export function statesThatAre(kind: StateEntry['is']): OrderState[] {
  return ORDER_STATE_NAMES.filter((name) => ORDER_STATES[name].is === kind);
}

/** The event for the owner of an order that comes into this state; undefined: none. */
export function toldOf(state: OrderState): AccountEventType | undefined {
  const { tells }: StateEntry = ORDER_STATES[state];
  return tells;
}

/** Whether it is approved, and not sent. */
export function isQueued(state: OrderState): boolean {
  const { is, holds }: StateEntry = ORDER_STATES[state];
  return is === 'waits' && holds;
}

export function mayMove(from: OrderState, to: OrderState): boolean {
  const { next }: StateEntry = ORDER_STATES[from];
  return next.includes(to);
}
