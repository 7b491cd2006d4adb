import { bandParts, bandScan, bandSort, bandSources } from './band-source.js';
import type { DiscoveryPlan } from './discovery-plan.js';
import { SUFFIXES } from '../schema/domain.js';
import type { Bind } from '../schema/filters/filter.js';
import { conditions, type NameFilter, populations } from '../schema/filters/filters.js';
import { DOMAIN, rankView, ROW } from '../schema/filters/views.js';
import { BY_RANK, type DiscoveryQuery } from './discovery-query.js';
import { queriesOfParts } from './length-parts.js';
import { prefixConditions } from './pattern-grams.js';
import { longEnough, type RangeQuery, rangeSource } from './range-source.js';
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

type RangePlan = Extract<DiscoveryPlan, { strategy: 'range' }>;

/** The rows asked for, in their order, as the table `domain`: what stands behind the columns. */
export function sourceInOrder(query: DiscoveryQuery, plan: DiscoveryPlan, bind: Bind): string {
  const terms = sortTerms(query.sort ?? BY_RANK);
  const isRanked = terms[0]?.column === 'wayback';
  if (plan.strategy === 'order')
    return isRanked ? rankScan(query, terms, bind) : orderScan(query, terms, bind);
  if (plan.strategy === 'bands')
    return isRanked ? bandScan(query, plan, terms, bind) : bandSort(query, plan, terms, bind);
  if (plan.strategy === 'range') return rangeScan(query, plan, terms, bind);
  // All that the filter lets through, and then sorted.
  return `FROM (${sourceOf(query, plan, bind)}) AS domain
           WHERE ${behind(query, terms, bind)}
           ORDER BY ${orderBy(terms)} ${cut(query, bind)}`;
}

/**
 * Reads the rank index alone, one run a suffix and the runs merged, and only the names that are the answer from the table.
 * The order is asked of each run, so that they are merged and not gathered and sorted.
 */
function rankScan(query: DiscoveryQuery, terms: readonly SortTerm[], bind: Bind): string {
  return fetchNames(query, rankParts(query, terms, bind), bind);
}

function rankParts(query: DiscoveryQuery, terms: readonly SortTerm[], bind: Bind): string[] {
  const runs = rankRuns(query, bind);
  const inOrder = `ORDER BY ${orderWithinRange(terms)} LIMIT ${reach(query)}`;
  return keysetRanges(terms, query.after, bind).map((range) => {
    const parts = runs.map((run) => `(${[run, ...range].join(' AND ')} ${inOrder})`);
    return `(SELECT wayback, domain FROM (${parts.join(' UNION ALL ')}) AS run ${inOrder})`;
  });
}

/** The names that pass the filter, from the rank index: a statement for each suffix and population, open at its conditions' end. */
function rankRuns(filter: NameFilter, bind: Bind): string[] {
  const { suffixes } = filter;
  return (suffixes.length > 0 ? suffixes : SUFFIXES).flatMap((suffix) => {
    const passing = [
      ...conditions({ ...filter, suffixes: [] }, rankView(suffix), bind),
      ...prefixConditions(filter, bind),
      `tld = ${bind(suffix)}`,
    ].join(' AND ');
    return populations(filter).map(
      (population) => `SELECT wayback, domain FROM domain WHERE ${population} AND ${passing}`,
    );
  });
}

/** Reads the index that has the order, and only the names that are the answer from the table. */
function orderScan(query: DiscoveryQuery, terms: readonly SortTerm[], bind: Bind): string {
  const columns = [...new Set([...terms.map(({ column }) => column), 'domain'])].join(', ');
  const isByLength = terms[0]?.column === 'length';
  const passing = [
    'available AND NOT hidden',
    ...conditions(
      isByLength ? longEnough(query) : query,
      isByLength ? { ...DOMAIN, length: 'length' } : DOMAIN,
      bind,
    ),
    ...prefixConditions(query, bind),
    // Digits come before letters.
    ...(terms[0]?.column === 'domain' && query.numbers === 'exclude' ? [`domain >= 'a'`] : []),
  ];
  const parts = keysetRanges(terms, query.after, bind).map(
    (range) => `(SELECT ${columns} FROM domain
                    WHERE ${[...passing, ...range].join(' AND ')}
                    ORDER BY ${orderWithinRange(terms)} LIMIT ${reach(query)})`,
  );
  return fetchNames(query, parts, bind);
}

/**
 * Gathers names by way of an index and sorts them, and reads only those of the answer from the table. Of parts by length, each is
 * gathered and sorted by itself, and none that is not needed.
 */
function rangeScan(
  query: DiscoveryQuery,
  { key, ends = [] }: RangePlan,
  terms: readonly SortTerm[],
  bind: Bind,
): string {
  const queries = ends.length > 0 ? queriesOfParts(query, ends) : [query];
  const parts = queries.map(
    (part) => `(${sorted('domain', rangeSource(part, key, bind), query, terms, bind)})`,
  );
  return fetchNames(query, parts, bind);
}

function sorted(
  columns: string,
  source: string,
  query: DiscoveryQuery,
  terms: readonly SortTerm[],
  bind: Bind,
): string {
  return `SELECT ${columns} FROM (${source}) AS found
           WHERE ${behind(query, terms, bind)}
           ORDER BY ${orderBy(terms)} LIMIT ${reach(query)}`;
}

/** The first names by rank, one behind the other, with domain and wayback: nothing else is read of them. */
export function bestSource(query: DiscoveryQuery, plan: DiscoveryPlan, bind: Bind): string {
  const terms = sortTerms(BY_RANK);
  switch (plan.strategy) {
    case 'order':
      return rankParts(query, terms, bind).join(' UNION ALL ');
    case 'bands':
      return bandParts(query, plan, terms, bind, 'domain, wayback');
    case 'range':
    case 'states':
      return sorted('domain, wayback', sourceOf(query, plan, bind), query, terms, bind);
    default:
      return plan satisfies never;
  }
}

/** The rows of the names that the parts give, one part behind the other. */
function fetchNames(query: DiscoveryQuery, parts: readonly string[], bind: Bind): string {
  return `FROM (SELECT domain FROM (${parts.join(' UNION ALL ')}) AS ordered ${cut(query, bind)}) AS best
           CROSS JOIN LATERAL (SELECT * FROM domain WHERE domain.domain = best.domain OFFSET 0) AS domain`;
}

/** All that pass the filter, in no order. @param columns of names that are looked up by grams */
export function sourceOf(filter: RangeQuery, plan: DiscoveryPlan, bind: Bind, columns = '*'): string {
  switch (plan.strategy) {
    case 'order':
      return rankRuns(filter, bind).join(' UNION ALL ');
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
