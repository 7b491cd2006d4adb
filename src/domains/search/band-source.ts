import type { Bind } from '../schema/filters/filter.js';
import { conditions, type NameFilter } from '../schema/filters/filters.js';
import { bandCondition, bandsOf, type ScoreBand } from '../schema/filters/score-bands.js';
import { ROW } from '../schema/filters/views.js';
import type { DiscoveryQuery } from './discovery-query.js';
import { provesPattern } from './name-traits.js';
import { codeOfGram, type GramLookup } from './pattern-grams.js';
import { behind, cut, orderBy, reach, type SortTerm } from './sort-order.js';

/**
 * One statement reads all bands: Append runs its parts one after the other, and the outer LIMIT stops it before a
 * part that is not needed. Each part gives its rows in order, so the rows read before the time cap are the head of
 * the true answer. (SQL does not promise the order of UNION ALL; PostgreSQL keeps it when no workers are used.)
 */
export function bandScan(
  query: DiscoveryQuery,
  lookup: GramLookup,
  terms: readonly SortTerm[],
  bind: Bind,
): string {
  const isDescending = terms[0]?.direction === 'desc';
  const bands = remainingBands(query, isDescending);
  const grams = gramConditions(lookup, bind);
  const filter = [...conditions(leftBy(lookup, query), ROW, bind), behind(query, terms, bind)].join(' AND ');
  const parts = (isDescending ? bands : bands.toReversed()).map(
    (band) => `(SELECT part, place FROM (${bandSource(band, grams, LOOKED_AT)}) AS found
                 WHERE ${filter}
                 ORDER BY ${orderBy(terms)}
                 LIMIT ${reach(query)})`,
  );
  return fetchPlaces(`SELECT part, place FROM (${parts.join(' UNION ALL ')}) AS ordered ${cut(query, bind)}`);
}

/** All bands, and then sorted. */
export function bandSort(
  query: DiscoveryQuery,
  lookup: GramLookup,
  terms: readonly SortTerm[],
  bind: Bind,
): string {
  const found = bandSources(query, lookup, bind, LOOKED_AT);
  return fetchPlaces(
    `SELECT part, place FROM (${found}) AS found
      WHERE ${behind(query, terms, bind)}
      ORDER BY ${orderBy(terms)} ${cut(query, bind)}`,
  );
}

/** The rows that lie at the places. */
function fetchPlaces(places: string): string {
  return `FROM (${places}) AS best
           CROSS JOIN LATERAL (SELECT * FROM domain
             WHERE domain.tableoid = best.part AND domain.ctid = best.place OFFSET 0) AS domain`;
}

// OFFSET 0 keeps all else outside: with the suffix, the score or the order in sight the planner may prefer to read
// the rank index and compute the grams of every name, which took a second where the grams' own index takes 0.2 ms.
function bandSource(band: ScoreBand, grams: string, columns: string): string {
  return `SELECT ${columns} FROM domain WHERE ${bandCondition(band)} AND ${grams} OFFSET 0`;
}

// What filters and the order of rank look at, and where this statement has seen the row. Only the names of the
// answer are then read as whole rows: with all 28 columns in every part, to begin the statement takes a fifth of
// its CPU time (p50 0.60 ms instead of 0.48, ten million names).
export const FILTERED = 'domain, name, tld, wayback, length, hyphens, digits, first_seen, checked_at';
// A place is one within its table: were names kept in partitions, each would have a first page.
const LOOKED_AT = `tableoid AS part, ctid AS place, ${FILTERED}`;

/** SQL: all names that the grams find and that pass the filter, in no order. */
export function bandSources(filter: NameFilter, lookup: GramLookup, bind: Bind, columns: string): string {
  const grams = gramConditions(lookup, bind);
  const passing = conditions(leftBy(lookup, filter), ROW, bind).join(' AND ');
  return bandsOf(filter)
    .map((band) => `SELECT * FROM (${bandSource(band, grams, columns)}) AS found WHERE ${passing}`)
    .join(' UNION ALL ');
}

/** What the filter asks for beside what the lookup has made sure of. */
function leftBy(lookup: GramLookup, filter: NameFilter): NameFilter {
  return provesPattern(lookup, filter) ? { ...filter, q: undefined } : filter;
}

function gramConditions({ every, some, traits = [] }: GramLookup, bind: Bind): string {
  const has = (grams: readonly string[]) => `domain_grams(name, tld) @> ${bind(grams.map(codeOfGram))}`;
  return [
    ...(every.length > 0 ? [has(every)] : []),
    ...(some.length > 0 ? [`domain_grams(name, tld) && ${bind(some.map(codeOfGram))}`] : []),
    ...traits.map((codes) => `domain_traits(name, hyphens, digits, first_seen) && ${bind(codes)}`),
  ].join(' AND ');
}

/** The bands that may hold rows behind the one to go on from; that one lies within the filter, or else they all do. */
function remainingBands(query: DiscoveryQuery, isDescending: boolean): readonly ScoreBand[] {
  const { minWayback, maxWayback = Infinity, after } = query;
  const score = after?.wayback;
  const left = isDescending
    ? { minWayback, maxWayback: Math.min(maxWayback, score ?? Infinity) }
    : { minWayback: Math.max(minWayback, score ?? 0), maxWayback };
  const remaining = bandsOf(left);
  return remaining.length > 0 ? remaining : bandsOf(query);
}
