import type { Database } from '../../src/db/database.js';
import { MATCH_MODES, SUFFIXES, type Suffix } from '../../src/domains/schema/domain.js';
import { recountNames } from '../../src/domains/search/cube/cube.repository.js';
import {
  type DiscoveryQuery,
  SORT_KEYS,
  type SortOrder,
  type SortPosition,
} from '../../src/domains/search/discovery-query.js';
import { TRI_STATES } from '../../src/domains/schema/filters/filter.js';
import type { NameFilter } from '../../src/domains/schema/filters/filters.js';
import { SCORE_TIERS } from '../../src/domains/schema/filters/score-bands.js';
import { cutLabel } from '../../src/domains/words/label-words.js';
import { lexicon } from '../../src/domains/words/lexicon.js';
import { readWords } from '../../src/domains/schema/filters/reading-filter.js';
import type { Reading, Term } from '../../src/domains/words/reading.js';
import { cutNames } from './words.js';
import fc from 'fast-check';

/** What search must answer, by one plain statement that knows of no index and shares no code with what it judges. */
const PASSING = `
  SELECT domain.domain, name, tld, wayback, length(name) AS length, to_char(first_seen, 'YYYY-MM-DD') AS "firstSeen",
         (extract(epoch FROM checked_at) * 1000)::float8 AS "checkedMs",
         words, (date_part('year', archive_last_capture) - date_part('year', archive_first_capture) + 1)::int AS "archiveYears",
         json_build_object('firstCapture', archive_first_capture, 'lastCapture', archive_last_capture) AS archive
    FROM domain CROSS JOIN (SELECT $1::jsonb AS asked) AS question
   WHERE NOT hidden
     AND state IN (SELECT jsonb_array_elements_text(coalesce(asked -> 'states', '["available"]')))
     AND CASE asked ->> 'mode' WHEN 'prefix' THEN left(name, length(asked ->> 'q')) = asked ->> 'q'
                               WHEN 'suffix' THEN right(name, length(asked ->> 'q')) = asked ->> 'q'
                               ELSE strpos(name, asked ->> 'q') > 0 END IS NOT false
     AND (jsonb_array_length(asked -> 'suffixes') = 0 OR asked -> 'suffixes' ? tld)
     AND wayback BETWEEN coalesce((asked ->> 'minWayback')::int, 0)
                     AND coalesce((asked ->> 'maxWayback')::int, 2147483647)
     AND length(name) BETWEEN coalesce((asked ->> 'minLength')::int, 0) AND coalesce((asked ->> 'maxLength')::int, 99)
     AND CASE asked ->> 'hyphens' WHEN 'only' THEN name ~ '-' WHEN 'exclude' THEN name !~ '-' ELSE true END
     AND CASE asked ->> 'numbers' WHEN 'only' THEN name ~ '\\d' WHEN 'exclude' THEN name !~ '\\d' ELSE true END
     AND length(regexp_replace(name, '\\D', '', 'g')) BETWEEN coalesce((asked ->> 'minDigits')::int, 0) AND coalesce((asked ->> 'maxDigits')::int, 99)
     AND (asked ->> 'firstSeenFrom' IS NULL OR coalesce(first_seen >= (asked ->> 'firstSeenFrom')::date, false))
     AND (asked ->> 'firstSeenTo' IS NULL OR coalesce(first_seen <= (asked ->> 'firstSeenTo')::date, false))
     AND (asked ->> 'confirmedSince' IS NULL
          OR coalesce(checked_at >= (asked ->> 'confirmedSince')::timestamptz, false))
     AND (asked ->> 'glob' IS NULL
          OR name ~ ('^' || replace(replace(asked ->> 'glob', '*', '.*'), '?', '.') || '$'))
     AND NOT EXISTS (SELECT FROM jsonb_array_elements_text(coalesce(asked -> 'without', '[]')) AS text
                      WHERE strpos(name, text) > 0)
     AND NOT EXISTS (SELECT FROM jsonb_array_elements_text(coalesce(asked -> 'offeredUnder', '[]')) AS suffix
                      WHERE NOT EXISTS (SELECT FROM domain AS other
                                         WHERE other.name = domain.name AND other.tld = suffix
                                           AND other.available AND NOT other.hidden))
     AND (asked ->> 'pattern' IS NULL
          OR translate(name, 'bcdfghjklmnpqrstvwxyzaeiou0123456789', repeat('C', 21) || 'VVVVV' || repeat('N', 10))
             ~ ('^' || replace(asked ->> 'pattern', 'L', '[CV]') || '$'))
     AND (asked ->> 'startsWithDigit' IS NULL OR (name ~ '^\\d') = (asked ->> 'startsWithDigit')::boolean)
     AND (asked ->> 'minYears' IS NULL
          OR coalesce(date_part('year', archive_last_capture) - date_part('year', archive_first_capture) >= (asked ->> 'minYears')::int - 1, false))
     AND (asked ->> 'maxYears' IS NULL
          OR coalesce(date_part('year', archive_last_capture) - date_part('year', archive_first_capture) < (asked ->> 'maxYears')::int, false))
     AND (asked ->> 'formerTitle' IS NULL
          OR EXISTS (SELECT FROM former_site WHERE former_site.domain = domain.domain AND lower(asked ->> 'formerTitle') = ANY (title_words)))
     AND (asked -> 'labels' IS NULL OR asked -> 'labels' ? name)`;

/** A name that passes, with its place in an order of all names. */
export interface PlacedName extends SortPosition {
  readonly name: string;
  readonly tld: Suffix;
  readonly place: number;
  readonly checkedMs: number | null;
  readonly words: readonly number[] | null;
  readonly archiveYears: number | null;
  readonly archive: { readonly firstCapture: string | null; readonly lastCapture: string | null };
}

/** Answers of a database whose names stay as they were filled in: one question is judged in many ways. */
const known = new WeakMap<Database, Map<string, Promise<PlacedName[]>>>();

/** Every name that passes, in the order asked for. */
export async function passingNames(
  database: Database,
  query: NameFilter & { sort?: SortOrder },
): Promise<PlacedName[]> {
  const { sort = { key: 'wayback', direction: 'desc' }, ...filter } = query;
  const text = JSON.stringify([sort, { ...filter, limit: undefined, offset: undefined, after: undefined }]);
  const answers = known.get(database) ?? new Map<string, Promise<PlacedName[]>>();
  known.set(database, answers);
  const answer = answers.get(text) ?? askForPassing(database, filter, sort);
  answers.set(text, answer);
  return answer;
}

async function askForPassing(database: Database, filter: NameFilter, sort: SortOrder): Promise<PlacedName[]> {
  return database.query<PlacedName & Record<string, unknown>>(
    `WITH passing AS (${PASSING}),
          placed AS (SELECT domain, row_number() OVER (ORDER BY ${ORDERS[sort.key][sort.direction]})::int AS place
                       FROM domain)
     SELECT passing.*, place FROM passing JOIN placed USING (domain) ORDER BY place`,
    [JSON.stringify({ ...filter, reading: undefined, labels: await labelsOf(database, filter) })],
  );
}

/** The labels that pass what is asked of their words, by plain comparison of words and texts. */
async function labelsOf(database: Database, filter: NameFilter): Promise<string[] | undefined> {
  const { reading, dictionary, minWords, maxWords } = filter;
  if ([reading, dictionary, minWords, maxWords].every((value) => value === undefined)) return undefined;
  const rows = await database.query<{ name: string }>('SELECT DISTINCT name FROM domain');
  return rows
    .map(({ name }) => name)
    .filter((name) => (!reading || passesReading(name, reading)) && passesWords(name, filter));
}

function passesWords(label: string, { dictionary, minWords = 0, maxWords = 99 }: NameFilter): boolean {
  const { words, hasUnknown } = cutLabel(label, lexicon());
  const isOfWords = !hasUnknown && words.length > 0 && words.join('') === label.replaceAll('-', '');
  return (
    (dictionary === undefined || dictionary === isOfWords) &&
    words.length >= minWords &&
    words.length <= maxWords
  );
}

function passesReading(label: string, { terms, phrases, globs, without }: Reading): boolean {
  const { words } = cutLabel(label, lexicon());
  const has = (term: Term) =>
    term.words.length > 0
      ? words.some((word) => term.words.includes(word))
      : term.as.some((text) => label.includes(text));
  const isLike = (glob: string) =>
    new RegExp(`^${glob.replaceAll('*', '.*').replaceAll('?', '.')}$`).test(label);
  const follows = (phrase: readonly string[]) =>
    label.includes(phrase.join('')) || label.includes(phrase.join('-'));
  return terms.every(has) && phrases.every(follows) && globs.every(isLike) && !without.some(has);
}

/** The domains of one page. @param after a name of the dataset, whether it passes or not */
export async function pageOf(
  database: Database,
  { after, offset = 0, limit, ...query }: DiscoveryQuery,
): Promise<string[]> {
  const all = await passingNames(database, query);
  if (!after) return all.slice(offset, offset + limit).map(({ domain }) => domain);
  const everything: NameFilter = { mode: 'contains', suffixes: [], minWayback: 0, states: ALL_STATES };
  const places = await passingNames(database, { ...everything, sort: query.sort });
  const from = places.find(({ domain }) => domain === after.domain)?.place ?? NaN;
  const behind = all.filter(({ place }) => place > from);
  return behind.slice(offset, offset + limit).map(({ domain }) => domain);
}

const ALL_STATES = [
  'unconfirmed',
  'listed',
  'delisted',
  'purged',
  'available',
  'stale',
  'taken',
  'rescued',
] as const;

const ORDERS = {
  wayback: { desc: 'wayback DESC, domain', asc: 'wayback, domain DESC' },
  first_seen: {
    desc: 'first_seen DESC NULLS LAST, wayback DESC, domain',
    asc: 'first_seen NULLS LAST, wayback, domain DESC',
  },
  length: { asc: 'length(name), wayback DESC, domain', desc: 'length(name) DESC, wayback, domain DESC' },
  domain: { asc: 'domain', desc: 'domain DESC' },
};

/** Names of few letters, so that patterns match; suffixes that are also labels; scores near the limits of tiers. */
export async function fillWithNames(database: Database, count: number, seed: number): Promise<void> {
  const rows = fc.sample(anyName, { numRuns: count, seed });
  const distinct = new Map(rows.map((row) => [row.domain, row]));
  known.delete(database);
  await database.query('TRUNCATE domain, domain_cube');
  await database.query(
    `INSERT INTO domain (domain, name, tld, wayback, first_seen, state, available, hidden, confirmed_by, checked_at,
                         dropped_at, purge_at, archive_first_capture, archive_last_capture)
     SELECT domain, split_part(domain, '.', 1), substr(domain, strpos(domain, '.') + 1), wayback, first_seen::date,
            state,
            state = 'available', hidden, 'vouched:test', checked_at::timestamptz, now(), now(),
            first_capture::date, CASE WHEN first_capture IS NOT NULL THEN last_capture::date END
       FROM jsonb_to_recordset($1::jsonb)
         AS seed (domain text, wayback int, first_seen text, state text, hidden boolean, checked_at text,
                   first_capture text, last_capture text)`,
    [JSON.stringify([...distinct.values()])],
  );
  await database.transaction(recountNames);
  await cutNames(database);
  await database.query(
    `INSERT INTO former_site (domain, state, next_at, title_words)
     SELECT domain, 'read', now(), CASE WHEN wayback % 2 = 0 THEN '{coffee,shop}'::text[] ELSE '{hobart}' END
       FROM domain WHERE domain < 'c' ON CONFLICT (domain) DO UPDATE SET title_words = excluded.title_words`,
  );
  await database.query(
    `UPDATE dataset SET refreshed = now(),
            available_records = (SELECT count(*) FROM domain WHERE available AND NOT hidden)`,
  );
  await database.query('ANALYZE domain');
}

const PIECES = ['a', 'b', '1', '-', 'x', 'com', 'au', 'id', 'ab', '24', 'coffee'];
const LIMITS = SCORE_TIERS.flatMap(({ from }) => [from, from + 1, Math.max(0, from - 1)]);
const anyScore = fc.constantFrom(...LIMITS);
const anyLabel = fc
  .array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 4 })
  .map((pieces) => pieces.join(''))
  .filter((label) => label.length > 1 && !/^-|-$|^..--/.test(label));
export const DAYS = [
  '2026-09-30',
  '2026-10-01',
  '2026-10-02',
  '2026-10-31',
  '2026-11-01',
  '2026-11-02',
  '2026-11-30',
];
const TIMES = ['2026-11-01T00:00:00Z', '2026-11-02T00:00:00Z', '2026-11-03T00:00:00Z'];
const anyName = fc.record({
  domain: fc.tuple(anyLabel, fc.constantFrom(...SUFFIXES)).map(([name, tld]) => `${name}.${tld}`),
  wayback: anyScore,
  first_seen: fc.option(fc.constantFrom(...DAYS), { freq: 6 }),
  state: fc.oneof(
    { weight: 8, arbitrary: fc.constant('available') },
    { weight: 3, arbitrary: fc.constantFrom(...ALL_STATES) },
  ),
  hidden: fc.integer({ min: 0, max: 9 }).map((dice) => dice === 0),
  checked_at: fc.constantFrom(...TIMES),
  first_capture: fc.option(fc.constantFrom('2001-12-31', '2009-06-01'), { freq: 3 }),
  last_capture: fc.constantFrom('2009-06-01', '2012-01-01', '2020-02-29'),
});

/** Values of every filter that let some of those names through and others not, and values that are as good as none. */
export const FILTER_VALUES: {
  readonly [Key in Exclude<keyof NameFilter, 'mode'>]-?: fc.Arbitrary<Partial<NameFilter>>;
} = {
  q: fc.record({
    q: fc.oneof(
      anyLabel,
      fc.constantFrom('a', '-', '1', 'x', 'z', 'om', 'ab', '24', 'com', 'au-', '-a', 'coffee', 'offe'),
    ),
    mode: fc.constantFrom(...MATCH_MODES),
  }),
  suffixes: fc
    .uniqueArray(fc.constantFrom(...SUFFIXES), { minLength: 1, maxLength: 3 })
    .map((suffixes) => ({ suffixes })),
  minWayback: anyScore.map((minWayback) => ({ minWayback })),
  maxWayback: anyScore.map((maxWayback) => ({ maxWayback })),
  minLength: fc.integer({ min: 2, max: 9 }).map((minLength) => ({ minLength })),
  maxLength: fc.integer({ min: 2, max: 9 }).map((maxLength) => ({ maxLength })),
  hyphens: fc.constantFrom(...TRI_STATES).map((hyphens) => ({ hyphens })),
  numbers: fc.constantFrom(...TRI_STATES).map((numbers) => ({ numbers })),
  minDigits: fc.integer({ min: 0, max: 3 }).map((minDigits) => ({ minDigits })),
  maxDigits: fc.integer({ min: 0, max: 3 }).map((maxDigits) => ({ maxDigits })),
  firstSeenFrom: fc.constantFrom(...DAYS).map((firstSeenFrom) => ({ firstSeenFrom })),
  firstSeenTo: fc.constantFrom(...DAYS).map((firstSeenTo) => ({ firstSeenTo })),
  confirmedSince: fc.constantFrom(...TIMES.slice(1)).map((confirmedSince) => ({ confirmedSince })),
  states: fc
    .uniqueArray(fc.constantFrom(...ALL_STATES), { minLength: 1, maxLength: 2 })
    .map((states) => ({ states })),
  glob: fc.constantFrom('*', '*a*', 'a*', '*1', '?b*', '*ab*x*', 'coffee*', '??').map((glob) => ({ glob })),
  without: fc
    .uniqueArray(fc.constantFrom('a', '-', 'com', '1', 'zz'), { minLength: 1, maxLength: 2 })
    .map((without) => ({ without })),
  reading: fc
    .constantFrom(
      ...['coffee', 'cofee', '24', 'x ab', 'id coffee', 'coffee -24', '"coffee ab"', '-id', 'coff*', '?b*'],
    )
    .map((text) => ({ reading: readWords(text) })),
  pattern: fc.constantFrom('CV', 'VC', 'LL', 'NV', 'LN-V', 'VCN', 'CVCCVV').map((pattern) => ({ pattern })),
  startsWithDigit: fc.boolean().map((startsWithDigit) => ({ startsWithDigit })),
  dictionary: fc.boolean().map((dictionary) => ({ dictionary })),
  minWords: fc.integer({ min: 1, max: 3 }).map((minWords) => ({ minWords })),
  maxWords: fc.integer({ min: 1, max: 3 }).map((maxWords) => ({ maxWords })),
  minYears: fc.constantFrom(1, 2, 4, 12).map((minYears) => ({ minYears })),
  maxYears: fc.constantFrom(1, 4, 11, 20).map((maxYears) => ({ maxYears })),
  formerTitle: fc.constantFrom('coffee', 'hobart', 'Nowhere').map((formerTitle) => ({ formerTitle })),
  offeredUnder: fc
    .uniqueArray(fc.constantFrom(...SUFFIXES), { minLength: 1, maxLength: 2 })
    .map((offeredUnder) => ({ offeredUnder })),
};

export const EVERYTHING: NameFilter = { mode: 'contains', suffixes: [], minWayback: 0 };

/** Each filter alone, as often as said. */
export const aloneFilters = (times: number, seed: number): NameFilter[] =>
  Object.values(FILTER_VALUES).flatMap((values) =>
    fc.sample(values, { numRuns: times, seed }).map((filter) => ({ ...EVERYTHING, ...filter })),
  );

/** Any filters together. */
export const anyFilter: fc.Arbitrary<NameFilter> = fc
  .subarray(Object.values(FILTER_VALUES), { maxLength: 6 })
  .chain((values) => fc.tuple(...values))
  .map((filters) => Object.assign({}, EVERYTHING, ...filters) as NameFilter)
  // Crossed limits are refused at the door.
  .filter(
    ({
      minWayback,
      maxWayback = Infinity,
      minLength = 0,
      maxLength = 99,
      minDigits = 0,
      maxDigits = 99,
      minWords = 0,
      maxWords = 99,
      minYears = 0,
      maxYears = 99,
      firstSeenFrom = '',
      firstSeenTo = '9',
    }) =>
      minWayback <= maxWayback &&
      minLength <= maxLength &&
      minDigits <= maxDigits &&
      minWords <= maxWords &&
      minYears <= maxYears &&
      firstSeenFrom <= firstSeenTo,
  );

export const anySort: fc.Arbitrary<SortOrder> = fc.record({
  key: fc.constantFrom(...SORT_KEYS),
  direction: fc.constantFrom('asc', 'desc'),
});
