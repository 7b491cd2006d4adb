import {
  findingOf,
  type Finding,
  isPending,
  NAMES_NO_HOLDER,
  type RegistryState,
  type DomainState,
} from '../schema/states.js';
import type { FeedType } from '../schema/events.js';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** A name that its holder kept is news for that long after its purge date. */
const RESCUE_NEWS_MS = 30 * DAY_MS;

/** What a registry said of a name. */
export interface ObservedAnswer {
  readonly state: RegistryState;
  /** Who said so, as `confirmed_by` has it. */
  readonly source: string;
  /** By the database's clock. Everything that follows from the answer is reckoned from here. */
  readonly checkedAt: Date;
  /** When the name was registered, where the registry says so. */
  readonly registeredAt: Date | null;
}

/** The columns that an answer is compared with. */
export interface KnownName {
  readonly state: DomainState;
  readonly checkedAt: Date | null;
  readonly registryState: RegistryState | null;
  readonly freeSeenAt: Date | null;
  readonly listKind: 'deleted' | 'expired' | null;
  readonly purgeAt: Date | null;
  readonly newsUntil: Date | null;
  readonly announced: boolean;
  readonly hidden: boolean;
}

/** When the name is asked about again: at a time, when the turn of its state comes, or by the rates of freshness. */
export type NextQuestion = Date | null;

/** What an answer does to a name. */
export interface Verdict {
  readonly to: DomainState;
  readonly event: FeedType | null;
  /** Whether the state rests on this answer from now on. */
  readonly confirms: boolean;
  readonly freeSeenAt: Date | null;
  readonly nextCheckAt: NextQuestion;
  readonly needsSecondAnswer: boolean;
  /** Whether it contradicts the row; many contradictions at once mean that the registry is wrong. */
  readonly isFlip: boolean;
}

/** One line of the table of moves. The first that fits decides. */
export interface AnswerMove {
  readonly from: readonly DomainState[];
  readonly finding: Finding;
  /** In words, for the README; `fits` says the same in code. */
  readonly when?: string;
  readonly fits?: (name: KnownName, answer: ObservedAnswer, secondAnswerMs: number) => boolean;
  /** `same`: the name stays what it is. */
  readonly to: DomainState | 'same';
  readonly event?: FeedType;
  /** The drop is news without a list: the answers themselves show it. */
  readonly isNews?: true;
  readonly needsSecondAnswer?: true;
  readonly isFlip?: true;
  /** How long after the answer the name is asked about again; without it, when the turn of its state comes. */
  readonly askAfterMs?: (name: KnownName, answer: ObservedAnswer, secondAnswerMs: number) => number;
}

/** A name on its way out is purged at the next daily run but one at the earliest; a reserved one stays so for years. */
const ASK_PENDING_AGAIN_MS = DAY_MS;
const ASK_DECLINED_AGAIN_MS = 7 * DAY_MS;
/** A purge that is late is looked for again after a quarter of the time that it is late, within these limits. */
const LATE_PURGE_SHARE = 0.25;
const MIN_LATE_PURGE_MS = 5 * MINUTE_MS;
const MAX_LATE_PURGE_MS = DAY_MS;
/**
 * Expired names are purged up to half an hour before the time that is reckoned with; so are those of an unknown
 * list.
 */
const APPROXIMATE_MS = 30 * MINUTE_MS;

/** The meaning of an answer, by the row of the name. */
export const ANSWER_MOVES: readonly AnswerMove[] = [
  { from: ['purged'], finding: 'free', to: 'available', event: 'domain.dropped' },
  { from: ['available', 'stale'], finding: 'free', to: 'available' },
  {
    from: ['unconfirmed'],
    finding: 'free',
    when: 'never answered for before',
    fits: ({ registryState }) => registryState === null,
    to: 'available',
    event: 'domain.dropped',
  },
  {
    from: ['unconfirmed', 'taken', 'rescued'],
    finding: 'free',
    when: 'the answer before was a pending stage',
    fits: ({ registryState }) => isPending(registryState),
    to: 'available',
    event: 'domain.dropped',
    isNews: true,
  },
  {
    from: ['unconfirmed', 'taken', 'rescued'],
    finding: 'free',
    when: 'it was called free before, long enough ago, and not held since',
    fits: ({ freeSeenAt }, { checkedAt }, secondAnswerMs) =>
      freeSeenAt !== null && checkedAt.getTime() - freeSeenAt.getTime() >= secondAnswerMs,
    to: 'available',
    event: 'domain.dropped',
    isNews: true,
  },
  {
    from: ['unconfirmed', 'taken', 'rescued'],
    finding: 'free',
    when: 'it was called free just now',
    fits: ({ freeSeenAt }) => freeSeenAt !== null,
    to: 'same',
    needsSecondAnswer: true,
    askAfterMs: ({ freeSeenAt }, { checkedAt }, secondAnswerMs) =>
      (freeSeenAt ?? checkedAt).getTime() + secondAnswerMs - checkedAt.getTime(),
  },
  {
    from: ['unconfirmed', 'taken', 'rescued'],
    finding: 'free',
    when: 'for the first time, against what was known',
    to: 'same',
    needsSecondAnswer: true,
    isFlip: true,
    askAfterMs: (_, __, secondAnswerMs) => secondAnswerMs,
  },
  {
    from: ['purged'],
    finding: 'held',
    when: 'registered since its purge',
    fits: ({ listKind, purgeAt }, { registeredAt }) =>
      registeredAt !== null &&
      purgeAt !== null &&
      registeredAt.getTime() >= purgeAt.getTime() - (listKind === 'deleted' ? 0 : APPROXIMATE_MS),
    to: 'taken',
    event: 'domain.taken',
  },
  {
    from: ['purged'],
    finding: 'held',
    when: 'within a day of its purge, by the availability service, which says that it is not free and no more',
    fits: ({ purgeAt }, { source, checkedAt }) =>
      source === NAMES_NO_HOLDER && purgeAt !== null && checkedAt.getTime() - purgeAt.getTime() < DAY_MS,
    to: 'same',
    askAfterMs: latePurgeMs,
  },
  {
    from: ['purged'],
    finding: 'held',
    when: 'registered earlier, or undated',
    to: 'rescued',
    event: 'domain.rescued',
  },
  { from: ['available'], finding: 'held', to: 'taken', event: 'domain.taken', isFlip: true },
  { from: ['stale', 'unconfirmed'], finding: 'held', to: 'taken', event: 'domain.taken' },
  { from: ['taken', 'rescued'], finding: 'held', to: 'same' },
  {
    from: ['available', 'stale', 'unconfirmed'],
    finding: 'neither',
    to: 'unconfirmed',
    askAfterMs: (_, { state }) => (isPending(state) ? ASK_PENDING_AGAIN_MS : ASK_DECLINED_AGAIN_MS),
  },
  {
    from: ['purged'],
    finding: 'neither',
    to: 'same',
    askAfterMs: latePurgeMs,
  },
  { from: ['taken', 'rescued'], finding: 'neither', to: 'same' },
  { from: ['listed'], finding: 'free', when: 'before its purge', to: 'same' },
  { from: ['listed'], finding: 'held', when: 'before its purge', to: 'same' },
  { from: ['listed'], finding: 'neither', when: 'before its purge', to: 'same' },
  ...(['free', 'held', 'neither'] as const).map((finding): AnswerMove => ({
    from: ['delisted'],
    finding,
    when: 'before its purge date',
    to: 'same',
    askAfterMs: untilPurgeMs,
  })),
];

/**
 * Decides what an answer does to a name.
 *
 * @param secondAnswerMs how long after a contradicting answer a second one counts
 * @returns null when it is no news: the row rests on something newer, or the answer is from before the purge that
 * has passed since
 */
export function judgeAnswer(name: KnownName, answer: ObservedAnswer, secondAnswerMs: number): Verdict | null {
  if (isOlder(answer.checkedAt, name.checkedAt) || isOlder(answer.checkedAt, name.freeSeenAt)) return null;
  // Between the purge and the job that notes it, the clock says what the state does not yet. A list can be wrong about
  // the names that it takes off: after its purge date such a name is judged like any other.
  const isAwaited = name.state === 'listed' || name.state === 'delisted';
  const isPurged = isAwaited && !isOlder(answer.checkedAt, name.purgeAt);
  const state = isPurged ? 'purged' : name.state;
  if (state === 'purged' && isOlder(answer.checkedAt, name.purgeAt)) return null;
  const finding = findingOf(answer.state);
  const move = ANSWER_MOVES.find(
    (one) =>
      one.from.includes(state) &&
      one.finding === finding &&
      (one.fits?.(name, answer, secondAnswerMs) ?? true),
  );
  if (!move) throw new Error(`no move from ${state} by an answer that is ${finding}`);
  const to = move.to === 'same' ? state : move.to;
  const needsSecondAnswer = move.needsSecondAnswer ?? false;
  const askAfterMs = move.askAfterMs?.(name, answer, secondAnswerMs);
  return {
    to,
    event: eventOf(move, name, answer),
    confirms: to === 'available' || ((to === 'taken' || to === 'rescued') && finding === 'held'),
    freeSeenAt: needsSecondAnswer ? (name.freeSeenAt ?? answer.checkedAt) : null,
    nextCheckAt: askAfterMs === undefined ? null : new Date(answer.checkedAt.getTime() + askAfterMs),
    needsSecondAnswer,
    isFlip: move.isFlip ?? false,
  };
}

function eventOf(
  { event, isNews }: AnswerMove,
  name: KnownName,
  { checkedAt }: ObservedAnswer,
): FeedType | null {
  if (event === undefined || name.hidden) return null;
  // A drop is announced again only after the feed has announced its end.
  if (event === 'domain.taken') return name.announced ? event : null;
  if (event === 'domain.rescued')
    return name.purgeAt && checkedAt.getTime() <= name.purgeAt.getTime() + RESCUE_NEWS_MS ? event : null;
  if (event !== 'domain.dropped') return event;
  const isNew = isNews ?? (name.newsUntil !== null && checkedAt <= name.newsUntil);
  return isNew && !name.announced ? event : null;
}

function untilPurgeMs({ purgeAt }: KnownName, { checkedAt }: ObservedAnswer): number {
  return Math.max(0, (purgeAt ?? checkedAt).getTime() - checkedAt.getTime());
}

function latePurgeMs({ purgeAt }: KnownName, { checkedAt }: ObservedAnswer): number {
  const lateMs = checkedAt.getTime() - (purgeAt ?? checkedAt).getTime();
  return Math.min(MAX_LATE_PURGE_MS, Math.max(MIN_LATE_PURGE_MS, lateMs * LATE_PURGE_SHARE));
}

function isOlder(time: Date, than: Date | null): boolean {
  return than !== null && time < than;
}

/** When the drop was confirmed that the name is available since; null when it is the one that is known, or none. */
export function newDropOf(
  name: KnownName & { readonly droppedAt: Date | null },
  { checkedAt }: ObservedAnswer,
  { to }: Verdict,
): Date | null {
  if (to !== 'available' || name.state === 'available' || name.state === 'stale') return null;
  // The feed has told of this drop already, and no answer has said since that it was over.
  return name.announced && name.droppedAt ? null : checkedAt;
}
