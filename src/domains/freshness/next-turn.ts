const HOUR_MS = 3_600_000;

/** Who wants a turn. Canaries and the sample come by their own clocks; the queues are of all names that wait. */
export const ASKERS = ['caller', 'canary', 'sample', 'queues'] as const;
export type Asker = (typeof ASKERS)[number];

/** What a turn of the registry is spent on. */
export type TurnClass = Exclude<Asker, 'queues'> | SharedClass | 'fresh';

/** The queues with a guaranteed share, lent to the others while they have no work. */
type SharedClass = 'retry' | 'repeat' | 'recheck' | 'backlog';

/** Turns that each class is owed; a fraction is on its way. */
export type Credits = Readonly<Record<SharedClass, number>>;
export type AskerCredits = Readonly<Record<Exclude<Asker, 'caller'>, number>>;

export const NO_CREDITS: Credits = { retry: 0, repeat: 0, recheck: 0, backlog: 0 };
export const NO_ASKER_CREDITS: AskerCredits = { canary: 0, sample: 0, queues: 0 };

/** The heads of all queues. Times are milliseconds since 1970; null: the queue is empty. */
export interface TurnQueues {
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

export interface QuestionParameters {
  /** The worth at which a question is due. */
  readonly threshold: number;
  /** The least worth of a question for a turn that is otherwise idle. */
  readonly leastWorth: number;
  readonly credits: Credits;
}

export interface NextQuestion {
  /** Null: no question is worth a turn. */
  readonly turn: 'fresh' | SharedClass | null;
  readonly credits: Credits;
}

export interface TurnParameters extends QuestionParameters {
  readonly askerCredits: AskerCredits;
}

export interface NextTurn {
  /** Null: the turn is left idle. */
  readonly turn: TurnClass | null;
  readonly credits: Credits;
  readonly askerCredits: AskerCredits;
}

/** A drop counts as the day's for so long after its purge; then it is backlog. */
export const FRESH_MS = 48 * HOUR_MS;
/** Where a day's drops take longer than this, the others get their shares beside them. */
export const DROP_HOURS_MS = 12 * HOUR_MS;

export const SHARES: Credits = { retry: 0.1, repeat: 0.7, recheck: 0.1, backlog: 0 };
// The first two come before the others. The last two have theirs whole while the cap on repeats takes 43 %.
export const BACKLOG_SHARES: Credits = { retry: 0.1, repeat: 0.7, recheck: 0.05, backlog: 0.5 };
export const DROP_HOUR_SHARES: Credits = { retry: 0.1, repeat: 0.03, recheck: 0, backlog: 0 };
export const SLOW_DROP_SHARES: Credits = { retry: 0.1, repeat: 0.15, recheck: 0.1, backlog: 0.1 };
// Names of one drop are due together: a backlog catches up between two rounds of repeats.
const LIMITS: Credits = { retry: 3, repeat: 3, recheck: 3, backlog: 600 };

// Callers have the rest. A fifth answers a day's drops within six hours while callers want every turn.
export const ASKER_SHARES: AskerCredits = { canary: 0.2, sample: 0.05, queues: 0.2 };
/** A round of canaries has two names. */
const ASKER_LIMITS: AskerCredits = { canary: 2, sample: 1, queues: 2 };
const OWED_FIRST = ['canary', 'sample', 'queues'] as const;
/** Who gets a turn that is owed to none; a larger sample than its share waits for the queues to be empty. */
const LENT_FIRST = ['caller', 'canary', 'queues', 'sample'] as const;
/** Sums of fractions miss a whole turn by less. */
const ROUNDING = 1e-9;

/**
 * Chooses the class of the next turn: the asker and, of the queues, the question. The service decides the two apart,
 * as all instances share the line of askers and one of them has the queues.
 */
export function nextTurn(
  now: number,
  queues: TurnQueues & Readonly<Record<Exclude<Asker, 'queues'>, boolean>>,
  parameters: TurnParameters,
): NextTurn {
  const { credits, askerCredits } = parameters;
  const question = nextQuestion(now, queues, parameters);
  const { caller, canary, sample } = queues;
  const asker = nextAsker({ caller, canary, sample, queues: question.turn !== null }, askerCredits);
  if (asker === null) return { ...question, askerCredits };
  const isQuestion = asker === 'queues';
  return {
    turn: isQuestion ? question.turn : asker,
    credits: isQuestion ? question.credits : credits,
    askerCredits: spendTurn(asker, askerCredits),
  };
}

/** Callers come first, except before an asker that is owed a turn. Null: there is no asker. */
export function nextAsker(wants: Readonly<Record<Asker, boolean>>, credits: AskerCredits): Asker | null {
  const owed = OWED_FIRST.find((asker) => wants[asker] && isOwed(asker, credits));
  return owed ?? LENT_FIRST.find((asker) => wants[asker]) ?? null;
}

export function isOwed(asker: keyof AskerCredits, credits: AskerCredits): boolean {
  return credits[asker] >= 1 - ROUNDING;
}

/** What each asker is owed after a turn. @param asker that had it */
export function spendTurn(asker: Asker, credits: AskerCredits): AskerCredits {
  const left = (one: keyof AskerCredits) => {
    const earned = Math.min(ASKER_LIMITS[one], credits[one] + ASKER_SHARES[one]);
    return one === asker ? Math.max(0, earned - 1) : earned;
  };
  return { canary: left('canary'), sample: left('sample'), queues: left('queues') };
}

/**
 * Chooses the queue whose question gets the next turn. The day's drops have a deadline and take nearly all turns.
 * Without drops each queue has its guaranteed share, and the question of the greatest worth gets the rest.
 */
export function nextQuestion(now: number, queues: TurnQueues, parameters: QuestionParameters): NextQuestion {
  const { credits } = parameters;
  const sinceDrop = queues.newestPurgeAt === null ? Infinity : now - queues.newestPurgeAt;
  const isFresh = sinceDrop < FRESH_MS;
  const isSlow = sinceDrop >= DROP_HOURS_MS;
  const dropShares = isSlow ? SLOW_DROP_SHARES : DROP_HOUR_SHARES;
  const earned = earn(credits, isFresh ? dropShares : queues.backlog ? BACKLOG_SHARES : SHARES);
  const turn = choose(now, queues, { ...parameters, credits: earned }, isFresh, isSlow);
  return { turn, credits: isShared(turn) ? { ...earned, [turn]: Math.max(0, earned[turn] - 1) } : earned };
}

function choose(
  now: number,
  { retryAt, backlog, repeat, isOverdue, recheck }: TurnQueues,
  { threshold, leastWorth, credits: owed }: QuestionParameters,
  isFresh: boolean,
  isSlow: boolean,
): NextQuestion['turn'] {
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

function isShared(turn: NextQuestion['turn']): turn is SharedClass {
  return turn !== null && turn !== 'fresh';
}
