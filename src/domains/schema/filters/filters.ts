import {
  type Bind,
  type Cell,
  type Filter,
  type Implied,
  IN_TABLE,
  type KnownName,
  type RangeKey,
  type Scarce,
  type TriState,
  type View,
} from './filter.js';
import { FILTERS } from './filter-table.js';
import { textsToLookUp } from './reading-filter.js';

type Table = typeof FILTERS;
type Values = {
  readonly [Key in keyof Table]: Readonly<NonNullable<ReturnType<Table[Key]['read']>>>;
};
/** What every question says. */
type Always = 'mode' | 'suffixes' | 'minWayback';

/** Which names to find; withheld names never match. Limits are inclusive; an absent filter lets all names through. */
export type NameFilter = Pick<Values, Always> & Partial<Omit<Values, Always>>;

/** The part of a filter that subscriptions have as well; null is as good as left out. */
export type NameCriteria = { readonly [Key in keyof NameFilter]: NameFilter[Key] | null };

export type FilterKey = keyof Table;
type AnyFilter = Filter<unknown>;

// The one cast: each entry is asked with the value of its own key only, which a union of entries cannot say.
export const ENTRIES = Object.entries(FILTERS) as unknown as readonly (readonly [FilterKey, AnyFilter])[];

/** Every name on offer. */
export const NO_LIMITS = { mode: 'contains', suffixes: [], minWayback: 0 } as const satisfies NameFilter;

interface Asked {
  readonly key: FilterKey;
  readonly entry: AnyFilter;
  readonly value: unknown;
}

/** The entries that a filter has a value for. */
function setIn(filter: NameCriteria): Asked[] {
  const set: Asked[] = [];
  for (const [key, entry] of ENTRIES) {
    const value = filter[key];
    if (value !== undefined && value !== null) set.push({ key, entry, value });
  }
  return set;
}

/** The entries that narrow something. */
function narrowing(filter: NameCriteria): Asked[] {
  return setIn(filter).filter(({ entry, value }) => !entry.isFree(value));
}

/**
 * The filter with what its keyword, its reading and its other values say of every label that passes: a label with
 * `a-1` has a hyphen, a digit and three characters. Null: no name passes.
 */
export function withImplied<Query extends NameFilter>(filter: Query): Query | null {
  const { q = '', reading } = filter;
  const implied: Record<string, unknown> = {};
  for (const text of [q, ...textsToLookUp(reading)]) {
    if (text === '') continue;
    const label = text.replaceAll(/[\^$]/g, '');
    for (const [key, { having }] of ENTRIES) {
      // A reading alone stays as it is, as its statements are prepared.
      if (text !== q && filter[key] === undefined) continue;
      const value = having?.(label, implied[key] ?? filter[key]);
      if (value === null) return null;
      if (value !== undefined) implied[key] = value;
    }
  }
  return narrowing(filter).reduce<Query | null>(
    (all, { entry, value }) => all && (entry.implies ? joined(all, entry.implies(value)) : all),
    { ...filter, ...implied },
  );
}

/** Both; null where they exclude each other. */
function joined<Query extends NameFilter>(
  filter: Query,
  { length, numbers, hyphens }: Implied,
): Query | null {
  const { minLength = 1, maxLength = Infinity } = filter;
  if (length !== undefined && (length < minLength || length > maxLength)) return null;
  const has = { numbers, hyphens };
  const known: Partial<Record<keyof typeof has, TriState>> = {};
  for (const key of ['numbers', 'hyphens'] as const) {
    if (has[key] === undefined) continue;
    known[key] = has[key] ? 'only' : 'exclude';
    if (![undefined, 'allow', known[key]].includes(filter[key])) return null;
  }
  return { ...filter, ...known, ...(length !== undefined && { minLength: length, maxLength: length }) };
}

/** The part of the filter by which an index is entered. */
export function entering(filter: NameFilter, index: RangeKey): NameFilter {
  const entered = setIn(filter).filter(({ entry }) => entry.enters.includes(index));
  return { ...NO_LIMITS, ...Object.fromEntries(entered.map(({ key, value }) => [key, value])) };
}

/** The indexes that begin with what the filter limits, and `shape`, which is skipped through. */
export function enteredIndexes(filter: NameFilter): RangeKey[] {
  const indexes = narrowing(filter).flatMap(({ entry }) =>
    entry.enters.filter((index, at) => at === 0 || index === 'shape'),
  );
  return [...new Set(indexes)];
}

/** The conditions of a filter in SQL, to be joined by AND. @param isMeant which entries; left out: all */
export function conditions(
  filter: NameFilter,
  view: View,
  bind: Bind,
  isMeant: (entry: Pick<AnyFilter, 'enters' | 'needs'>) => boolean = () => true,
): string[] {
  return setIn(filter).flatMap(({ entry, value }) =>
    isMeant(entry) ? entry.sql(value, view, bind, filter.mode) : [],
  );
}

/**
 * The names to search, as one condition per index: available names have their own indexes, the others share one that
 * begins with the state. The conditions are spelled as in the indexes, so that the planner recognises them.
 */
export function populations({ states = ['available'] }: NameFilter): string[] {
  return states.map((state) =>
    state === 'available'
      ? 'available AND NOT hidden'
      : `state = '${state}' AND NOT available AND NOT hidden`,
  );
}

/** Whether names in other states than `available` are asked for, which the indexes of search do not hold. */
export function asksForOtherStates({ states }: NameFilter): boolean {
  return states !== undefined && !FILTERS.states.isFree(states);
}

/** Whether the plain suggest could ask it: a keyword, suffixes and a least score. */
export function isPlain(filter: NameFilter): boolean {
  return narrowing(filter).every(({ entry }) => entry.isCommon);
}

/** Words that a question may have for its texts to be prepared: with more there are too many shapes. */
const FEW_WORDS = 2;

/** Whether it is plain but for a few words, or for asking for listed names. */
export function isNearlyPlain({ reading, states, ...others }: NameFilter): boolean {
  const isListed = states?.length === 1 && states[0] === 'listed';
  const isShort =
    reading === undefined ||
    (reading.terms.length <= FEW_WORDS &&
      [reading.phrases, reading.without, reading.globs].every(({ length }) => length === 0));
  return isShort && isPlain(isListed ? others : { ...others, states });
}

/** Whether it asks for what only the explained suggest does: its texts are few enough to be prepared. */
export function isExplained(filter: NameFilter): boolean {
  return narrowing(filter).some(({ entry }) => !entry.doors.includes('search'));
}

/** Whether the filter asks for what only some indexes hold. */
export function asksFor(needed: Scarce, filter: NameFilter): boolean {
  return narrowing(filter).some(({ entry }) => entry.needs === needed);
}

/** Whether no index has what the filter asks for. */
export function asksForTable(filter: NameFilter): boolean {
  return narrowing(filter).some(({ entry }) => isInTable(entry));
}

/** The filter as far as the indexes have what it asks for: it lets the same names through, and others. */
export function knownToIndexes<Query extends NameFilter>(filter: Query): Query {
  return without(filter, isInTable);
}

/** Whether no index has what the entry asks for. */
export function isInTable({ needs }: { readonly needs?: Scarce | undefined }): boolean {
  return needs !== undefined && needs in IN_TABLE;
}

/** Tests names in memory. @throws {Error} for a filter that needs the database: {@link isKnownInMemory} */
export function matcherOf(filter: NameCriteria): (name: KnownName) => boolean {
  const mode = filter.mode ?? 'contains';
  const tests = narrowing(filter).map(({ key, entry, value }) => {
    const { matches } = entry;
    if (!matches) throw new Error(`Only the database knows which names pass the filter ${key}`);
    return (name: KnownName) => matches(value, name, mode);
  });
  return (name) => tests.every((test) => test(name));
}

/** Whether a name in memory passes; as {@link matcherOf}. */
export function matchesFilter(filter: NameCriteria, name: KnownName): boolean {
  return matcherOf(filter)(name);
}

/** Whether each of the filters can be judged without the database. */
export function isKnownInMemory(filter: NameFilter): boolean {
  return narrowing(filter).every(({ entry }) => entry.matches !== null);
}

/** Whether the cells of the cube say as much of it as memory does. */
export function isKnownToCells(filter: NameFilter): boolean {
  return narrowing(filter).every(({ entry }) => entry.cells !== null || entry.matches === null);
}

/** The conditions that memory can judge and the cells cannot. */
export function unknownToCells(filter: NameFilter): NameFilter {
  const unknown = setIn(filter).filter(({ entry }) => entry.cells === null && entry.matches !== null);
  return {
    ...NO_LIMITS,
    mode: filter.mode,
    ...Object.fromEntries(unknown.map(({ key, value }) => [key, value])),
  };
}

/** The filter without what only the database knows: it lets the same names through, and others. */
export function knownInMemory<Query extends NameFilter>(filter: Query): Query {
  return without(filter, ({ matches }) => matches === null);
}

function without<Query extends NameFilter>(filter: Query, isLeftOut: (entry: AnyFilter) => boolean): Query {
  const left = setIn(filter).filter(({ entry }) => isLeftOut(entry));
  return { ...filter, ...Object.fromEntries(left.map(({ key }) => [key, undefined])) };
}

/** Whether the limits of the filter are limits of cells. */
export function isOfWholeCells(filter: NameFilter): boolean {
  return narrowing(filter).every(({ entry, value }) => entry.cells?.isExact(value) ?? false);
}

/** The cells of a filter of whole cells, as conditions on `domain_cube` but for the month of names that have no day. */
export function cellConditions(filter: NameFilter, bind: Bind): string[] {
  return narrowing(filter).flatMap(({ entry, value }) => entry.cells?.sql(value, bind) ?? []);
}

/** Shares of a cell's names that pass, each by one of the cell's values, by the filters that cells know. */
export function sharesOfCells(
  filter: NameFilter,
): { by: keyof Cell; share: (of: Cell[keyof Cell]) => number }[] {
  return narrowing(filter).flatMap(({ entry: { cells }, value }) =>
    cells ? [{ by: cells.by, share: (of: Cell[keyof Cell]) => cells.share(value, of as never, filter) }] : [],
  );
}

/** The filter in a stable spelling, the same for filters that mean the same; as cursors of earlier releases have it. */
export function filterText(filter: NameFilter): { placed: unknown[]; named: [string, unknown][] } {
  const placed: unknown[] = [];
  const named: [string, unknown][] = [];
  for (const { key, entry, value } of setIn(filter)) {
    if (entry.place !== undefined) placed[entry.place] = entry.text(value);
    else if (!entry.isFree(value)) named.push([key, entry.text(value)]);
  }
  return { placed: Array.from({ length: PLACES }, (_, place) => placed[place]), named };
}

/** Filters with a fixed place in cursors. */
const PLACES = ENTRIES.filter(([, { place }]) => place !== undefined).length;
