import type { Part } from './cube/cell-shares.js';
import { BY_RANK, type DiscoveryQuery } from './discovery-query.js';
import type { NameSample } from './name-sample.js';
import { initialsOf } from './name-traits.js';

/**
 * Limits for the first names of an order that are likely to hold as many matches; null: they would hold all names.
 *
 * @param names that match, in all
 * @param lengths the lengths of names, rising
 */
export function headOf(
  query: DiscoveryQuery,
  sample: NameSample,
  names: number,
  lengths: () => readonly Part<number>[],
  matches: number,
): Partial<DiscoveryQuery> | null {
  const { sort = BY_RANK, after, minLength, maxLength, minWayback, maxWayback = 0 } = query;
  const isAscending = sort.direction === 'asc';
  switch (sort.key) {
    case 'length': {
      const head = firstParts(lengths(), after?.length, matches, isAscending);
      // The end where the order begins stays open: the cells may not know of its first names.
      if (!head) return null;
      return isAscending
        ? { minLength: after ? head[0] : minLength, maxLength: head[1] }
        : { minLength: head[0], maxLength: after ? head[1] : maxLength };
    }
    case 'first_seen': {
      // Names whose day is not known come last.
      if (after?.firstSeen === null) return null;
      const months = sample.cells.byMonth(query);
      const known = months.reduce((sum, { matching }) => sum + matching, 0);
      const parts = months.map(({ part, matching }) => ({ part, matching: (names * matching) / known }));
      const head = firstParts(parts, after?.firstSeen, matches, isAscending);
      const limits = [after?.firstSeen, isAscending ? query.firstSeenFrom : query.firstSeenTo];
      const given = limits.filter((limit) => limit !== undefined).toSorted();
      if (!head) return null;
      const begin = given.at(isAscending ? -1 : 0) ?? head[isAscending ? 0 : 1];
      const [from, to] = isAscending ? [begin, head[1]] : [head[0], begin];
      return { firstSeenFrom: from, firstSeenTo: to, ...(given.length === 0 && { noneBeyond: begin }) };
    }
    case 'domain': {
      const parts = byInitial(query, sample, names);
      const head = firstParts(parts, after?.domain.slice(0, 1), matches, isAscending);
      return head && { initials: head };
    }
    case 'wayback': {
      // Half of all names have no score, and they come by their names.
      if (!isAscending || minWayback > 0 || maxWayback < 0 || (after?.wayback ?? 0) > 0) return null;
      const unscored = (names * (sample.tierSizes.at(-1) ?? 0)) / sample.total;
      const parts = byInitial(query, sample, unscored);
      const head = firstParts(parts, after?.domain.slice(0, 1), matches, false);
      return head && { maxWayback: 0, initials: head };
    }
    default:
      return sort.key satisfies never;
  }
}

function byInitial(query: DiscoveryQuery, sample: NameSample, names: number): Part<string>[] {
  const share = sample.initialsOf(query);
  return initialsOf(query).map((initial) => ({ part: [initial, initial], matching: names * share(initial) }));
}

/** From where and to where the first parts of an order reach that hold as many matches. @param place to go on from */
function firstParts<Value extends number | string>(
  parts: readonly Part<Value>[],
  place: Value | undefined,
  matches: number,
  isAscending: boolean,
): readonly [Value, Value] | null {
  const left = (isAscending ? parts : parts.toReversed()).filter(
    ({ part: [from, to] }) => place === undefined || (isAscending ? to >= place : from <= place),
  );
  let found = 0;
  const last = left.find(({ matching }) => (found += matching) >= matches);
  if (!last || !left[0]) return null;
  return isAscending ? [left[0].part[0], last.part[1]] : [last.part[0], left[0].part[1]];
}
