import { BOUND_REACHED } from '../../errors/database-failure.js';
import { SUFFIXES } from '../schema/domain.js';
import { type Bind, IN_TABLE, type RangeKey, type View } from '../schema/filters/filter.js';
import {
  asksFor,
  asksForTable,
  conditions,
  isInTable,
  type NameFilter,
  populations,
} from '../schema/filters/filters.js';
import { indexCondition, type ScoreTier, tiersOf } from '../schema/filters/score-bands.js';
import { indexView, rankView, ROW } from '../schema/filters/views.js';
import { BY_RANK, type DiscoveryQuery, type SortKey } from './discovery-query.js';
import { type GramLookup, initialsOf, provenByTraits, provesPattern } from './name-traits.js';
import { codeOfGram, endOfPrefix, prefixConditions } from './pattern-grams.js';
import type { BandsPlan, DiscoveryPlan, GatheringPlan, OrderPlan, RangePlan } from './planner.js';
import { behind, cut, keysetRanges, orderBy, reach } from './sort-order.js';

const TRAITS = 'domain_traits(name, hyphens, digits, first_seen)';
const WORD_TRAITS =
  'domain_word_traits(words, name, tld, hyphens, digits, archive_first_capture, archive_last_capture)';

/** Which filters are meant. */
type IsMeant = NonNullable<Parameters<typeof conditions>[3]>;

// What filters and the order of rank look at. Only the names of the answer are then read as whole rows: with all 28
// columns in every part, to begin the statement takes a fifth of its CPU time.
// A place is one within its table: were names kept in partitions, each would have a first page.
const FILTERED =
  'tableoid AS part, ctid AS place, domain, name, tld, wayback, length, hyphens, digits, first_seen, checked_at';

/** What each index has beside the domain and the score. */
const VIEWS: Readonly<Record<RangeKey, View>> = {
  wayback: { ...indexView({ tld: 'tld' }), asksEveryScore: true },
  length: indexView({ length: 'length' }),
  first_seen: indexView({}),
  domain: indexView({ asksEveryScore: true }),
  shape: indexView({
    ...{ tld: 'tld', length: 'length', digits: 'digits' },
    ...{ hasHyphens: ROW.hasHyphens, hasDigits: ROW.hasDigits },
  }),
};

/** What {@link withTable} adds. */
const TABLE_COLUMNS = Object.values(IN_TABLE);
const WHOLE: Partial<View> = Object.fromEntries(
  Object.entries(IN_TABLE).map(([key, column]) => [key, `whole.${column}`]),
);

/** The rows asked for, in their order, as the table `domain`: what stands behind the columns. */
export function sourceInOrder(query: DiscoveryQuery, plan: DiscoveryPlan, bind: Bind): string {
  const { key } = query.sort ?? BY_RANK;
  if (plan.strategy === 'order') return orderScan(query, plan, key, bind);
  if (plan.strategy === 'bands' && key === 'wayback') return rowsAt(bandScan(query, plan, bind));
  return rowsNamed(firstOf(sourceOf(query, plan, bind), query, bind));
}

/** All that pass the filter, in no order. */
export function sourceOf(filter: NameFilter, plan: GatheringPlan, bind: Bind): string {
  switch (plan.strategy) {
    case 'states': {
      const passing = conditions(filter, ROW, bind).join(' AND ');
      return populations(filter)
        .map((population) => `SELECT * FROM domain WHERE ${population} AND ${passing}`)
        .join(' UNION ALL ');
    }
    case 'range':
      return rangeSource(filter, plan, bind);
    case 'bands':
      return bandsOf(filter, plan, tiersOf(filter), bind)
        .map((band) => `SELECT * ${band}`)
        .join(' UNION ALL ');
    default:
      return plan satisfies never;
  }
}

/** SQL: the names of the page, sorted from all that pass. */
export function firstOf(passing: string, query: DiscoveryQuery, bind: Bind): string {
  return `SELECT domain FROM (${passing}) AS found
           WHERE ${behind(query, bind)} ORDER BY ${orderBy(query)} ${cut(query, bind)}`;
}

/** The rows of the names of an answer. */
export function rowsNamed(names: string): string {
  return `FROM (${names}) AS best
           CROSS JOIN LATERAL (SELECT * FROM domain WHERE domain.domain = best.domain OFFSET 0) AS domain`;
}

/** The rows that lie at the places: to find them by their names would take a fifth of a search's time. */
function rowsAt(places: string): string {
  return `FROM (${places}) AS best
           CROSS JOIN LATERAL (SELECT * FROM domain
             WHERE domain.tableoid = best.part AND domain.ctid = best.place OFFSET 0) AS domain`;
}

/**
 * Reads the index that has the order until enough names have passed, and only names that pass by what the index knows
 * are looked up in the table. With a bound no more names are read than that: the filter stands outside the read, except
 * for the index's leading columns. The caller sees that there are too few rows, and chooses another plan. A direct plan
 * reads each row as the index leads to it, which is cheaper where the index lets nearly all names through.
 */
function orderScan(query: DiscoveryQuery, plan: OrderPlan, key: SortKey, bind: Bind): string {
  const { bound, isDirect = false } = plan;
  const isInside: IsMeant = (entry) =>
    bound === undefined ? isDirect || !isInTable(entry) : entry.enters.includes(key);
  const runs = runsOf(query, key, isInside, bind, isDirect && bound !== undefined ? TABLE_COLUMNS : []);
  const view = { ...VIEWS[key], ...(isDirect ? {} : WHOLE) };
  const outside = conditions(query, view, bind, (entry) => !isInside(entry));
  const limit = bound ?? (outside.length === 0 ? reach(query) : undefined);
  const inOrder = `ORDER BY ${orderBy(query, 'FIRST')}${limit === undefined ? '' : ` LIMIT ${limit}`}`;
  // Asked of each run in each keyset range, so that runs are merged and not gathered and sorted.
  const ranges = keysetRanges(query, bind).map((range) => {
    const parts = runs.map((run) => `(${[run, ...range].join(' AND ')} ${inOrder})`);
    return parts.length === 1
      ? parts.join('')
      : `(SELECT * FROM (${parts.join(' UNION ALL ')}) AS run ${inOrder})`;
  });
  let read = `SELECT * FROM (${ranges.join(' UNION ALL ')}) AS run`;
  if (bound !== undefined) read += ` LIMIT ${bound}`;
  if (outside.length > 0)
    read = `SELECT run.domain FROM (${read}) AS ${asksForTable(query) && !isDirect ? withTable('run') : 'run'}
             WHERE ${outside.join(' AND ')}`;
  return rowsNamed(`SELECT domain FROM (${read}) AS ordered ${cut(query, bind)}`);
}

/** SQL: beside the names of a source, what no index has. */
function withTable(source: string): string {
  return `${source} CROSS JOIN LATERAL (
    SELECT ${TABLE_COLUMNS.join(', ')} FROM domain WHERE domain.domain = ${source}.domain OFFSET 0) AS whole`;
}

/**
 * The names on offer that pass, from the index that has the order: statements that are open at their conditions' end,
 * in the order of rank one for each suffix.
 */
function runsOf(
  filter: NameFilter,
  key: SortKey,
  isMeant: IsMeant,
  bind: Bind,
  more: readonly string[] = [],
): string[] {
  const columns = ['wayback', ...(key === 'length' ? [key] : []), 'domain', ...more];
  if (key === 'first_seen' || asksFor('firstSeen', filter)) columns.push('first_seen');
  const run = (passing: readonly string[]) =>
    `SELECT ${columns.join(', ')} FROM domain WHERE ${['available AND NOT hidden', ...passing].join(' AND ')}`;
  // Names of one score come by their names, so a prefix lies far from the beginning.
  const prefix = prefixConditions(filter, bind);
  if (key === 'wayback')
    return (filter.suffixes.length > 0 ? filter.suffixes : SUFFIXES).map((suffix) =>
      run([
        ...conditions({ ...filter, suffixes: [] }, rankView(suffix), bind, isMeant),
        ...prefix,
        `tld = ${bind(suffix)}`,
      ]),
    );
  const initials = key === 'domain' ? initialConditions(filter) : [];
  return [run([...conditions(filter, VIEWS[key], bind, isMeant), ...prefix, ...initials])];
}

/** Where names begin and end that pass, in their order. */
function initialConditions(filter: NameFilter): string[] {
  const initials = initialsOf(filter);
  const [first, last] = [initials[0] ?? '0', initials.at(-1) ?? 'z'];
  return [
    ...(first > '0' ? [`domain >= '${first}'`] : []),
    ...(last < 'z' ? [`domain < '${endOfPrefix(last)}'`] : []),
  ];
}

/**
 * SQL: the names that pass the filter, gathered by way of one index in no order, with what the order needs of them.
 * Inside are the conditions that the index is entered by: the planner, who sees no values, would rather scan another.
 * Around them are those on its other columns. The table is asked for what the index lacks.
 */
function rangeSource(filter: NameFilter, { key, bound }: RangePlan, bind: Bind): string {
  const view = VIEWS[key];
  const inside = [
    ...(key === 'domain' ? prefixConditions(filter, bind) : []),
    ...conditions(
      // The index of ranks begins with the suffix.
      key === 'wayback' && filter.suffixes.length === 0 ? { ...filter, suffixes: [...SUFFIXES] } : filter,
      view,
      bind,
      (entry) => entry.enters.includes(key) && !isInTable(entry),
    ),
  ];
  // Outside the fence the length has a name.
  const around = conditions(
    filter,
    { ...view, length: 'length' },
    bind,
    (entry) => !entry.enters.includes(key) && !isInTable(entry),
  );
  const entries = `SELECT wayback, ${view.length} AS length, first_seen, domain FROM domain
                    WHERE ${['available AND NOT hidden', ...inside].join(' AND ')}`;
  const names = `SELECT * FROM ${fenced(entries, bound)} AS entry WHERE ${['true', ...around].join(' AND ')}`;
  const left = conditions(filter, { ...view, ...WHOLE }, bind, isInTable);
  return left.length === 0
    ? names
    : `SELECT found.* FROM (${names}) AS ${withTable('found')} WHERE ${left.join(' AND ')}`;
}

/**
 * One statement reads all bands: the outer LIMIT stops it before a part that is not needed. Each part gives its rows in
 * order, so the rows read before the time cap are the head of the true answer. (SQL does not promise the order of
 * UNION ALL; PostgreSQL keeps it when no workers are used.)
 */
function bandScan(query: DiscoveryQuery, lookup: BandsPlan, bind: Bind): string {
  const rows = `AND ${behind(query, bind)} ORDER BY ${orderBy(query)} LIMIT ${reach(query)}`;
  const parts = bandsOf(query, lookup, remainingTiers(query), bind).map(
    (band) => `(SELECT part, place ${band} ${rows})`,
  );
  return `SELECT part, place FROM (${parts.join(' UNION ALL ')}) AS ordered ${cut(query, bind)}`;
}

/** In order, the tiers that may hold rows behind the one to go on from: that one may lie outside the filter. */
function remainingTiers(query: DiscoveryQuery): readonly ScoreTier[] {
  const { minWayback, maxWayback = Infinity, after, sort = BY_RANK } = query;
  const isDescending = sort.direction === 'desc';
  const score = after?.wayback ?? (isDescending ? Infinity : 0);
  const remaining = tiersOf(
    isDescending
      ? { minWayback, maxWayback: Math.min(maxWayback, score) }
      : { minWayback: Math.max(minWayback, score), maxWayback },
  );
  const tiers = remaining.length > 0 ? remaining : tiersOf(query);
  return isDescending ? tiers : tiers.toReversed();
}

/** SQL: for each tier the names that pass, open at their conditions' end. */
function bandsOf(filter: NameFilter, lookup: BandsPlan, tiers: readonly ScoreTier[], bind: Bind): string[] {
  const looked = lookupConditions(lookup, filter, bind);
  const passing = conditions(residualFilter(lookup, filter), ROW, bind, isOutsideTier);
  return tiers.map((tier) => {
    const source = `SELECT ${FILTERED} FROM domain WHERE ${[indexCondition(tier), ...looked].join(' AND ')}`;
    // The tier's index may have the scores of the next as well.
    const own = tier.to === tier.indexedTo ? ['true'] : [`wayback <= ${tier.to}`];
    return `FROM ${fenced(source, lookup.bound)} AS found WHERE ${[...passing, ...own].join(' AND ')}`;
  });
}

const END = `end_statement('${BOUND_REACHED}', 'another way to search is taken: this one has reached its bound')`;

/**
 * SQL: the names of a source. With a bound no more of them are read: where there are more the statement ends as
 * {@link CappedRows} tells, and the caller takes another way. OFFSET 0 keeps all else outside: with the suffix, the score
 * or the order in sight PostgreSQL may prefer the rank index and compute the grams of every name, which took a second
 * where the grams' own index takes 0.2 ms.
 */
function fenced(source: string, bound: number | undefined): string {
  if (bound === undefined) return `(${source} OFFSET 0)`;
  return `(WITH entry AS MATERIALIZED (SELECT * FROM (${source} OFFSET 0) AS source LIMIT ${bound + 1})
           SELECT * FROM entry WHERE (SELECT CASE WHEN count(*) > ${bound} THEN ${END} ELSE true END FROM entry))`;
}

/** The others are asked with the grams. */
const isOutsideTier: IsMeant = ({ needs }) =>
  needs !== 'words' && needs !== 'lastCapture' && needs !== 'formerTitle';

/** What the filter asks for beside what the lookup has made sure of. */
function residualFilter(lookup: GramLookup, filter: NameFilter): NameFilter {
  return {
    ...filter,
    ...(provesPattern(lookup, filter) && { q: undefined }),
    ...provenByTraits(lookup),
  };
}

function lookupConditions(lookup: BandsPlan, filter: NameFilter, bind: Bind): string[] {
  const { every, some, traits = [], bound } = lookup;
  const namesOf = (table: string, passing: string) => `SELECT ${table}.domain FROM ${table} WHERE ${passing}`;
  const view: View = { ...ROW, isAmong: (...names) => `domain IN ${fenced(namesOf(...names), bound)}` };
  const has = (grams: readonly string[]) => `domain_grams(name, tld) @> ${bind(grams.map(codeOfGram))}`;
  return [
    ...(every.length > 0 ? [has(every)] : []),
    ...(some.length > 0 ? [`domain_grams(name, tld) && ${bind(some.map(codeOfGram))}`] : []),
    ...traits.map(({ codes, isOfWords }) => `${isOfWords ? WORD_TRAITS : TRAITS} && ${bind(codes)}`),
    ...conditions({ ...filter, ...provenByTraits(lookup) }, view, bind, (entry) => !isOutsideTier(entry)),
  ];
}
