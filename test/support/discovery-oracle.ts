import type { KnownName } from '../../src/domains/schema/filters/filter.js';
import type { NameFilter } from '../../src/domains/schema/filters/filters.js';
import type { DiscoveryQuery, FacetRow, SortPosition } from '../../src/domains/search/discovery-query.js';
import { SCORE_BANDS } from '../../src/domains/schema/filters/score-bands.js';
import { SUFFIXES } from '../../src/domains/schema/domain.js';
import type { DomainSeed } from './domains.js';

/** What discovery must answer, found by looking at every row. */
export function discover(rows: readonly DomainSeed[], query: DiscoveryQuery): string[] {
  const { sort = { key: 'wayback', direction: 'desc' }, after, offset = 0, limit } = query;
  const compare = comparisons[sort.key][sort.direction];
  return passing(rows, query)
    .map(positionOf)
    .sort(compare)
    .filter((row) => !after || compare(row, after) > 0)
    .slice(offset, offset + limit)
    .map(({ domain }) => domain);
}

/** The rows that discovery can see and the filter lets through, in no order. */
export function passing(rows: readonly DomainSeed[], filter: NameFilter): DomainSeed[] {
  const {
    q = '',
    mode,
    suffixes,
    minWayback,
    maxWayback = Infinity,
    minLength = 0,
    maxLength = Infinity,
  } = filter;
  const matches = { contains: 'includes', prefix: 'startsWith', suffix: 'endsWith' } as const;
  return rows.filter((row) => {
    const { name, tld, wayback, firstSeen } = seedOf(row);
    const isInTime =
      (filter.firstSeenFrom === undefined || (firstSeen !== null && firstSeen >= filter.firstSeenFrom)) &&
      (filter.firstSeenTo === undefined || (firstSeen !== null && firstSeen <= filter.firstSeenTo));
    const presence = { allow: [true, false], exclude: [false], only: [true] };
    return (
      row.available &&
      !row.hidden &&
      wayback >= minWayback &&
      wayback <= maxWayback &&
      name.length >= minLength &&
      name.length <= maxLength &&
      (suffixes.length === 0 || suffixes.includes(tld)) &&
      presence[filter.hyphens ?? 'allow'].includes(name.includes('-')) &&
      presence[filter.numbers ?? 'allow'].includes(/[0-9]/.test(name)) &&
      isInTime &&
      name[matches[mode]](q)
    );
  });
}

/** Where a row stands in every order. */
export function positionOf(row: DomainSeed): SortPosition {
  const { name, wayback, firstSeen } = seedOf(row);
  return { domain: row.domain, wayback, length: name.length, firstSeen };
}

/** A row's name and suffix, taken apart. */
export function seedOf({ domain, wayback, first_seen }: DomainSeed): KnownName {
  const tld = SUFFIXES.find((suffix) => domain.slice(domain.indexOf('.') + 1) === suffix);
  if (!tld) throw new Error(`${domain} is no name of the dataset`);
  return { name: domain.slice(0, -tld.length - 1), tld, wayback, firstSeen: first_seen };
}

type Comparison = (one: SortPosition, other: SortPosition) => number;

const byName: Comparison = (one, other) =>
  one.domain < other.domain ? -1 : one.domain > other.domain ? 1 : 0;
const byRank: Comparison = (one, other) => other.wayback - one.wayback || byName(one, other);
const byLength: Comparison = (one, other) => one.length - other.length || byRank(one, other);
const newestFirst: Comparison = (one, other) =>
  compareDays(other.firstSeen ?? '', one.firstSeen ?? '') || byRank(one, other);
// Names whose day is not known come last in both directions.
const oldestFirst: Comparison = (one, other) =>
  compareDays(one.firstSeen ?? '9999', other.firstSeen ?? '9999') || byRank(other, one);
const compareDays = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0);
const reversed =
  (compare: Comparison): Comparison =>
  (one, other) =>
    compare(other, one);

const comparisons = {
  wayback: { desc: byRank, asc: reversed(byRank) },
  first_seen: { desc: newestFirst, asc: oldestFirst },
  length: { asc: byLength, desc: reversed(byLength) },
  domain: { asc: byName, desc: reversed(byName) },
};

/** The facets of rows but for months, as lines without an order. */
export function shapesOf(rows: readonly DomainSeed[]): string[] {
  const counts = new Map<string, number>();
  for (const row of rows) {
    const { name, tld, wayback } = seedOf(row);
    const score = SCORE_BANDS.find(({ from }) => wayback >= from)?.from;
    const values = [
      ['tld', tld],
      ['length', name.length],
      ['hyphens', name.includes('-')],
      ['numbers', /\d/.test(name)],
      ['score', score],
    ];
    for (const value of values.map((pair) => pair.join(' '))) counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return [...counts].map((pair) => pair.join(' ')).sort();
}

/** What a statement gave, in the same way. */
export function shapesIn(facets: readonly FacetRow[]): string[] {
  return facets
    .map(({ names, month: _, ...values }) => {
      const given = Object.entries(values).filter(([, value]) => value !== null);
      return [...given.map((pair) => pair.join(' ')), names].join(' ');
    })
    .sort();
}
