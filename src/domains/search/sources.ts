import { SUFFIXES } from '../schema/domain.js';
import type { Bind, RangeKey, View } from '../schema/filters/filter.js';
import {
  asksFor,
  conditions,
  type FilterKey,
  type NameFilter,
  populations,
} from '../schema/filters/filters.js';
import { DOMAIN, indexView, rankView, ROW } from '../schema/filters/views.js';
import { bandScan, bandSort, bandSources } from './band-source.js';
import { BY_RANK, type DiscoveryQuery, leastLength, type SortKey } from './discovery-query.js';
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

type OrderPlan = Extract<DiscoveryPlan, { strategy: 'order' }>;
type RangePlan = Extract<DiscoveryPlan, { strategy: 'range' }>;
/** A filter, and the order that its names will be brought into, if they will. */
type RangeQuery = NameFilter & Pick<DiscoveryQuery, 'sort'>;

/** The rows asked for, in their order, as the table `domain`: what stands behind the columns. */
export function sourceInOrder(query: DiscoveryQuery, plan: DiscoveryPlan, bind: Bind): string {
  const { key } = query.sort ?? BY_RANK;
  const terms = sortTerms(query.sort ?? BY_RANK);
  switch (plan.strategy) {
    case 'order':
      return plan.bound === undefined
        ? orderScan(query, key, terms, bind)
        : boundedScan(query, plan, key, terms, bind);
    case 'bands':
      return key === 'wayback' ? bandScan(query, plan, terms, bind) : bandSort(query, plan, terms, bind);
    case 'range':
      return rangeScan(query, plan, terms, bind);
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

/** Reads the index that has the order, and only the names that are the answer from the table. */
function orderScan(query: DiscoveryQuery, key: SortKey, terms: readonly SortTerm[], bind: Bind): string {
  const inOrder = `ORDER BY ${orderWithinRange(terms)} LIMIT ${reach(query)}`;
  const runs = runsOf(query, key, bind);
  return fetchNames(query, rangesOf(query, terms, runs, inOrder, bind), bind);
}

/**
 * The same, but no more than `bound` names: the filter stands outside the read, except for the index's
 * leading columns. The caller sees that there are too few rows, and chooses another plan.
 */
function boundedScan(
  query: DiscoveryQuery,
  { bound }: OrderPlan,
  key: SortKey,
  terms: readonly SortTerm[],
  bind: Bind,
): string {
  const inOrder = `ORDER BY ${orderWithinRange(terms)} LIMIT ${bound}`;
  const runs = runsOf(query, key, bind, (entered) => ENTERED[key].includes(entered));
  const read = rangesOf(query, terms, runs, inOrder, bind).join(' UNION ALL ');
  const passing = conditions(
    query,
    key === 'length' ? { ...DOMAIN, length: 'length' } : DOMAIN,
    bind,
    (_, entered) => !ENTERED[key].includes(entered),
  );
  const names = `SELECT domain FROM (SELECT * FROM (${read}) AS run LIMIT ${bound}) AS ordered
    WHERE ${['true', ...passing].join(' AND ')}`;
  return fetchNames(query, [names], bind);
}

/** What each order's index begins with. */
const ENTERED: Readonly<Record<SortKey, readonly FilterKey[]>> = {
  wayback: ['suffixes', 'minWayback', 'maxWayback'],
  length: ['minLength', 'maxLength'],
  first_seen: ['firstSeenFrom', 'firstSeenTo'],
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
 * @param isMeant which filters; left out: all
 */
function runsOf(
  filter: NameFilter,
  key: SortKey,
  bind: Bind,
  isMeant?: (key: FilterKey) => boolean,
): string[] {
  const columns = ['wayback', ...(key === 'length' || key === 'first_seen' ? [key] : []), 'domain'];
  if (isMeant && asksFor('firstSeen', filter) && key !== 'first_seen') columns.push('first_seen');
  if (isMeant && asksFor('checkedAt', filter)) columns.push('checked_at');
  const meant = isMeant && ((_: unknown, entry: FilterKey) => isMeant(entry));
  const select = `SELECT ${columns.join(', ')} FROM domain WHERE`;
  if (key === 'wayback')
    return (filter.suffixes.length > 0 ? filter.suffixes : SUFFIXES).flatMap((suffix) => {
      const passing = [
        ...conditions({ ...filter, suffixes: [] }, rankView(suffix), bind, meant),
        ...(isMeant ? [] : prefixConditions(filter, bind)),
        `tld = ${bind(suffix)}`,
      ].join(' AND ');
      return populations(filter).map((population) => `${select} ${population} AND ${passing}`);
    });
  const isByLength = key === 'length';
  const passing = [
    'available AND NOT hidden',
    ...conditions(
      isByLength ? longEnough(filter) : filter,
      isByLength ? { ...DOMAIN, length: 'length' } : DOMAIN,
      bind,
      meant,
    ),
    ...(isMeant && key !== 'domain' ? [] : prefixConditions(filter, bind)),
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
const HAVE_DAYS: readonly RangeKey[] = ['first_seen', 'shape', 'domain'];

/**
 * Gathers names by way of an index and sorts them, and reads only those of the answer from the table. Cut by
 * length, the names behind the cut are gathered only if those before it are too few.
 */
function rangeScan(
  query: DiscoveryQuery,
  { key, cut }: RangePlan,
  terms: readonly SortTerm[],
  bind: Bind,
): string {
  const parts = (cut === undefined ? [query] : partsByLength(query, cut)).map(
    (part) => `(SELECT domain FROM (${rangeSource(part, key, bind)}) AS found
           WHERE ${behind(query, terms, bind)}
           ORDER BY ${orderBy(terms)} LIMIT ${reach(query)})`,
  );
  return fetchNames(query, parts, bind);
}

/** Together they have every length, even lengths that the cells count as empty. */
function partsByLength(query: DiscoveryQuery, cut: number): DiscoveryQuery[] {
  const { maxLength = Infinity, sort } = query;
  const least = leastLength(query);
  const shorter = (most: number) => ({
    ...query,
    minLength: least,
    ...(most < Infinity && { maxLength: most }),
  });
  const longer = (from: number) => ({ ...query, minLength: Math.max(least, from) });
  return sort?.direction === 'desc'
    ? [longer(cut), shorter(Math.min(maxLength, cut - 1))]
    : [shorter(Math.min(maxLength, cut)), longer(cut + 1)];
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
  const hasDays = HAVE_DAYS.includes(key);
  const inside = [
    ...(key === 'domain' ? prefixConditions(query, bind) : []),
    ...conditions(
      enterable(query, key),
      view,
      bind,
      ({ enters, needs }) => enters.includes(key) && (hasDays || !needs),
    ),
  ];
  // Outside the fence the length has a name.
  const around = conditions(
    query,
    { ...view, length: 'length' },
    bind,
    ({ enters, needs }) => !enters.includes(key) && !needs,
  );
  const names = `SELECT * FROM (SELECT wayback, ${view.length} AS length${hasDays ? ', first_seen' : ''}, domain
    FROM domain
                                 WHERE ${['available AND NOT hidden', ...inside].join(' AND ')}
                                OFFSET 0) AS entry
                  WHERE ${['true', ...around].join(' AND ')}`;
  const needsDays = !hasDays && (asksFor('firstSeen', query) || query.sort?.key === 'first_seen');
  if (!needsDays && !asksFor('checkedAt', query)) return names;
  const whole: View = { ...ROW, firstSeen: 'whole.first_seen', checkedAt: 'whole.checked_at' };
  const left = conditions(
    query,
    whole,
    bind,
    ({ needs }) => needs !== undefined && (needs !== 'firstSeen' || !hasDays),
  );
  return `SELECT found.*${needsDays ? ', whole.first_seen' : ''}
            FROM (${names}) AS found
           CROSS JOIN LATERAL (SELECT first_seen, checked_at FROM domain WHERE domain.domain = found.domain
             OFFSET 0) AS whole
           WHERE ${['true', ...left].join(' AND ')}`;
}

/** The filter as the index is entered by it. */
function enterable(filter: RangeQuery, key: RangeKey): RangeQuery {
  // The index of ranks begins with the suffix.
  if (key === 'wayback') return filter.suffixes.length > 0 ? filter : { ...filter, suffixes: [...SUFFIXES] };
  return key === 'length' || key === 'shape' ? longEnough(filter) : filter;
}

/** Says outright how long a name has to be to have the keyword. */
function longEnough<Asked extends NameFilter>(filter: Asked): Asked {
  return filter.q === undefined ? filter : { ...filter, minLength: leastLength(filter) };
}

/** The rows of the names that the parts give, one part behind the other. */
function fetchNames(query: DiscoveryQuery, parts: readonly string[], bind: Bind): string {
  return `FROM (SELECT domain FROM (${parts.join(' UNION ALL ')}) AS ordered ${cut(query, bind)}) AS best
           CROSS JOIN LATERAL (SELECT * FROM domain WHERE domain.domain = best.domain OFFSET 0) AS domain`;
}
