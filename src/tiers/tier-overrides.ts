import { isObject } from '../validation/is-object.js';
import { MAX_PAGE_SIZE, type Tier, type TierName, type TierTable, TIERS } from './tiers.js';

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
// What the rest of the service cannot follow: the name is the row's identity, and whether a key is needed is not a number.
const FIXED = ['name', 'keyRequired', 'fields'];
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
