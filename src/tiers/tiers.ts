/** What a record budget is counted over. Windows are aligned to the UTC clock. */
export type Period = 'minute' | 'hour' | 'month';

/** A longer budget beside the minute's. */
export interface Quota {
  readonly period: Exclude<Period, 'minute'>;
  readonly records: number;
}

/** One row of the tier table. Nothing else in the service compares a tier's name: code asks the row. */
export interface Tier {
  readonly name: TierName;
  /** Requests a minute, whatever they cost. */
  readonly requestsPerMinute: number;
  /** Records a minute. */
  readonly recordsPerMinute: number;
  /** The longer budget beside the minute's, or null. */
  readonly quota: Quota | null;
  readonly keyRequired: boolean;
  /** Most records on one page of /api/v1/search and in one answer of the feed, at most {@link MAX_PAGE_SIZE}. */
  readonly pageSize: number;
  readonly paging: boolean;
  /** Rows of one list that web pages show, which cost no records. */
  readonly listRows: number;
  /** List pages in ten minutes. */
  readonly listPages: number;
  /** Names that an account can watch, and searches; 0: none. */
  readonly watchedNames: number;
  readonly savedSearches: number;
  readonly fields: 'restricted' | 'full';
  readonly feed: boolean;
  readonly webhooks: boolean;
  readonly export: boolean;
}

/** The largest page that any tier can have. */
export const MAX_PAGE_SIZE = 100;

export const TIER_NAMES = ['demo', 'member', 'starter', 'pro', 'firehose'] as const;
export type TierName = (typeof TIER_NAMES)[number];

/** A row for each tier, from the smallest to the largest. */
export type TierTable = Readonly<Record<TierName, Tier>>;

/**
 * The tier table in force, the one below with the operator's changes, as it is injected: Nest knows the type of what it hands
 * out by its class only.
 */
export class Tiers {
  constructor(readonly table: TierTable) {}
}

/** THE tier table (provisional). Numbers can be changed with the TIERS variable. */
export const TIERS: TierTable = {
  demo: {
    name: 'demo',
    requestsPerMinute: 60,
    recordsPerMinute: 5,
    quota: null,
    keyRequired: false,
    pageSize: 1,
    paging: false,
    listRows: 100,
    listPages: 30,
    watchedNames: 0,
    savedSearches: 0,
    fields: 'restricted',
    feed: false,
    webhooks: false,
    export: false,
  },
  member: {
    name: 'member',
    requestsPerMinute: 120,
    recordsPerMinute: 100,
    quota: { period: 'hour', records: 100 },
    keyRequired: true,
    pageSize: 10,
    paging: false,
    listRows: 1_000,
    listPages: 100,
    watchedNames: 10,
    savedSearches: 10,
    fields: 'restricted',
    feed: false,
    webhooks: false,
    export: false,
  },
  starter: {
    name: 'starter',
    requestsPerMinute: 300,
    recordsPerMinute: 120,
    quota: { period: 'month', records: 100_000 },
    keyRequired: true,
    pageSize: 25,
    paging: true,
    listRows: 10_000,
    listPages: 300,
    watchedNames: 100,
    savedSearches: 100,
    fields: 'full',
    feed: true,
    webhooks: false,
    export: false,
  },
  pro: {
    name: 'pro',
    requestsPerMinute: 1_200,
    recordsPerMinute: 600,
    quota: { period: 'month', records: 1_000_000 },
    keyRequired: true,
    pageSize: 100,
    paging: true,
    listRows: 100_000,
    listPages: 1_000,
    watchedNames: 1_000,
    savedSearches: 1_000,
    fields: 'full',
    feed: true,
    webhooks: true,
    export: false,
  },
  firehose: {
    name: 'firehose',
    requestsPerMinute: 12_000,
    recordsPerMinute: 6_000,
    quota: null,
    keyRequired: true,
    pageSize: 100,
    paging: true,
    listRows: 1_000_000,
    listPages: 10_000,
    watchedNames: 10_000,
    savedSearches: 10_000,
    fields: 'full',
    feed: true,
    webhooks: true,
    export: true,
  },
};
