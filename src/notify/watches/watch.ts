import {
  LIFE_TYPES,
  type LifeType,
  type Watched,
  WATCHED_KINDS,
  watchOf,
} from '../../domains/schema/events.js';

export interface Watch {
  readonly id: string;
  /** One of the two is null. */
  readonly domain: string | null;
  /** As an address has it, normalised. */
  readonly question: string | null;
  readonly eventTypes: readonly LifeType[];
  readonly createdAt: Date;
  /** Whether older watches already fill the tier's limit: the watch is kept, without notices. */
  readonly isBeyondTier: boolean;
}

export const MAIL_MODES = ['at_once', 'daily', 'off'] as const;
export type MailMode = (typeof MAIL_MODES)[number];

export interface Watcher {
  readonly mails: MailMode;
  readonly feedGeneration: number;
  /** Why no mails are sent, where that was not the owner's choice. */
  readonly problem: string | null;
}

export interface Notice {
  readonly event: number;
  readonly type: LifeType;
  readonly domain: string;
  readonly occurredAt: Date;
  /** When the name is to be purged, or was. */
  readonly purgeAt: Date | null;
  readonly wayback: number;
  /** The last source that confirmed the name as available; null without one. */
  readonly confirmedBy: string | null;
  /** Whether a search of the account's found it, and not only a name it watches. */
  readonly bySearch: boolean;
}

/** How long notices stay on the page and in the feed. */
export const NOTICE_DAYS = 30;
/** Of one account; the oldest go first. */
export const MAX_NOTICES = 10_000;

export function eventTypesOf(kinds: readonly Watched[]): LifeType[] {
  return kinds.flatMap((kind) => LIFE_TYPES.filter((type) => watchOf(type).kind === kind));
}

/** The other way round. */
export function kindsOf(eventTypes: readonly LifeType[]): Watched[] {
  return WATCHED_KINDS.filter((kind) => eventTypes.some((type) => watchOf(type).kind === kind));
}
