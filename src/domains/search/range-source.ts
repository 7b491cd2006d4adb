import { SUFFIXES } from '../schema/domain.js';
import type { Bind, RangeKey, View } from '../schema/filters/filter.js';
import { asksFor, conditions, type NameFilter } from '../schema/filters/filters.js';
import { indexView, ROW } from '../schema/filters/views.js';
import { type DiscoveryQuery, leastLength } from './discovery-query.js';
import { prefixConditions } from './pattern-grams.js';

/** A filter, and the order that its names will be brought into, if they will. */
export type RangeQuery = NameFilter & Pick<DiscoveryQuery, 'sort'>;

/** What each index has beside the domain and the score. */
const VIEWS: Readonly<Record<RangeKey, View>> = {
  wayback: { ...indexView({ tld: 'tld' }), asksEveryScore: true },
  length: indexView({ length: 'length' }),
  first_seen: indexView({}),
  domain: indexView({ asksEveryScore: true }),
  shape: indexView({
    tld: ROW.tld,
    length: 'length',
    digits: 'digits',
    hasHyphens: ROW.hasHyphens,
    hasDigits: ROW.hasDigits,
  }),
};
const HAVE_DAYS: readonly RangeKey[] = ['first_seen', 'shape', 'domain'];

/**
 * SQL: the names that pass the filter, gathered by way of one index in no order, with what the order needs of them. Inside are the
 * conditions that the index is entered by, and no column that it lacks, fenced off by OFFSET 0: the planner, who sees no
 * values, would rather scan another. Around them is what the index's other columns tell. What is then left is looked up in the
 * table if the index lacks the first day or the time of the confirmation.
 */
export function rangeSource(query: RangeQuery, key: RangeKey, bind: Bind): string {
  const view = VIEWS[key];
  const hasDays = HAVE_DAYS.includes(key);
  const filter = enterable(query, key);
  const inside = [
    ...(key === 'domain' ? prefixConditions(filter, bind) : []),
    ...conditions(filter, view, bind, ({ enters, needs }) => enters.includes(key) && (hasDays || !needs)),
  ];
  // Outside the fence the length has a name.
  const around = conditions(
    query,
    { ...view, length: 'length' },
    bind,
    ({ enters, needs }) => !enters.includes(key) && !needs,
  );
  const names = `SELECT * FROM (SELECT wayback, ${view.length} AS length${hasDays ? ', first_seen' : ''}, domain FROM domain
                                 WHERE ${['available AND NOT hidden', ...inside].join(' AND ')}
                                OFFSET 0) AS entry
                  WHERE ${['true', ...around].join(' AND ')}`;
  const needsDays = !hasDays && (asksFor('firstSeen', query) || query.sort?.key === 'first_seen');
  const needsTimes = asksFor('checkedAt', query);
  if (!needsDays && !needsTimes) return names;
  const whole: View = { ...ROW, firstSeen: 'whole.first_seen', checkedAt: 'whole.checked_at' };
  const left = conditions(
    query,
    whole,
    bind,
    ({ needs }) => needs !== undefined && (needs !== 'firstSeen' || !hasDays),
  );
  return `SELECT found.*${needsDays ? ', whole.first_seen' : ''}
            FROM (${names}) AS found
           CROSS JOIN LATERAL (SELECT first_seen, checked_at FROM domain WHERE domain.domain = found.domain OFFSET 0) AS whole
           WHERE ${['true', ...left].join(' AND ')}`;
}

/** The filter as the index is entered by it. */
function enterable(filter: RangeQuery, key: RangeKey): RangeQuery {
  // The index of ranks begins with the suffix.
  if (key === 'wayback') return filter.suffixes.length > 0 ? filter : { ...filter, suffixes: [...SUFFIXES] };
  return key === 'length' || key === 'shape' ? longEnough(filter) : filter;
}

/** Says outright how long a name has to be to have the keyword. */
export function longEnough<Asked extends NameFilter>(filter: Asked): Asked {
  return filter.q === undefined ? filter : { ...filter, minLength: leastLength(filter) };
}
