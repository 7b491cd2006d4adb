import { SUFFIXES } from '../schema/domain.js';
import { asksForDays, type DiscoveryQuery, leastLength, type NameFilter } from './discovery-query.js';
import {
  type Bind,
  confirmationConditions,
  dayConditions,
  LENGTH_OF_DOMAIN,
  lengthConditions,
  patternOnDomain,
  prefixConditions,
  presenceInDomain,
  presenceInRow,
  scoreConditions,
  suffixConditions,
} from './name-filter.js';
import type { RangeKey } from './strategy-costs.js';

/**
 * SQL: the names that pass the filter, gathered by way of one index in no order, with what the order needs of them. Inside are the
 * conditions that the index is entered by, and no column that it lacks, fenced off by OFFSET 0: the planner, who sees no
 * values, would rather scan another. Around them is what the index's other columns tell. What is then left is looked up in the
 * table if the index lacks the first day or the time of the confirmation.
 */
export function rangeSource(query: RangeQuery, key: RangeKey, bind: Bind): string {
  const length = hasLength(key) ? 'length' : `${LENGTH_OF_DOMAIN} AS length`;
  const days = hasDays(key) ? ', first_seen' : '';
  const names = `SELECT * FROM (SELECT wayback, ${length}${days}, domain FROM domain
                                 WHERE ${['available AND NOT hidden', ...insideConditions(query, key, bind)].join(' AND ')}
                                OFFSET 0) AS entry
                  WHERE ${['true', ...aroundConditions(query, key, bind)].join(' AND ')}`;
  const needsDays = !hasDays(key) && (asksForDays(query) || query.sort?.key === 'first_seen');
  if (!needsDays && query.confirmedSince === undefined) return names;
  const left = [...(needsDays ? dayConditions(query, bind) : []), ...confirmationConditions(query, bind)];
  return `SELECT found.*${needsDays ? ', whole.first_seen' : ''}
            FROM (${names}) AS found
           CROSS JOIN LATERAL (SELECT first_seen, checked_at FROM domain WHERE domain.domain = found.domain OFFSET 0) AS whole
           WHERE ${['true', ...left.map((condition) => `whole.${condition}`)].join(' AND ')}`;
}

/** A filter, and the order that its names will be brought into, if they will. */
export type RangeQuery = NameFilter & Pick<DiscoveryQuery, 'sort'>;

function hasLength(key: RangeKey): boolean {
  return key === 'length' || key === 'shape';
}

function hasDays(key: RangeKey): boolean {
  return key === 'first_seen' || key === 'shape' || key === 'domain';
}

function insideConditions(filter: NameFilter, key: RangeKey, bind: Bind): string[] {
  switch (key) {
    case 'wayback': {
      // The index of ranks begins with the suffix.
      const suffixes = filter.suffixes.length > 0 ? filter.suffixes : SUFFIXES;
      return [...suffixConditions({ ...filter, suffixes }, bind), ...scoreConditions(filter, bind)];
    }
    case 'length':
      return [...lengthConditions(longEnough(filter), 'length', bind), ...narrowScore(filter, bind)];
    case 'domain':
      return [
        ...prefixConditions(filter, bind),
        ...scoreConditions(filter, bind),
        ...dayConditions(filter, bind),
      ];
    case 'first_seen':
      return [...dayConditions(filter, bind), ...narrowScore(filter, bind)];
    case 'shape':
      return [
        ...presenceInRow(filter),
        ...suffixConditions(filter, bind),
        ...lengthConditions(longEnough(filter), 'length', bind),
        ...dayConditions(filter, bind),
      ];
    default:
      return key satisfies never;
  }
}

function aroundConditions(filter: NameFilter, key: RangeKey, bind: Bind): string[] {
  const { suffixes } = filter;
  const isShape = key === 'shape';
  return [
    ...patternOnDomain(filter, bind),
    ...(isShape || key === 'wayback' || suffixes.length === 0
      ? []
      : [`substr(domain, strpos(domain, '.') + 1) = ANY (${bind(suffixes)})`]),
    ...(isShape ? narrowScore(filter, bind) : []),
    ...(hasLength(key) ? [] : lengthConditions(filter, 'length', bind)),
    ...(isShape ? [] : presenceInDomain(filter)),
  ];
}

/** Says outright how long a name has to be to have the pattern. */
export function longEnough(filter: NameFilter): NameFilter {
  return filter.q === undefined ? filter : { ...filter, minLength: leastLength(filter) };
}

// That a score is at least 0 would have an index skip to it again and again.
function narrowScore(filter: NameFilter, bind: Bind): string[] {
  return filter.minWayback === 0 && filter.maxWayback === undefined ? [] : scoreConditions(filter, bind);
}
