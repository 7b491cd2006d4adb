import {
  type Asker,
  type AskerCredits,
  isOwed,
  NO_ASKER_CREDITS,
  nextAsker,
  spendTurn,
} from '../domains/freshness/next-turn.js';

/** How fast the installation asks; maxWaitMs is the longest time that a caller waits for a turn. */
export interface Pace {
  readonly ratePerSecond: number;
  readonly burst: number;
  readonly maxWaitMs: number;
}

/** Whom turns are counted for; callers are such. */
export interface TurnHolder {
  readonly id: string;
  /** Those without a key are the demo. */
  readonly tier: { readonly keyRequired: boolean };
}

/** A job that asks about names. It does not wait, but comes back for its turn. */
export type JobAsker = 'queues' | 'sample';

/** Who wants a turn: a counted caller, the service itself for one, its canaries, or a job. */
export type TurnAsker = TurnHolder | 'service' | 'canary' | JobAsker;

export function isJob(by: TurnAsker): by is JobAsker {
  return by === 'queues' || by === 'sample';
}

export interface TurnWish {
  /** The place in the line, the same at every try; a job has one place. */
  readonly id: string;
  readonly by: TurnAsker;
  /** Longest time until the turn; a job's is there, or refused. Below 0: it has waited for longer already. */
  readonly maxWaitMs: number;
}

/** An asker in the line, as of its last try. Times are milliseconds since 1970, by the dataset's clock. */
export interface Waiting {
  readonly id: string;
  /** Null: the service itself. */
  readonly holder: string | null;
  readonly isDemo: boolean;
  /** Absent: a caller. */
  readonly asker?: Exclude<Asker, 'caller'>;
  /** An asker that has not come back by then died with its process, and no longer delays the others. */
  readonly lapsesAt: number;
}

/** What all instances share about turns. */
export interface FairQueue {
  /** When the bucket of turns is full again. */
  readonly fullAt: number;
  /** In the order in which they came. */
  readonly waiting: readonly Waiting[];
  /** The minute that `turns` counts. */
  readonly minute: number;
  /** Turns by holder. */
  readonly turns: Readonly<Record<string, number>>;
  /** Whether the last turn of a caller was the demo's. */
  readonly lastWasDemo: boolean;
  readonly credits: AskerCredits;
}

export const EMPTY_LINE: Omit<FairQueue, 'fullAt'> = {
  waiting: [],
  minute: 0,
  turns: {},
  lastWasDemo: false,
  credits: NO_ASKER_CREDITS,
};

/** What becomes of a wish: a turn now, a place in the line and when to try again, or neither. */
export interface TurnDecision {
  readonly line: FairQueue;
  readonly granted: boolean;
  /** When the turn comes, as the line stands now; 0 when it is there. A job comes back then, or looks before it. */
  readonly waitMs: number;
  /** When to try again, for askers that wait; null for the others. */
  readonly retryMs: number | null;
}

const MINUTE_MS = 60_000;
/** A place is kept for so long after its time to try again. */
const LAPSE_MS = 1_000;
/** While a caller in front is about to take an available turn. */
const MIN_RETRY_MS = 5;
/** However far off the turn is: a place that lapses is free again soon. */
const MAX_RETRY_MS = 10_000;
/** Of each minute, so many holders are known at most: those with the most turns. */
const MAX_HOLDERS = 100;

/**
 * Decides on a wish. Among askers, `nextAsker` decides: callers first, and small guaranteed shares for the others.
 * Among callers the service itself goes first. While others wait, a holder gets at most a quarter of a minute's
 * turns, and the demo never two turns in a row, so at most half of them. Otherwise holders with a key go before the
 * demo, then first come, first served. Without others waiting, these limits do not apply.
 */
export function schedule(known: FairQueue, pace: Pace, wish: TurnWish, now: number): TurnDecision {
  const gap = 1000 / pace.ratePerSecond;
  const line = upToDate(known, pace, gap, now);
  const ahead = countAhead(line, wish, quarterOf(pace));
  // With a full bucket, time that has passed is worth no more turns.
  const emptyAt = Math.max(line.fullAt, now) - (pace.burst - 1) * gap;
  // A job leaves a turn in the bucket unless it is owed one; where only one fits into it, callers wait for one turn at
  // most.
  const leavesOne = isJob(wish.by) && !isOwed(wish.by, line.credits);
  const reserve = leavesOne ? Math.min(1, pace.burst - 1) : 0;
  const waitMs = Math.max(0, emptyAt + (reserve + ahead) * gap - now);
  const others = line.waiting.filter(({ id }) => id !== wish.id);
  if (waitMs === 0)
    return {
      line: taken({ ...line, waiting: others }, wish, gap, now),
      granted: true,
      waitMs,
      retryMs: null,
    };
  if (isJob(wish.by)) {
    // A look costs a job a run: it comes when its turn does, or halfway there.
    const untilRun = Math.max(MIN_RETRY_MS, emptyAt - now, waitMs - Math.floor(ahead / 2) * gap);
    const waiting = inLine(line, wish, now + untilRun);
    return { line: { ...line, waiting }, granted: false, waitMs: untilRun, retryMs: null };
  }
  if (waitMs > wish.maxWaitMs)
    return { line: { ...line, waiting: others }, granted: false, waitMs, retryMs: null };
  // Those far behind look less often, and the first two at every turn.
  const untilLook = Math.max(MIN_RETRY_MS, emptyAt - now, waitMs - Math.ceil(ahead / 2) * gap);
  const retryMs = Math.min(MAX_RETRY_MS, untilLook);
  return { line: { ...line, waiting: inLine(line, wish, now + retryMs) }, granted: false, waitMs, retryMs };
}

/**
 * Drops expired entries. A row further ahead than these rules allow (another configuration, a clock set back) starts
 * again.
 */
function upToDate(line: FairQueue, { burst, maxWaitMs }: Pace, gap: number, now: number): FairQueue {
  const furthestMs = (burst + 2) * gap + maxWaitMs;
  const isAstray = line.fullAt > now + furthestMs;
  const minute = now - (now % MINUTE_MS);
  return {
    ...line,
    fullAt: isAstray ? now + (burst - 1) * gap : line.fullAt,
    waiting: line.waiting.filter(
      ({ lapsesAt }) => lapsesAt > now && lapsesAt <= now + Math.max(MAX_RETRY_MS, furthestMs) + LAPSE_MS,
    ),
    ...(line.minute !== minute && { minute, turns: {} }),
  };
}

function quarterOf({ ratePerSecond }: Pace): number {
  return Math.max(1, Math.floor((ratePerSecond * MINUTE_MS) / 1000 / 4));
}

/**
 * How many have their turns before this one, without new arrivals. A new wish is behind the others of its rank.
 */
function countAhead(line: FairQueue, { id, by }: TurnWish, quarter: number): number {
  const own = { id, ...holderOf(by) };
  const isNew = line.waiting.every((other) => other.id !== id);
  let left = isNew ? [...line.waiting, own] : line.waiting.map((other) => (other.id === id ? own : other));
  let { turns, lastWasDemo, credits } = line;
  for (let ahead = 0; ; ahead += 1) {
    const asker = nextAsker(wantsOf(left), credits);
    const ranks = left.map((one) =>
      askerOf(one) === asker ? rankOf({ turns, lastWasDemo }, one, quarter) : Infinity,
    );
    const next = left[ranks.indexOf(Math.min(...ranks))];
    if (asker === null || !next || next.id === id) return ahead;
    // Before a caller, a job comes back for its next turn.
    const isBack = !isJob(by) && (asker === 'queues' || asker === 'sample');
    if (!isBack) left = left.filter((one) => one !== next);
    // Each turn changes the order after it.
    credits = spendTurn(asker, credits);
    if (asker === 'caller') lastWasDemo = next.isDemo;
    if (next.holder !== null) turns = { ...turns, [next.holder]: (turns[next.holder] ?? 0) + 1 };
  }
}

function wantsOf(places: readonly Counted[]): Record<Asker, boolean> {
  const wants = { caller: false, canary: false, sample: false, queues: false };
  for (const place of places) wants[askerOf(place)] = true;
  return wants;
}

type Counted = Pick<Waiting, 'holder' | 'isDemo' | 'asker'>;

function askerOf({ asker }: Counted): Asker {
  return asker ?? 'caller';
}

/** Less is earlier. */
function rankOf(
  { turns, lastWasDemo }: Pick<FairQueue, 'turns' | 'lastWasDemo'>,
  { holder, isDemo }: Counted,
  quarter: number,
): number {
  if (holder === null) return 0;
  const isWithin = (turns[holder] ?? 0) < quarter;
  if (!isDemo) return isWithin ? 1 : 3;
  if (!isWithin) return 5;
  return lastWasDemo ? 4 : 2;
}

function holderOf(by: TurnAsker): Counted {
  if (typeof by !== 'string') return { holder: by.id, isDemo: !by.tier.keyRequired };
  return { holder: null, isDemo: false, ...(by !== 'service' && { asker: by }) };
}

function inLine({ waiting }: FairQueue, wish: TurnWish, retryAt: number): Waiting[] {
  const entry = { id: wish.id, ...holderOf(wish.by), lapsesAt: retryAt + LAPSE_MS };
  return waiting.some(({ id }) => id === wish.id)
    ? waiting.map((other) => (other.id === wish.id ? entry : other))
    : [...waiting, entry];
}

function taken(line: FairQueue, wish: TurnWish, gap: number, now: number): FairQueue {
  const { holder, isDemo, asker } = holderOf(wish.by);
  return {
    ...line,
    fullAt: Math.max(line.fullAt, now) + gap,
    lastWasDemo: asker ? line.lastWasDemo : isDemo,
    credits: spendTurn(asker ?? 'caller', line.credits),
    turns:
      holder === null
        ? line.turns
        : mostOf({ ...line.turns, [holder]: (line.turns[holder] ?? 0) + 1 }, holder),
  };
}

/** Drops one of the holders with the fewest turns when there are too many, but never the latest holder. */
function mostOf(turns: FairQueue['turns'], holder: string): FairQueue['turns'] {
  const entries = Object.entries(turns);
  if (entries.length <= MAX_HOLDERS) return turns;
  const [fewest] = entries
    .filter(([id]) => id !== holder)
    .reduce((least, entry) => (entry[1] < least[1] ? entry : least));
  return Object.fromEntries(entries.filter(([id]) => id !== fewest));
}
