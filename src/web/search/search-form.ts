import { SEARCH_PARAMETERS } from '../../domains/schema/filters/parameters.js';
import { judgeDomainName } from '../../domains/name/domain-name.js';
import { readWords } from '../../domains/words/reading-filter.js';
import { MAX_QUESTION_LENGTH, type Reading } from '../../domains/words/reading.js';
import { validationPipe } from '../../errors/validation.pipe.js';
import { SearchQuery } from '../../api/search/search.dto.js';
import type { Facets } from '../../api/facets/facets.module.js';
import { grouped, scoresInWords } from '../layout/words.js';

export const PAGE_PARAMETERS = SEARCH_PARAMETERS.filter(({ isOnPage }) => isOnPage);

/** Fields of the form; the page ignores other parameters. */
const FIELDS: readonly string[] = [...PAGE_PARAMETERS.map(({ parameter }) => parameter), 'sort'];
export type Field = keyof SearchQuery;

/** The completed form, without fields that are empty or at their default. */
export type Filled = Readonly<Partial<Record<Field, string>>>;

const UNCHANGED: Readonly<Record<string, unknown>> = {
  ...Object.fromEntries(PAGE_PARAMETERS.map(({ parameter, initial }) => [parameter, initial])),
  sort: 'wayback',
  // What people type is words; programs say so.
  match: 'words',
};

export interface SearchForm {
  readonly filled: Filled;
  readonly cursor: string | undefined;
  /** The text of the search box. */
  readonly typed: string;
  /** The name, where a whole name was typed. */
  readonly named: string | null;
}

/** @param query as Express read it from the address */
export function readForm(query: Readonly<Record<string, unknown>>): SearchForm {
  const given = FIELDS.map((field) => [field, textOf(query[field])] as const);
  const filled: Filled = Object.fromEntries(
    given.filter(([field, text]) => text !== '' && text !== String(UNCHANGED[field])),
  );
  const typed = (filled.q ?? '').slice(0, MAX_QUESTION_LENGTH);
  const named = nameIn(typed);
  const text = named ? named.slice(0, named.indexOf('.')) : typed.toLowerCase().replace(/\s+/g, '');
  const cursor = textOf(query.cursor);
  const q = isByText(filled) ? text : typed;
  const asked = { ...filled, ...(filled.q !== undefined && { q }) };
  return { filled: asked, cursor: cursor || undefined, typed, named };
}

/** Whether the text is looked for as it is: where it stands is asked of no words. */
function isByText({ match, mode }: Filled): boolean {
  return match === 'text' || mode !== undefined;
}

/** How the words of the form are read; null: there are none. */
export function readingOf(filled: Filled): Reading | null {
  return filled.q === undefined || isByText(filled) ? null : readWords(filled.q);
}

/** The form as the API takes it, which reads text where nothing else is said. */
export function askedOf(filled: Filled): Filled {
  const isByWords = filled.q !== undefined && !isByText(filled);
  const rest = Object.entries(filled).filter(([field]) => field !== 'match');
  return Object.fromEntries(isByWords ? [...rest, ['match', 'words']] : rest);
}

const pipe = validationPipe();

/** The search as the API takes it. @throws {ApiError} invalid_parameter */
export async function queryOf({ filled, cursor }: SearchForm): Promise<SearchQuery> {
  const given = { ...askedOf(filled), ...(cursor !== undefined && { cursor }) };
  return (await pipe.transform(given, { type: 'query', metatype: SearchQuery })) as SearchQuery;
}

/** The address of the same form with some fields changed or removed. */
export function addressOf(filled: Filled, changes: Partial<Record<Field, string>> = {}): string {
  const entries = Object.entries({ ...filled, ...changes }).filter(([, text]) => text !== '');
  return entries.length === 0 ? '/' : `/?${new URLSearchParams(entries).toString()}`;
}

// Each ticked box sends the field once.
function textOf(value: unknown): string {
  const texts = [value].flat().filter((one) => typeof one === 'string');
  return texts
    .map((text) => text.trim())
    .filter((text) => text !== '')
    .join(',');
}

function nameIn(typed: string): string | null {
  if (!typed.includes('.')) return null;
  const judgement = judgeDomainName(typed);
  return judgement.ok ? judgement.domain.domain : judgement.registrable;
}

/** The visitor's search as a request of the API. */
export interface ApiSample {
  readonly language: string;
  readonly code: string;
}

export function samplesOf(baseUrl: string, filled: Filled): ApiSample[] {
  const asked = askedOf(filled);
  const query = new URLSearchParams(asked).toString();
  const url = `${baseUrl}/api/v1/search${query === '' ? '' : `?${query}`}`;
  return [
    { language: 'curl', code: `curl '${url}'` },
    {
      language: 'JavaScript',
      code: `const answer = await fetch('${url}');\nconst { results, total } = await answer.json();`,
    },
    {
      language: 'Python',
      // These texts are written the same in JSON and in Python.
      code: [
        'import requests\n',
        `answer = requests.get("${baseUrl}/api/v1/search", params=${JSON.stringify(asked)})`,
        'results = answer.json()["results"]',
      ].join('\n'),
    },
  ];
}

/** A filter as a link, with the number of names that match. */
export interface Chip {
  readonly words: string;
  readonly count: string | null;
  readonly href: string;
  readonly isOn: boolean;
}

/** Lengths as people think of them. */
const LENGTHS = [
  { words: 'up to 5 letters', min: '', max: '5' },
  { words: '6 to 8 letters', min: '6', max: '8' },
  { words: '9 to 12 letters', min: '9', max: '12' },
  { words: '13 letters and more', min: '13', max: '' },
] as const;

/** Filters that narrow the search; a chosen one leads back. @param isCounted whether there was time to count */
export function chipsOf(filled: Filled, facets: Facets, isCounted: boolean): Chip[] {
  const ofScores = scores(filled, facets);
  const hasScores = ofScores.some(({ isOn }) => isOn);
  const chips = [
    ...suffixes(filled, facets),
    ...lengths(filled, facets),
    ...ofScores,
    ...plain(filled, facets),
    ...others(filled, hasScores),
  ];
  return isCounted ? chips : chips.map((chip) => ({ ...chip, count: null }));
}

function suffixes(filled: Filled, { tld: counts }: Facets): Chip[] {
  if (filled.tld !== undefined)
    return [
      { words: 'all suffixes', count: null, href: addressOf(filled, { tld: '' }), isOn: false },
      ...filled.tld.split(',').map((tld) => ({
        words: `.${tld}`,
        count: countIn(counts.filter((facet) => facet.tld === tld)),
        href: addressOf(filled, { tld: '' }),
        isOn: true,
      })),
    ];
  return counts.map(({ tld, count }) => ({
    words: `.${tld}`,
    count: grouped(count),
    href: addressOf(filled, { tld }),
    isOn: false,
  }));
}

function lengths(filled: Filled, { length: counts }: Facets): Chip[] {
  const { min_length: min = '', max_length: max = '' } = filled;
  return LENGTHS.flatMap((range) => {
    const within = counts.filter(
      ({ length }) => length >= Number(range.min) && length <= (Number(range.max) || Infinity),
    );
    const isOn = range.min === min && range.max === max;
    if (within.length === 0 && !isOn) return [];
    const { min: min_length, max: max_length } = isOn ? { min: '', max: '' } : range;
    const href = addressOf(filled, { min_length, max_length });
    return [{ words: range.words, count: countIn(within), href, isOn }];
  });
}

function scores(filled: Filled, { wayback: bands }: Facets): Chip[] {
  return bands.flatMap(({ min_wayback: from, max_wayback: to, count }) => {
    const range = { min_wayback: String(from || ''), max_wayback: to === null ? '' : String(to) };
    const isOn =
      (filled.min_wayback ?? '') === range.min_wayback && (filled.max_wayback ?? '') === range.max_wayback;
    const words = scoresInWords(from, to);
    const href = addressOf(filled, isOn ? { min_wayback: '', max_wayback: '' } : range);
    return [{ words, count: grouped(count), href, isOn }];
  });
}

function plain(filled: Filled, facets: Facets): Chip[] {
  const withoutHyphens = facets.hyphens.filter(({ hyphens }) => hyphens === 'exclude');
  const withoutDigits = facets.numbers.filter(({ numbers }) => numbers === 'exclude');
  const hyphensOff = filled.hyphens === 'exclude';
  const digitsOff = filled.numbers === 'exclude';
  return [
    {
      words: 'no hyphens',
      count: countIn(withoutHyphens),
      href: addressOf(filled, { hyphens: hyphensOff ? '' : 'exclude' }),
      isOn: hyphensOff,
    },
    {
      words: 'no digits',
      count: countIn(withoutDigits),
      href: addressOf(filled, { numbers: digitsOff ? '' : 'exclude' }),
      isOn: digitsOff,
    },
  ];
}

/** Chosen filters without a counted chip: each chip removes its filter. */
function others(filled: Filled, hasScores: boolean): Chip[] {
  const counted = new Set(['q', 'match', 'mode', 'tld', 'stale']);
  if (LENGTHS.some(({ min, max }) => min === (filled.min_length ?? '') && max === (filled.max_length ?? '')))
    counted.add('min_length').add('max_length');
  if (hasScores) counted.add('min_wayback').add('max_wayback');
  if (filled.hyphens === 'exclude') counted.add('hyphens');
  if (filled.numbers === 'exclude') counted.add('numbers');
  return PAGE_PARAMETERS.flatMap(({ parameter, words }) => {
    const value = filled[parameter as Field];
    if (value === undefined || counted.has(parameter)) return [];
    return [
      { words: words(value, ''), count: null, href: addressOf(filled, { [parameter]: '' }), isOn: true },
    ];
  });
}

function countIn(facets: readonly { readonly count: number }[]): string {
  return grouped(facets.reduce((sum, { count }) => sum + count, 0));
}
