/**
 * The fixed questions. Patterns of 1 to 30 characters that many names have, that few have and that none has; times the
 * modes, times suffixes, score floors and limits.
 */
const COMMON = [
  ['a', 'e', 'z', 'q', '7', '-'],
  ['in', 'co', 'zq', '24', '-a', 'qj', '4u'],
  ['ing', 'sol', 'zzq', 'ltd', '365', 'my-', '2go'],
  ['coffee', 'solar', 'plumbing', 'sydney', 'melbourne', 'kangaroo', 'group', 'homes', 'fitness-', '-perth'],
  // All pieces are common, the whole is rare.
  ['ingonline', 'erstation', 'homesing', 'tioning', 'onsydn', 'anders', 'ination', 'ecarest'],
].flat();

const ABSENT = ['qwxj', 'xqzvk', 'zxqj-9', 'jqxzkvbwq', 'thisnameisnotthere', 'z'.repeat(30)];

const LENGTHS = [4, 6, 8, 10, 12, 15, 18, 22, 27, 30];

const VARIANTS = [
  { limit: 10 },
  { limit: 10, tld: 'com.au' },
  { limit: 10, tld: 'asn.au' },
  { limit: 10, minWayback: 10 },
  { limit: 10, minWayback: 1000 },
  { limit: 50 },
  { limit: 50, tld: 'id.au' },
];

/** @param labels of the dataset, the same ones at every size */
export function makeQueries(labels) {
  const present = LENGTHS.map((length) => labels.find((label) => label.length === length) ?? labels[length]);
  return queriesFor([undefined, ...COMMON, ...present, ...ABSENT]);
}

/** Each pattern in every mode and variant. */
export function queriesFor(patterns) {
  return patterns.flatMap((q) =>
    (q === undefined ? ['contains'] : ['contains', 'prefix', 'suffix']).flatMap((mode) =>
      VARIANTS.map((variant) => ({ q, mode, tld: undefined, minWayback: 0, ...variant })),
    ),
  );
}

export function describeQuery({ q = '', mode, tld = 'any', minWayback, limit }) {
  return `${mode} ${JSON.stringify(q)} in ${tld}, score from ${minWayback}, limit ${limit}`;
}
