const HOUR_MS = 3_600_000;

/** What a turn of the registry is spent on. Callers, canaries and the sample come by their own clocks. */
export const TURN_CLASSES = [
  'caller',
  'canary',
  'sample',
  'retry',
  'fresh',
  'repeat',
  'recheck',
  'backlog',
] as const;
export type TurnClass = (typeof TURN_CLASSES)[number];

/** The classes with a guaranteed share, lent to the others while they have no work. */
type SharedClass = 'retry' | 'repeat' | 'recheck' | 'backlog';

/** Turns that each class is owed; a fraction is on its way. */
export type Credits = Readonly<Record<SharedClass, number>>;

export const NO_CREDITS: Credits = { retry: 0, repeat: 0, recheck: 0, backlog: 0 };

/** The heads of all queues. Times are milliseconds since 1970; null: the queue is empty. */
export interface TurnQueues {
  readonly caller: boolean;
  readonly canary: boolean;
  readonly sample: boolean;
  /** When the first retry is or was due. */
  readonly retryAt: number | null;
  /** The purge of the newest name that waits for its first answer; older than FRESH_MS it is backlog. */
  readonly newestPurgeAt: number | null;
  /** Whether older purges, or names without a vouching source, wait. */
  readonly backlog: boolean;
  /** Worth of the best question about a young name, or one that is shown among the first. */
  readonly repeat: number | null;
  /** Whether that name has gone unasked for longer than it may. */
  readonly isOverdue: boolean;
  /** Worth of the best re-check of the others. */
  readonly recheck: number | null;
}

export interface TurnParameters {
  /** The worth at which a question is due. */
  readonly threshold: number;
  /** The least worth of a question for a turn that is otherwise idle. */
  readonly leastWorth: number;
  readonly credits: Credits;
}

export interface NextTurn {
  /** Null: the turn is left idle. */
  readonly turn: TurnClass | null;
  readonly credits: Credits;
}

/** A drop counts as the day's for so long after its purge; then it is backlog. */
export const FRESH_MS = 48 * HOUR_MS;
/** Where a day's drops take longer than this, the others get their shares beside them. */
export const DROP_HOURS_MS = 12 * HOUR_MS;

// The first two come before the others, so less than their shares is left to re-checks and backlog where all are busy.
export const SHARES: Credits = { retry: 0.1, repeat: 0.6, recheck: 0.15, backlog: 0.5 };
export const DROP_HOUR_SHARES: Credits = { retry: 0.1, repeat: 0.03, recheck: 0, backlog: 0 };
export const SLOW_DROP_SHARES: Credits = { retry: 0.1, repeat: 0.15, recheck: 0.1, backlog: 0.1 };
// Names of one drop are due together, so the backlog catches up between two rounds of repeats.
const LIMITS: Credits = { retry: 3, repeat: 3, recheck: 3, backlog: 300 };

/**
 * Chooses the class of the next turn. The day's drops have a deadline and take nearly all turns. Without drops each
 * class has its guaranteed share, and the question of the greatest worth gets the rest. A turn stays idle when no
 * question reaches the least worth.
 */
export function nextTurn(now: number, queues: TurnQueues, parameters: TurnParameters): NextTurn {
  const { credits } = parameters;
  if (queues.caller) return { turn: 'caller', credits };
  if (queues.canary) return { turn: 'canary', credits };
  if (queues.sample) return { turn: 'sample', credits };
  const sinceDrop = queues.newestPurgeAt === null ? Infinity : now - queues.newestPurgeAt;
  const isFresh = sinceDrop < FRESH_MS;
  const isSlow = sinceDrop >= DROP_HOURS_MS;
  const earned = earn(credits, !isFresh ? SHARES : isSlow ? SLOW_DROP_SHARES : DROP_HOUR_SHARES);
  const turn = choose(now, queues, { ...parameters, credits: earned }, isFresh, isSlow);
  return { turn, credits: isShared(turn) ? { ...earned, [turn]: Math.max(0, earned[turn] - 1) } : earned };
}

function choose(
  now: number,
  { retryAt, backlog, repeat, isOverdue, recheck }: TurnQueues,
  { threshold, leastWorth, credits: owed }: TurnParameters,
  isFresh: boolean,
  isSlow: boolean,
): TurnClass | null {
  const [ofRepeat, ofRecheck] = [repeat ?? 0, recheck ?? 0];
  const isRetryDue = retryAt !== null && retryAt <= now;
  if (isRetryDue && owed.retry >= 1) return 'retry';
  if (isFresh) {
    if ((isOverdue || ofRepeat >= threshold) && owed.repeat >= 1) return 'repeat';
    if (!isSlow) return 'fresh';
    if (ofRecheck >= threshold && owed.recheck >= 1) return 'recheck';
    return backlog && owed.backlog >= 1 ? 'backlog' : 'fresh';
  }
  if (isOverdue && owed.repeat >= 1) return 'repeat';
  if (ofRecheck >= threshold && owed.recheck >= 1) return 'recheck';
  if (backlog && owed.backlog >= 1) return 'backlog';
  if (isOverdue) return 'repeat';
  const [most, best] =
    ofRepeat >= ofRecheck ? [ofRepeat, 'repeat' as const] : [ofRecheck, 'recheck' as const];
  if (most >= threshold) return best;
  if (isRetryDue) return 'retry';
  if (backlog) return 'backlog';
  return most >= leastWorth ? best : null;
}

function earn(credits: Credits, shares: Credits): Credits {
  const earned = (kind: SharedClass) => Math.min(LIMITS[kind], credits[kind] + shares[kind]);
  return {
    retry: earned('retry'),
    repeat: earned('repeat'),
    recheck: earned('recheck'),
    backlog: earned('backlog'),
  };
}

function isShared(turn: TurnClass | null): turn is SharedClass {
  return turn === 'retry' || turn === 'repeat' || turn === 'recheck' || turn === 'backlog';
}
