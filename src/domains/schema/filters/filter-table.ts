import { fillIn, t } from '../../../texts/texts.js';
import { LABEL_LENGTH, type MatchMode, MAX_WAYBACK, type Suffix } from '../domain.js';
import type { DomainState } from '../states.js';
import { Moment } from '../page-cursor.js';
import { Day, KeywordMode, Score, SuffixList } from '../../name/name-parameters.js';
import { matchesReading, readingConditions, readWords } from './reading-filter.js';
import { isEmptyReading, type Reading } from '../../words/reading.js';
import { type CellRule, filterBy, filterOf, type Parameter, type TriState } from './filter.js';
import { FURTHER_FILTERS } from './further-filters.js';
import { likeGlob, matchesGlob } from './glob.js';
import {
  Characters,
  Glob,
  Has,
  Keywords,
  type Match,
  Matching,
  SearchText,
  Stale,
  State,
  Suffixes,
} from './rules.js';
import { SCORE_BANDS } from './score-bands.js';

// One entry a filter. All readers of filters use this table: search, facets, explained suggest, watches, the pages
// and their links to files, MCP and the documents. A new filter is a new entry, and values for the property test.
const MAX_EXCLUDED = 10;
const COMMONEST_SUFFIX = 'com.au';
/** Shorter keywords are in most names. */
const MIN_NARROW_KEYWORD = 3;
/** Lengths and scores that most names do not have. */
const MAX_NARROW_LENGTH = 8;
const MIN_NARROW_SCORE = 10;

/** How many digits a label may have. */
const DIGITS = { min: 0, max: LABEL_LENGTH.max } as const;
/** Share of the names with a digit that have another: a guess. */
const ANOTHER_DIGIT = 0.6;

const MODE_WORDS: Readonly<Record<string, string>> = t.filters.inMode;
const STATE_WORDS: Readonly<Record<string, string>> = t.filters.inState;
const { said } = t.filters;
const HAS_KEYWORD: Readonly<Record<MatchMode, (label: string, q: string) => boolean>> = {
  contains: (label, q) => label.includes(q),
  prefix: (label, q) => label.startsWith(q),
  suffix: (label, q) => label.endsWith(q),
};

export const FILTERS = {
  q: {
    ...filterBy<string>()('q', {
      isFree: (q) => q === '',
      sql: (q, view, bind, mode) => [view.hasKeyword(q, mode, bind)],
      matches: (q, { name }, mode) => hasKeyword(name, q, mode),
      cells: null,
      isCommon: true,
      place: 0,
      rules: SearchText(),
      name: t.filters.names.q,
      words: (q, mode) => fillIn(MODE_WORDS[mode] ?? t.filters.inMode.contains, { q }),
      isNarrow: (q) => q.length >= MIN_NARROW_KEYWORD,
    }),
    read: (given: Texts): string | undefined => (given.match === 'words' ? undefined : given.q),
  },

  // The keyword read as words; nothing without one.
  reading: filterOf<Reading, { match: Parameter<Match> & Initial<Match> }>({
    isFree: isEmptyReading,
    sql: readingConditions,
    needs: 'words',
    matches: matchesReading,
    cells: null,
    text: ({ typed }) => typed,
    asked: {
      match: {
        rules: Matching(),
        initial: 'text',
        name: t.filters.names.match,
        words: () => '',
        isWatched: true,
        isOnPage: true,
      },
    },
    read: ({ match, ...given }: Texts) => (match === 'words' && given.q ? readWords(given.q) : undefined),
    doors: ['search', 'suggest'],
  }),

  // How the keyword is meant; nothing without one.
  mode: filterBy<MatchMode>()('mode', {
    isFree: () => true,
    sql: () => [],
    matches: () => true,
    cells: { isExact: () => true, sql: () => [], by: 'tld', share: () => 1 },
    isCommon: true,
    place: 1,
    rules: KeywordMode(),
    initial: 'contains',
    name: t.filters.names.mode,
    words: () => '',
    field: { label: t.filters.mode, kind: 'mode' },
  }),

  suffixes: filterBy<Suffix[]>()('tld', {
    isFree: (suffixes) => suffixes.length === 0,
    sql: (suffixes, { tld }, bind) => (suffixes.length === 0 ? [] : [`${tld} = ANY (${bind(suffixes)})`]),
    enters: ['wayback', 'shape'],
    matches: (suffixes, { tld }) => suffixes.length === 0 || suffixes.includes(tld),
    cells: {
      isExact: () => true,
      sql: (suffixes, bind) => (suffixes.length === 0 ? [] : [`tld = ANY (${bind(suffixes)})`]),
      by: 'tld',
      share: (suffixes, tld) => Number(suffixes.length === 0 || suffixes.includes(tld)),
    },
    text: (suffixes) => suffixes.toSorted(),
    isCommon: true,
    orElse: [],
    place: 2,
    rules: SuffixList(),
    name: t.filters.names.tld,
    words: (tlds) =>
      tlds
        .split(',')
        .map((tld) => `.${tld}`)
        .join(t.filters.or),
    isNarrow: (tlds) => !tlds.includes(COMMONEST_SUFFIX),
  }),

  minLength: filterBy<number>()('min_length', {
    isFree: (min) => min <= 1,
    sql: (min, { length }, bind) => [`${length} >= ${bind(min)}`],
    enters: ['length', 'shape'],
    matches: (min, { name }) => name.length >= min,
    having: (text, min = 0) => Math.max(min, text.length),
    cells: {
      isExact: () => true,
      sql: (min, bind) => [`length >= ${bind(min)}`],
      by: 'length',
      share: (min, length) => Number(length >= min),
    },
    doors: ['search', 'suggest'],
    place: 5,
    rules: Characters('Fewest characters of the label.', 4),
    upTo: 'max_length',
    name: t.filters.names.min_length,
    words: (min) => fillIn(said.minLength, { min }),
    field: { label: t.filters.min_length, kind: 'number', ...LABEL_LENGTH },
  }),

  maxLength: filterBy<number>()('max_length', {
    isFree: (max) => max >= LABEL_LENGTH.max,
    sql: (max, { length }, bind) => [`${length} <= ${bind(max)}`],
    enters: ['length', 'shape'],
    matches: (max, { name }) => name.length <= max,
    having: (text, max) => (max !== undefined && text.length > max ? null : max),
    cells: {
      isExact: () => true,
      sql: (max, bind) => [`length <= ${bind(max)}`],
      by: 'length',
      share: (max, length) => Number(length <= max),
    },
    doors: ['search', 'suggest'],
    place: 6,
    rules: Characters('Most characters of the label.', 12),
    name: t.filters.names.max_length,
    words: (max) => fillIn(said.maxLength, { max }),
    field: { label: t.filters.max_length, kind: 'number', ...LABEL_LENGTH },
    isNarrow: (max) => max <= MAX_NARROW_LENGTH,
  }),

  hyphens: filterBy<TriState>()('hyphens', {
    isFree: (wanted) => wanted === 'allow',
    sql: (wanted, { hasHyphens }) => (wanted === 'allow' ? [] : [hasHyphens(wanted === 'only')]),
    enters: ['shape'],
    matches: (wanted, { name }) => agrees(wanted, name.includes('-')),
    having: (text, wanted) => proven(text.includes('-'), wanted),
    cells: hasRule('hyphens'),
    place: 7,
    rules: Has('hyphens'),
    initial: 'allow',
    name: t.filters.names.hyphens,
    words: (wanted) => (wanted === 'only' ? said.hyphen : said.noHyphens),
    field: { label: t.filters.hyphens, kind: 'tristate' },
    isNarrow: (wanted) => wanted === 'only',
  }),

  numbers: filterBy<TriState>()('numbers', {
    isFree: (wanted) => wanted === 'allow',
    sql: (wanted, { hasDigits }) => (wanted === 'allow' ? [] : [hasDigits(wanted === 'only')]),
    enters: ['shape'],
    matches: (wanted, { name }) => agrees(wanted, /\d/.test(name)),
    having: (text, wanted) => proven(digitsIn(text) > 0, wanted),
    cells: hasRule('numbers'),
    place: 8,
    rules: Has('digits'),
    initial: 'allow',
    name: t.filters.names.numbers,
    words: (wanted) => (wanted === 'only' ? said.digit : said.noDigits),
    field: { label: t.filters.numbers, kind: 'tristate' },
    isNarrow: (wanted) => wanted === 'only',
  }),

  minDigits: filterBy<number>()('min_digits', {
    isFree: (min) => min <= 0,
    sql: (min, { digits }, bind) => [`${digits} >= ${bind(min)}`],
    enters: ['shape'],
    matches: (min, { name }) => digitsIn(name) >= min,
    cells: {
      isExact: (min) => min === 1,
      sql: () => ['numbers'],
      by: 'numbers',
      share: (min, numbers) => (numbers ? ANOTHER_DIGIT ** (min - 1) : 0),
    },
    doors: ['search', 'suggest'],
    rules: Characters('Fewest digits in the label.', 1, DIGITS),
    upTo: 'max_digits',
    name: t.filters.names.min_digits,
    words: (min) => fillIn(said.minDigits, { min }),
    field: { label: t.filters.min_digits, kind: 'number', ...DIGITS },
    isNarrow: (min) => min >= 1,
  }),

  maxDigits: filterBy<number>()('max_digits', {
    isFree: (max) => max >= DIGITS.max,
    sql: (max, { digits }, bind) => [`${digits} <= ${bind(max)}`],
    enters: ['shape'],
    matches: (max, { name }) => digitsIn(name) <= max,
    having: (text, max) => (max !== undefined && digitsIn(text) > max ? null : max),
    cells: {
      isExact: (max) => max === 0,
      sql: () => ['NOT numbers'],
      by: 'numbers',
      share: (max, numbers) => (numbers ? 1 - ANOTHER_DIGIT ** max : 1),
    },
    doors: ['search', 'suggest'],
    rules: Characters('Most digits in the label.', 4, DIGITS),
    name: t.filters.names.max_digits,
    words: (max) => fillIn(said.maxDigits, { max }),
    field: { label: t.filters.max_digits, kind: 'number', ...DIGITS },
  }),

  minWayback: filterBy<number>()('min_wayback', {
    isFree: (min) => min <= 0,
    // Also where it is 0: one text for all scores is one prepared plan.
    sql: (min, view, bind) => (min <= 0 && !view.asksEveryScore ? [] : [`${view.wayback} >= ${bind(min)}`]),
    enters: ['wayback', 'length', 'first_seen'],
    matches: (min, { wayback }) => wayback >= min,
    cells: {
      isExact: (min) => SCORE_BANDS.some(({ from }) => from === min),
      sql: (min, bind) => [`score >= ${bind(min)}`],
      by: 'score',
      share: (min, score) => 1 - shareBelow(min, score),
    },
    isCommon: true,
    doors: ['search', 'suggest'],
    orElse: 0,
    place: 3,
    rules: Score('Smallest archive score.', { default: 0, example: 10 }),
    initial: 0,
    upTo: 'max_wayback',
    name: t.filters.names.min_wayback,
    words: (min) => fillIn(said.minScore, { min }),
    field: { label: t.filters.min_wayback, kind: 'number', min: 0 },
    isNarrow: (min) => min >= MIN_NARROW_SCORE,
  }),

  maxWayback: filterBy<number>()('max_wayback', {
    isFree: (max) => max >= MAX_WAYBACK,
    sql: (max, { wayback }, bind) => [`${wayback} <= ${bind(max)}`],
    enters: ['wayback', 'length', 'first_seen'],
    matches: (max, { wayback }) => wayback <= max,
    cells: {
      isExact: (max) => SCORE_BANDS.some(({ to }) => to === max),
      sql: (max, bind) => [`score <= ${bind(max)}`],
      by: 'score',
      share: (max, score, { minWayback }) => {
        const [below, upTo] = [shareBelow(minWayback, score), shareBelow(max + 1, score)];
        if (below === 1 || upTo === 0 || upTo === 1) return upTo;
        return Math.max(LEAST_PART, (upTo - below) / (1 - below));
      },
    },
    place: 4,
    rules: Score('Largest archive score.', { example: 5_000 }),
    name: t.filters.names.max_wayback,
    words: (max) => fillIn(said.maxScore, { max }),
    field: { label: t.filters.max_wayback, kind: 'number', min: 0 },
  }),

  firstSeenFrom: filterBy<string>()('first_seen_from', {
    isFree: () => false,
    sql: (day, { firstSeen }, bind) => [`${firstSeen} >= ${bind(day)}::date`],
    needs: 'firstSeen',
    enters: ['first_seen', 'shape'],
    matches: (day, { firstSeen }) => firstSeen !== null && firstSeen >= day,
    cells: {
      isExact: (day) => day.endsWith('-01'),
      sql: (day, bind) => [`first_month >= ${bind(day)}::date`],
      by: 'score',
      share: () => 1,
    },
    place: 9,
    rules: Day(
      'First seen on this day or later. Names whose first day is not known are left out.',
      '2026-11-01',
    ),
    upTo: 'first_seen_to',
    name: t.filters.names.first_seen_from,
    words: (day) => fillIn(said.from, { day }),
    field: { label: t.filters.first_seen_from, kind: 'date' },
  }),

  firstSeenTo: filterBy<string>()('first_seen_to', {
    isFree: () => false,
    sql: (day, { firstSeen }, bind) => [`${firstSeen} <= ${bind(day)}::date`],
    needs: 'firstSeen',
    enters: ['first_seen', 'shape'],
    matches: (day, { firstSeen }) => firstSeen !== null && firstSeen <= day,
    cells: {
      isExact: isLastOfMonth,
      sql: (day, bind) => [`first_month <= ${bind(day)}::date`],
      by: 'score',
      share: () => 1,
    },
    place: 10,
    rules: Day(
      'First seen on this day or earlier. Names whose first day is not known are left out.',
      '2026-11-20',
    ),
    name: t.filters.names.first_seen_to,
    words: (day) => fillIn(said.to, { day }),
    field: { label: t.filters.first_seen_to, kind: 'date' },
  }),

  // Which indexes are asked, and no condition: `populations` in conditions.ts.
  states: filterOf<
    readonly DomainState[],
    { state: Parameter<DomainState> & Initial<DomainState>; stale: Parameter<Stale> & Initial<Stale> }
  >({
    isFree: isOfferOnly,
    sql: () => [],
    matches: null,
    cells: null,
    place: 11,
    asked: {
      state: {
        rules: State(),
        initial: 'available',
        name: t.filters.names.state,
        words: (state) => STATE_WORDS[state] ?? state,
        isWatched: true,
        isOnPage: false,
      },
      stale: {
        rules: Stale(),
        initial: 'exclude',
        name: t.filters.names.stale,
        words: () => said.stale,
        isWatched: false,
        isOnPage: true,
      },
    },
    read: ({ state, stale }) =>
      state === 'available' && stale === 'include' ? ['available', 'stale'] : [state],
    doors: ['search'],
  }),

  confirmedSince: filterBy<string>()('confirmed_since', {
    isFree: () => false,
    sql: (time, { checkedAt }, bind) => [`${checkedAt} >= ${bind(time)}::timestamptz`],
    needs: 'checkedAt',
    matches: (time, { checkedMs }) => (checkedMs ?? NaN) >= Date.parse(time),
    cells: null,
    place: 12,
    rules: Moment(
      'Only names whose state somebody confirmed at this time or later (`checked_at`; ISO 8601 with an offset).',
      '2026-11-20T00:00:00Z',
    ),
    name: t.filters.names.confirmed_since,
    words: (time) => fillIn(said.confirmed, { time }),
    isWatched: false,
    isOnPage: false,
  }),

  glob: filterBy<string>()('glob', {
    isFree: (glob) => /^\*+$/.test(glob),
    sql: (glob, { label }, bind) => [`${label} LIKE ${bind(likeGlob(glob))}`],
    matches: (glob, { name }) => matchesGlob(glob, name),
    cells: null,
    doors: ['suggest'],
    rules: Glob(),
    name: t.filters.names.glob,
    words: (glob) => fillIn(said.glob, { glob }),
  }),

  without: filterBy<string[]>()('exclude', {
    isFree: (texts) => texts.length === 0,
    // One text for however many there are, as it is prepared.
    sql: (texts, { label }, bind) =>
      texts.length === 0 ? [] : [`${label} NOT LIKE ALL (${bind(texts.map((text) => `%${text}%`))}::text[])`],
    matches: (texts, { name }) => !texts.some((text) => name.includes(text)),
    cells: null,
    text: (texts) => texts.toSorted(),
    doors: ['suggest'],
    rules: Keywords('Names with none of these anywhere in the label.', MAX_EXCLUDED, ['shop']),
    name: t.filters.names.exclude,
    words: (texts) => fillIn(said.without, { texts }),
  }),

  ...FURTHER_FILTERS,

  // Last, as it reads the primary key for each name.
  offeredUnder: filterBy<Suffix[]>()('available_in', {
    isFree: (suffixes) => suffixes.length === 0,
    // The column has another name inside, or it would hide the one outside.
    sql: (suffixes, { label }, bind) =>
      suffixes.length === 0
        ? []
        : [
            `(SELECT count(*)
              FROM (SELECT domain AS other FROM domain AS offered WHERE available AND NOT hidden) AS others
               WHERE other = ANY
                 (ARRAY(SELECT ${label} || suffix
                 FROM unnest(${bind(suffixes.map((suffix) => `.${suffix}`))}::text[]) AS suffix)))
             = ${bind(suffixes.length)}`,
          ],
    matches: null,
    cells: null,
    text: (suffixes) => suffixes.toSorted(),
    doors: ['suggest'],
    rules: Suffixes(
      'Only labels that are on offer under every one of these, as far as the dataset knows. Without ' +
        'tld, names of these suffixes.',
      ['com.au', 'au'],
    ),
    name: t.filters.names.available_in,
    words: (suffixes) => fillIn(said.under, { suffixes }),
  }),
};

type Texts = { readonly match?: string; readonly q?: string };
type Stale = 'exclude' | 'include';
type Initial<Value> = { readonly initial: Value };

export function hasKeyword(label: string, q: string, mode: MatchMode): boolean {
  return HAS_KEYWORD[mode](label, q);
}

/** Whether it is about the names on offer and no others. */
function isOfferOnly(states: readonly DomainState[]): boolean {
  return states.length > 0 && states.every((state) => state === 'available');
}

function agrees(wanted: TriState, isThere: boolean): boolean {
  return wanted === 'allow' || isThere === (wanted === 'only');
}

/** The rule on something that a text in the label has already. */
function proven(isThere: boolean, wanted: TriState | undefined): TriState | null | undefined {
  if (!isThere) return wanted;
  return wanted === 'exclude' ? null : 'only';
}

function digitsIn(label: string): number {
  return label.replaceAll(/\D/g, '').length;
}

function hasRule(column: 'hyphens' | 'numbers'): CellRule<TriState> {
  return {
    isExact: () => true,
    sql: (wanted) => (wanted === 'allow' ? [] : [wanted === 'only' ? column : `NOT ${column}`]),
    by: column,
    share: (wanted, isThere) => Number(agrees(wanted, isThere)),
  };
}

const DAY_MS = 86_400_000;

function isLastOfMonth(day: string): boolean {
  return new Date(Date.parse(day) + DAY_MS).getUTCDate() === 1;
}

// Scores fall off steeply: of 10 to 99 as many lie below 32 as above, and more. No part of a band is taken for nothing.
const LEAST_PART = 0.01;

/** Share of the names of a band whose score is lower. @param from lower limit of the band */
function shareBelow(score: number, from: number): number {
  const { to } = SCORE_BANDS.find((band) => band.from === from) ?? { to: null };
  if (score <= from) return 0;
  if (to !== null && score > to) return 1;
  const part = Math.log(score / from) / Math.log(((to ?? from * 10 - 1) + 1) / from);
  return Math.min(1 - LEAST_PART, Math.max(LEAST_PART, part));
}
