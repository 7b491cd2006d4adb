import { isObject } from '../validation/unknown-values.js';

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
  readonly requestsPerMinute: number;
  readonly recordsPerMinute: number;
  readonly quota: Quota | null;
  readonly keyRequired: boolean;
  /** Goes first where not all requests can be answered. */
  readonly isPaid: boolean;
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
 * The tier table in force, the one below with the operator's changes, as it is injected: Nest knows the type of
 * what it hands out by its class only.
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
    isPaid: false,
    pageSize: 1,
    paging: false,
    listRows: 100,
    listPages: 100,
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
    isPaid: false,
    pageSize: 10,
    paging: false,
    listRows: 1_000,
    listPages: 200,
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
    isPaid: true,
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
    isPaid: true,
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
    isPaid: true,
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

/** By tier, the fields that change and their values, not yet judged. */
export type TierOverrides = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/**
 * The tier table with the operator's changes (the TIERS variable) laid over it.
 *
 * @returns the table, or one line for each change that cannot be made
 */
export function overrideTiers(overrides: TierOverrides): { tiers: TierTable; problems: string[] } {
  const problems: string[] = [];
  const tiers: Record<TierName, Tier> = { ...TIERS };
  for (const [name, changes] of Object.entries(overrides)) {
    if (!isTierName(name)) {
      problems.push(`TIERS names "${name}", which is not one of ${Object.keys(TIERS).join(', ')}`);
      continue;
    }
    const row = tiers[name];
    const rowProblems = Object.entries(changes).flatMap(([field, value]) => judge(row, field, value));
    problems.push(...rowProblems.map((problem) => `TIERS: ${name}.${problem}`));
    tiers[name] = { ...row, ...changes };
  }
  return { tiers, problems };
}

/** The same from the text of the variable. */
export function readTiers(text: string | undefined): { tiers: TierTable; problems: string[] } {
  const overrides = text === undefined ? {} : parseOverrides(text);
  return overrides ? overrideTiers(overrides) : { tiers: TIERS, problems: [BROKEN] };
}

const BROKEN = 'TIERS must be a JSON object of objects, such as {"demo":{"recordsPerMinute":10}}';

function parseOverrides(text: string): TierOverrides | null {
  try {
    const parsed: unknown = JSON.parse(text);
    return isObject(parsed) && Object.values(parsed).every(isObject) ? (parsed as TierOverrides) : null;
  } catch {
    return null;
  }
}

function isTierName(name: string): name is TierName {
  return Object.hasOwn(TIERS, name);
}

const MAX_NUMBER = 1_000_000_000;
// What the rest of the service cannot follow: the name is the row's identity, and whether a key is needed is not a
// number.
const FIXED = ['name', 'keyRequired', 'isPaid', 'fields'];
const MAY_BE_ZERO = ['watchedNames', 'savedSearches'];

function judge(row: Tier, field: string, value: unknown): string[] {
  if (!(field in row) || FIXED.includes(field)) return [`${field} cannot be set`];
  if (field === 'quota')
    return isQuota(value) ? [] : ['quota must be null or {"period":"hour"|"month","records":N}'];
  const current = row[field as keyof Tier];
  if (typeof current === 'boolean')
    return typeof value === 'boolean' ? [] : [`${field} must be true or false`];
  const min = MAY_BE_ZERO.includes(field) ? 0 : 1;
  const max = field === 'pageSize' ? MAX_PAGE_SIZE : MAX_NUMBER;
  return isCount(value, max, min) ? [] : [`${field} must be an integer from ${min} to ${max}`];
}

function isQuota(value: unknown): boolean {
  if (value === null) return true;
  if (!isObject(value)) return false;
  return (value.period === 'hour' || value.period === 'month') && isCount(value.records);
}

function isCount(value: unknown, max = MAX_NUMBER, min = 1): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max;
}

/** What people compare tiers by: a row for each thing, a column for each tier, names first. */
export function tierRows(table: TierTable): string[][] {
  const tiers = Object.values(table);
  return [
    ['tier', ...tiers.map(({ name }) => name)],
    ['key', ...tiers.map(({ keyRequired }) => yesOrNo(keyRequired))],
    ['records a minute', ...tiers.map(({ recordsPerMinute }) => inDigits(recordsPerMinute))],
    ['records a longer period', ...tiers.map(({ quota }) => quotaInWords(quota))],
    ['requests a minute', ...tiers.map(({ requestsPerMinute }) => inDigits(requestsPerMinute))],
    ['records a page', ...tiers.map(({ pageSize }) => inDigits(pageSize))],
    ['further pages', ...tiers.map(({ paging }) => yesOrNo(paging))],
    ['rows of a list on web pages', ...tiers.map(({ listRows }) => inDigits(listRows))],
    ['list pages in ten minutes', ...tiers.map(({ listPages }) => inDigits(listPages))],
    ['watched names', ...tiers.map(({ watchedNames }) => inDigits(watchedNames))],
    ['saved searches', ...tiers.map(({ savedSearches }) => inDigits(savedSearches))],
    ['fields', ...tiers.map(({ fields }) => fields)],
    ['feed of drops', ...tiers.map(({ feed }) => yesOrNo(feed))],
    ['webhooks', ...tiers.map(({ webhooks }) => yesOrNo(webhooks))],
    ['bulk export, daily diffs', ...tiers.map((tier) => yesOrNo(tier.export))],
  ];
}

function yesOrNo(value: boolean): string {
  return value ? 'yes' : 'no';
}

function quotaInWords(quota: Quota | null): string {
  if (!quota) return 'no cap';
  return `${inDigits(quota.records)} ${quota.period === 'hour' ? 'an' : 'a'} ${quota.period}`;
}

function inDigits(count: number): string {
  return count.toLocaleString('en-AU');
}
