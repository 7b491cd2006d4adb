import { SUFFIXES } from '../schema/domain.js';
import type { Bind, RangeKey, Scarce, View } from '../schema/filters/filter.js';
import {
  asksFor,
  conditions,
  type FilterKey,
  type NameFilter,
  populations,
} from '../schema/filters/filters.js';
import { indexView, rankView, ROW } from '../schema/filters/views.js';
import { bandScan, bandSort, bandSources } from './band-source.js';
import { BY_RANK, type DiscoveryQuery, type SortKey } from './discovery-query.js';
import { prefixConditions } from './pattern-grams.js';
import type { DiscoveryPlan } from './planner.js';
import {
  behind,
  cut,
  keysetRanges,
  orderBy,
  orderWithinRange,
  reach,
  type SortTerm,
  sortTerms,
} from './sort-order.js';

/** Which filters are meant. */
type IsMeant = NonNullable<Parameters<typeof conditions>[3]>;
type OrderPlan = Extract<DiscoveryPlan, { strategy: 'order' }>;
/** A filter, and the order that its names will be brought into, if they will. */
type RangeQuery = NameFilter & Pick<DiscoveryQuery, 'sort'>;

/** The rows asked for, in their order, as the table `domain`: what stands behind the columns. */
export function sourceInOrder(query: DiscoveryQuery, plan: DiscoveryPlan, bind: Bind): string {
  const { key } = query.sort ?? BY_RANK;
  const terms = sortTerms(query.sort ?? BY_RANK);
  switch (plan.strategy) {
    case 'order':
      return orderScan(query, plan, key, terms, bind);
    case 'bands':
      return key === 'wayback' ? bandScan(query, plan, terms, bind) : bandSort(query, plan, terms, bind);
    case 'range':
      return rangeScan(query, plan.key, terms, bind);
    case 'states':
      // All that the filter lets through, and then sorted.
      return `FROM (${sourceOf(query, plan, bind)}) AS domain
               WHERE ${behind(query, terms, bind)}
               ORDER BY ${orderBy(terms)} ${cut(query, bind)}`;
    default:
      return plan satisfies never;
  }
}

/** All that pass the filter, in no order. @param columns of names that are looked up by grams */
export function sourceOf(filter: RangeQuery, plan: DiscoveryPlan, bind: Bind, columns = '*'): string {
  switch (plan.strategy) {
    case 'order':
      return runsOf(filter, 'wayback', bind).join(' UNION ALL ');
    case 'states': {
      const passing = conditions(filter, ROW, bind).join(' AND ');
      return populations(filter)
        .map((population) => `SELECT * FROM domain WHERE ${population} AND ${passing}`)
        .join(' UNION ALL ');
    }
    case 'range':
      return rangeSource(filter, plan.key, bind);
    case 'bands':
      return bandSources(filter, plan, bind, columns);
    default:
      return plan satisfies never;
  }
}

/**
 * Reads the index that has the order until enough names have passed, and only names that pass by what the index knows
 * are looked up in the table. With a bound no more names are read than that: the filter stands outside the read, except
 * for the index's leading columns. The caller sees that there are too few rows, and chooses another plan.
 */
function orderScan(
  query: DiscoveryQuery,
  { bound }: OrderPlan,
  key: SortKey,
  terms: readonly SortTerm[],
  bind: Bind,
): string {
  const isInside: IsMeant = (entry, entered) =>
    bound === undefined ? !isInTable(entry) : ENTERED[key].includes(entered);
  const runs = runsOf(query, key, bind, isInside);
  const outside = conditions(
    query,
    { ...viewInOrder(key), checkedAt: 'whole.checked_at' },
    bind,
    (entry, entered) => !isInside(entry, entered),
  );
  const limit = bound ?? (outside.length === 0 ? reach(query) : undefined);
  const inOrder = `ORDER BY ${orderWithinRange(terms)}${limit === undefined ? '' : ` LIMIT ${limit}`}`;
  const read = rangesOf(query, terms, runs, inOrder, bind).join(' UNION ALL ');
  if (outside.length === 0) return fetchNames(query, [read], bind);
  const ordered = `SELECT * FROM (${read}) AS run${bound === undefined ? '' : ` LIMIT ${bound}`}`;
  const names = `SELECT ordered.domain FROM (${ordered}) AS ${asksFor('checkedAt', query) ? withTable('ordered') : 'ordered'}
    WHERE ${outside.join(' AND ')}`;
  return fetchNames(query, [names], bind);
}

/** SQL: beside the names of a source, what no index has. */
function withTable(source: string): string {
  return `${source} CROSS JOIN LATERAL (
    SELECT checked_at FROM domain WHERE domain.domain = ${source}.domain OFFSET 0) AS whole`;
}

/** What the index of an order has beside the domain and the score. */
function viewInOrder(key: SortKey): View {
  return indexView({ asksEveryScore: key === 'domain', ...(key === 'length' && { length: 'length' }) });
}

/** Whether no index has what the entry asks for. */
function isInTable({ needs }: { readonly needs?: Scarce }): boolean {
  return needs === 'checkedAt';
}

/** What each order's index is entered by. */
const ENTERED: Readonly<Record<SortKey, readonly FilterKey[]>> = {
  wayback: ['suffixes', 'minWayback', 'maxWayback'],
  length: ['minLength', 'maxLength', 'minWayback', 'maxWayback'],
  first_seen: ['firstSeenFrom', 'firstSeenTo', 'minWayback', 'maxWayback'],
  domain: [],
};

/**
 * Each keyset range of an order, its runs merged: asked of each run, so that they are merged and not gathered and
 * sorted.
 */
function rangesOf(
  query: DiscoveryQuery,
  terms: readonly SortTerm[],
  runs: readonly string[],
  inOrder: string,
  bind: Bind,
): string[] {
  return keysetRanges(terms, query.after, bind).map((range) => {
    const parts = runs.map((run) => `(${[run, ...range].join(' AND ')} ${inOrder})`);
    return parts.length === 1
      ? parts.join('')
      : `(SELECT * FROM (${parts.join(' UNION ALL ')}) AS run ${inOrder})`;
  });
}

/**
 * The names that pass, from the index that has the order: statements that are open at their conditions' end. In the
 * order of rank one for each suffix and population; the others hold the names on offer alone.
 *
 * @param isMeant which filters
 */
function runsOf(filter: NameFilter, key: SortKey, bind: Bind, isMeant: IsMeant = () => true): string[] {
  const columns = ['wayback', ...(key === 'length' ? [key] : []), 'domain'];
  if (key === 'first_seen' || asksFor('firstSeen', filter)) columns.push('first_seen');
  const select = `SELECT ${columns.join(', ')} FROM domain WHERE`;
  // Names of one score come by their names, so a prefix lies far from the beginning.
  const prefix = prefixConditions(filter, bind);
  if (key === 'wayback')
    return (filter.suffixes.length > 0 ? filter.suffixes : SUFFIXES).flatMap((suffix) => {
      const passing = [
        ...conditions({ ...filter, suffixes: [] }, rankView(suffix), bind, isMeant),
        ...prefix,
        `tld = ${bind(suffix)}`,
      ].join(' AND ');
      return populations(filter).map((population) => `${select} ${population} AND ${passing}`);
    });
  const passing = [
    'available AND NOT hidden',
    ...conditions(filter, viewInOrder(key), bind, isMeant),
    ...prefix,
    // Digits come before letters.
    ...(key === 'domain' && filter.numbers === 'exclude' ? [`domain >= 'a'`] : []),
  ];
  return [`${select} ${passing.join(' AND ')}`];
}

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

/** Gathers names by way of an index and sorts them, and reads only those of the answer from the table. */
function rangeScan(query: DiscoveryQuery, key: RangeKey, terms: readonly SortTerm[], bind: Bind): string {
  const names = `SELECT domain FROM (${rangeSource(query, key, bind)}) AS found
    WHERE ${behind(query, terms, bind)}
    ORDER BY ${orderBy(terms)} LIMIT ${reach(query)}`;
  return fetchNames(query, [`(${names})`], bind);
}

/**
 * SQL: the names that pass the filter, gathered by way of one index in no order, with what the order needs of them.
 * Inside are the conditions that the index is entered by, and no column that it lacks, fenced off by OFFSET 0: the
 * planner, who sees no values, would rather scan another. Around them are the conditions on the index's other
 * columns. The names that pass are looked up in the table if the index lacks the first day or the time of the
 * confirmation.
 */
function rangeSource(query: RangeQuery, key: RangeKey, bind: Bind): string {
  const view = VIEWS[key];
  const inside = [
    ...(key === 'domain' ? prefixConditions(query, bind) : []),
    ...conditions(
      // The index of ranks begins with the suffix.
      key === 'wayback' && query.suffixes.length === 0 ? { ...query, suffixes: [...SUFFIXES] } : query,
      view,
      bind,
      (entry) => entry.enters.includes(key) && !isInTable(entry),
    ),
  ];
  // Outside the fence the length has a name.
  const around = conditions(
    query,
    { ...view, length: 'length' },
    bind,
    (entry) => !entry.enters.includes(key) && !isInTable(entry),
  );
  const names = `SELECT * FROM (SELECT wayback, ${view.length} AS length, first_seen, domain
    FROM domain
                                 WHERE ${['available AND NOT hidden', ...inside].join(' AND ')}
                                OFFSET 0) AS entry
                  WHERE ${['true', ...around].join(' AND ')}`;
  const left = conditions(query, { ...ROW, checkedAt: 'whole.checked_at' }, bind, isInTable);
  return left.length === 0
    ? names
    : `SELECT found.* FROM (${names}) AS ${withTable('found')} WHERE ${left.join(' AND ')}`;
}

/** The rows of the names that the parts give, one part behind the other. */
function fetchNames(query: DiscoveryQuery, parts: readonly string[], bind: Bind): string {
  return `FROM (SELECT domain FROM (${parts.join(' UNION ALL ')}) AS ordered ${cut(query, bind)}) AS best
           CROSS JOIN LATERAL (SELECT * FROM domain WHERE domain.domain = best.domain OFFSET 0) AS domain`;
}
