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

/** Who wants a turn: a counted caller, the service itself, or a job, which never waits. */
export type TurnAsker = TurnHolder | 'service' | 'job';

export interface TurnWish {
  /** The place in the line, the same at every try. */
  readonly id: string;
  readonly by: TurnAsker;
  /** Longest time until the turn. */
  readonly maxWaitMs: number;
}

/** A caller in the line, as of its last try. Times are milliseconds since 1970, by the dataset's clock. */
export interface Waiting {
  readonly id: string;
  /** Null: the service itself. */
  readonly holder: string | null;
  readonly isDemo: boolean;
  /** A caller that has not come back by then died with its process, and no longer delays the others. */
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
  /** Whether the last turn was the demo's. */
  readonly lastWasDemo: boolean;
}

/** What becomes of a wish: a turn now, a place in the line and when to try again, or neither. */
export interface TurnDecision {
  readonly line: FairQueue;
  readonly granted: boolean;
  /** When the turn comes, as the line stands now; 0 when it is there. */
  readonly waitMs: number;
  /** When to try again; null outside the line. */
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
 * Decides on a wish. The service itself goes first. While others wait, a holder gets at most a quarter of a minute's
 * turns, and the demo never two turns in a row, so at most half of them. Otherwise holders with a key go before the
 * demo, then first come, first served. Without others waiting, these limits do not apply.
 */
export function schedule(known: FairQueue, pace: Pace, wish: TurnWish, now: number): TurnDecision {
  const gap = 1000 / pace.ratePerSecond;
  const line = upToDate(known, pace, gap, now);
  const ahead = countAhead(line, wish, quarterOf(pace));
  // With a full bucket, time that has passed is worth no more turns.
  const emptyAt = Math.max(line.fullAt, now) - (pace.burst - 1) * gap;
  // A job leaves a turn in the bucket; where only one fits into it, callers wait for one turn at most.
  const reserve = wish.by === 'job' ? Math.min(1, pace.burst - 1) : 0;
  const waitMs = Math.max(0, emptyAt + (reserve + ahead) * gap - now);
  const others = line.waiting.filter(({ id }) => id !== wish.id);
  if (waitMs === 0)
    return {
      line: taken({ ...line, waiting: others }, wish, gap, now),
      granted: true,
      waitMs,
      retryMs: null,
    };
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
  const isAstray = line.fullAt > now + (burst + 2) * gap + maxWaitMs;
  const minute = now - (now % MINUTE_MS);
  return {
    ...line,
    fullAt: isAstray ? now + (burst - 1) * gap : line.fullAt,
    waiting: line.waiting.filter(
      ({ lapsesAt }) => lapsesAt > now && lapsesAt <= now + MAX_RETRY_MS + LAPSE_MS,
    ),
    ...(line.minute !== minute && { minute, turns: {} }),
  };
}

function quarterOf({ ratePerSecond }: Pace): number {
  return Math.max(1, Math.floor((ratePerSecond * MINUTE_MS) / 1000 / 4));
}

/**
 * How many callers have their turns before this one, without new arrivals. A new wish is behind the others of its
 * rank.
 */
function countAhead(line: FairQueue, { id, by }: TurnWish, quarter: number): number {
  const others = line.waiting.filter((other) => other.id !== id);
  if (by === 'job') return others.length;
  const own = { id, ...holderOf(by) };
  const isNew = others.length === line.waiting.length;
  let left = isNew ? [...others, own] : line.waiting.map((other) => (other.id === id ? own : other));
  let { turns, lastWasDemo } = line;
  for (let ahead = 0; ; ahead += 1) {
    const ranks = left.map((one) => rankOf({ turns, lastWasDemo }, one, quarter));
    const next = left[ranks.indexOf(Math.min(...ranks))];
    if (!next || next.id === id) return ahead;
    left = left.filter((one) => one !== next);
    // Each turn changes the order after it.
    lastWasDemo = next.isDemo;
    if (next.holder !== null) turns = { ...turns, [next.holder]: (turns[next.holder] ?? 0) + 1 };
  }
}

type Counted = Pick<Waiting, 'holder' | 'isDemo'>;

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
  return typeof by === 'string'
    ? { holder: null, isDemo: false }
    : { holder: by.id, isDemo: !by.tier.keyRequired };
}

function inLine({ waiting }: FairQueue, wish: TurnWish, retryAt: number): Waiting[] {
  const entry = { id: wish.id, ...holderOf(wish.by), lapsesAt: retryAt + LAPSE_MS };
  return waiting.some(({ id }) => id === wish.id)
    ? waiting.map((other) => (other.id === wish.id ? entry : other))
    : [...waiting, entry];
}

function taken(line: FairQueue, wish: TurnWish, gap: number, now: number): FairQueue {
  const { holder, isDemo } = holderOf(wish.by);
  return {
    ...line,
    fullAt: Math.max(line.fullAt, now) + gap,
    lastWasDemo: isDemo,
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
