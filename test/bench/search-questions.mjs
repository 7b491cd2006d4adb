const EVERYTHING = { mode: 'contains', suffixes: [], minWayback: 0 };
const KEYS = ['wayback', 'first_seen', 'length', 'domain'];
export const DEPTH = 100_000;

/**
 * Every order each way, with filters from none to rare, alone and together; and rows to go on from a hundred thousand deep.
 *
 * @param days first, second and last of the days on which names were first seen, and one in the middle
 */
export function makeSearchQuestions(days) {
  const filters = [...cellFilters(days), ...otherFilters(days), ...keywordFilters(days)];
  const orders = KEYS.flatMap((key) => ['desc', 'asc'].map((direction) => ({ key, direction })));
  const questionsOf = (shown, isDeep) =>
    orders.map((sort) => ({ sort, shown, filter: { ...EVERYTHING, ...shown }, isDeep }));
  return [
    ...filters.flatMap((filter) => questionsOf(filter, false)),
    ...[{}, { suffixes: ['com.au'] }].flatMap((filter) => questionsOf(filter, true)),
  ];
}

/** Filters that lie on cells of the cube. */
function cellFilters({ month }) {
  return [
    {},
    { suffixes: ['com.au'] },
    { suffixes: ['id.au', 'asn.au'] },
    { hyphens: 'only' },
    { numbers: 'only' },
    { hyphens: 'only', numbers: 'only' },
    { hyphens: 'exclude', numbers: 'exclude' },
    { hyphens: 'exclude', numbers: 'exclude', maxLength: 4 },
    { maxLength: 3 },
    { numbers: 'only', maxLength: 5 },
    { minLength: 30 },
    { minLength: 20, hyphens: 'only' },
    { minLength: 8, maxLength: 8 },
    { minWayback: 1_000 },
    { minWayback: 10_000 },
    { minWayback: 1, maxWayback: 9 },
    { suffixes: ['au'], maxLength: 4 },
    { suffixes: ['asn.au'], hyphens: 'only' },
    { suffixes: ['net.au'], numbers: 'only', minWayback: 100 },
    { hyphens: 'only', numbers: 'only', minWayback: 10, maxLength: 12 },
    { ...month },
    { ...month, hyphens: 'only', numbers: 'only' },
    { ...month, suffixes: ['org.au'], maxLength: 10 },
    { ...month, minWayback: 1_000 },
  ];
}

/** Filters that do not. */
function otherFilters({ last, early, middle }) {
  return [
    { firstSeenFrom: last },
    { firstSeenTo: early },
    { firstSeenFrom: middle, firstSeenTo: middle },
    { firstSeenFrom: middle, firstSeenTo: middle, numbers: 'only' },
    { firstSeenFrom: middle, hyphens: 'only', numbers: 'only' },
    { firstSeenFrom: last, suffixes: ['id.au'], maxLength: 9 },
    { minWayback: 50 },
    { minWayback: 5, maxWayback: 5 },
    { minWayback: 3, hyphens: 'only', numbers: 'only', maxLength: 8 },
    { minWayback: 500, numbers: 'only' },
    { maxWayback: 2, maxLength: 4, suffixes: ['org.au'] },
  ];
}

function keywordFilters({ month, last }) {
  return [
    { q: 'coffee' },
    { q: 'shop', mode: 'prefix' },
    { q: 'online', mode: 'suffix' },
    { q: 'melbourne', mode: 'suffix' },
    { q: 'xqzvk' },
    { q: 'e' },
    { q: 'x' },
    { q: 'co' },
    { q: 'qz' },
    { q: 'ing' },
    { q: '24', mode: 'suffix' },
    { q: 'auto', suffixes: ['com.au'], hyphens: 'exclude', minWayback: 10 },
    { q: 'auto', minWayback: 1_000 },
    { q: 'a', hyphens: 'only', numbers: 'only' },
    { q: 'ing', hyphens: 'only', numbers: 'only' },
    { q: 'coffee', maxLength: 10 },
    { q: 'sydney', suffixes: ['asn.au'] },
    { q: 'shop', ...month },
    { q: 'an', suffixes: ['id.au', 'asn.au'], firstSeenFrom: last },
    { q: 'the', mode: 'prefix', numbers: 'exclude', maxLength: 9 },
  ];
}
