import type { DomainState } from './states.js';

/** What an account can be told of a name that it watches, as people think of it. */
export const WATCHED_KINDS = ['listed', 'dropped', 'confirmed', 'gone'] as const;
export type Watched = (typeof WATCHED_KINDS)[number];

interface EventKind {
  /** What happened, behind `domain.…:`. */
  readonly when: string;
  /**
   * `usual`: told unless others are asked for; `asked`: to every reader who asks; `full`: to readers with full
   * fields.
   */
  readonly feed: 'usual' | 'asked' | 'full';
  /** What happened to the name itself, for its history and for watches; null: the operator's word on it. */
  readonly watch: {
    readonly kind: Watched;
    /** The state in which it leaves the name: a watched search for that state has one name more. */
    readonly state: DomainState;
  } | null;
  /**
   * `named`: the change of the name is called after it; `unnamed`: its row is written; `none`: it changes no row of
   * its own.
   */
  readonly diff: 'named' | 'unnamed' | 'none';
  /** The heading of what receivers of webhooks get. */
  readonly webhook: string;
  /** What its time means in the short rows for agents. */
  readonly agent: string;
}

/**
 * The events: the one table that the feed, webhooks, watches, diffs, schemas, pages, mails and documents derive
 * from.
 */
export const EVENTS = {
  'domain.dropped': {
    when: 'the name became available',
    feed: 'usual',
    watch: {
      kind: 'confirmed',
      state: 'available',
    },
    diff: 'named',
    webhook: 'A name dropped',
    agent: 'When it became available (UTC).',
  },
  'domain.taken': {
    when: 'it stopped being so',
    feed: 'usual',
    watch: { kind: 'gone', state: 'taken' },
    diff: 'named',
    webhook: 'A name was taken',
    agent: 'When it was registered again (UTC).',
  },
  'domain.listed': {
    when: 'it is about to be purged',
    feed: 'full',
    watch: {
      kind: 'listed',
      state: 'listed',
    },
    diff: 'named',
    webhook: 'A name is about to be purged',
    agent: 'When it came on the drop list (UTC).',
  },
  'domain.delisted': {
    when: 'a revised drop list no longer has it',
    feed: 'full',
    watch: {
      kind: 'listed',
      state: 'delisted',
    },
    diff: 'named',
    webhook: 'A name is no longer about to be purged',
    agent: 'When it was taken off the drop list (UTC).',
  },
  'domain.purged': {
    when: 'its purge has passed, and no registry was asked yet',
    feed: 'full',
    watch: {
      kind: 'dropped',
      state: 'purged',
    },
    diff: 'none',
    webhook: 'The purge of a name has passed',
    agent: 'When its purge was found to have passed (UTC).',
  },
  'domain.rescued': {
    when: 'it was saved from that',
    feed: 'full',
    watch: {
      kind: 'gone',
      state: 'rescued',
    },
    diff: 'named',
    webhook: 'A name was saved from its purge',
    agent: 'When its holder was found to have kept it (UTC).',
  },
  'domain.removed': {
    when:
      'it is to be left out of every copy, for no reason that is told (its data is its text alone: the ' +
      'fields that would tell of it stand at what says nothing, `state` at `unconfirmed`, `available` at ' +
      'false, `wayback` at 0, and are not to be stored)',
    feed: 'asked',
    watch: null,
    diff: 'unnamed',
    webhook: 'A name is to be left out of copies',
    agent: 'When it was to be left out of every copy (UTC).',
  },
  'domain.restored': {
    when: 'it belongs in again',
    feed: 'asked',
    watch: null,
    diff: 'unnamed',
    webhook: 'A name belongs in copies again',
    agent: 'When it belonged in again (UTC).',
  },
} as const satisfies Readonly<Record<`domain.${string}`, EventKind>>;

type Events = typeof EVENTS;
export type FeedType = keyof Events;
export type LifeType = { [Type in FeedType]: Events[Type]['watch'] extends null ? never : Type }[FeedType];
/** The event without `domain.`. */
export type EventWord = FeedType extends `domain.${infer Word}` ? Word : never;

export const FEED_TYPES = Object.keys(EVENTS) as FeedType[];
export const LIFE_TYPES = FEED_TYPES.filter((type): type is LifeType => eventOf(type).watch !== null);
/** What the feed tells unless it is asked for other events. */
export const USUAL_TYPES = typesOf('usual');
/** What every reader of the feed may ask for. */
export const OPEN_TYPES = [...USUAL_TYPES, ...typesOf('asked')];

export function eventOf(type: FeedType): EventKind {
  return EVENTS[type];
}

/** What each event of a name's life is for watches. */
export function watchOf(type: LifeType): NonNullable<EventKind['watch']> {
  return EVENTS[type].watch;
}

export function eventWordOf(type: FeedType): EventWord {
  return type.slice('domain.'.length) as EventWord;
}

/** The events that differ from others in what a diff makes of them. */
export function typesInDiff(...kinds: EventKind['diff'][]): FeedType[] {
  return FEED_TYPES.filter((type) => kinds.includes(eventOf(type).diff));
}

/** The events of a name's life that leave it in one of these states, for a condition in SQL. */
export function typesLeavingIn(...states: DomainState[]): string {
  const types = LIFE_TYPES.filter((type) => states.includes(watchOf(type).state));
  return `ANY ('{${types.join(',')}}')`;
}

function typesOf(feed: EventKind['feed']): FeedType[] {
  return FEED_TYPES.filter((type) => eventOf(type).feed === feed);
}
