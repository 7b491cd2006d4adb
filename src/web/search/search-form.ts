import { timeOfDatabase } from '../../db/database-time.js';
import { labelOf, SUFFIXES } from '../../domains/schema/domain.js';
import { calendarDateOf, dayOfWord } from '../../domains/schema/calendar-date.js';
import { SEARCH_PARAMETERS } from '../../domains/schema/filters/parameters.js';
import { judgeDomainName } from '../../domains/name/domain-name.js';
import { readWords } from '../../domains/schema/filters/reading-filter.js';
import { MAX_KEYWORD_LENGTH } from '../../domains/name/name-parameters.js';
import { plainOf } from '../../domains/words/lexicon.js';
import { isEmptyReading, MAX_QUESTION_LENGTH, type Reading } from '../../domains/words/reading.js';
import { validationPipe } from '../../errors/validation.pipe.js';
import { SearchQuery } from '../../api/search/search.dto.js';
import type { Facets } from '../../api/facets/facets.module.js';
import { fillIn, grouped, t } from '../../texts/texts.js';
import { scoresInWords } from '../layout/words.js';

export const PAGE_PARAMETERS = SEARCH_PARAMETERS.filter(({ isOnPage }) => isOnPage);

/** Fields of the form; the page ignores other parameters. */
const FIELDS: readonly string[] = [...PAGE_PARAMETERS.map(({ parameter }) => parameter), 'sort'];
export type Field = keyof SearchQuery;
const DAYS: readonly string[] = ['first_seen_from', 'first_seen_to'] satisfies Field[];

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
  /** Whether nothing of the typed text can be looked for. */
  readonly isUnreadable: boolean;
}

/** @param query as Express read it from the address */
export function readForm(query: Readonly<Record<string, unknown>>): SearchForm {
  const given = FIELDS.map((field) => [field, readField(field, textOf(query[field]))] as const);
  const filled: Filled = Object.fromEntries(
    given.filter(([field, text]) => text !== '' && text !== String(UNCHANGED[field])),
  );
  const typed = (filled.q ?? '').slice(0, MAX_QUESTION_LENGTH);
  const named = nameIn(typed);
  const text = named ? labelOf(named) : plainOf(typed).replace(/[^a-z0-9-]+/g, '');
  const cursor = textOf(query.cursor);
  const q = isByText(filled) ? text.slice(0, MAX_KEYWORD_LENGTH) : typed;
  const { q: box, ...others } = filled;
  return {
    filled: q === '' ? others : { q, ...others },
    cursor: cursor || undefined,
    ...{ typed, named },
    isUnreadable: box !== undefined && q === '',
  };
}

/** A field of the form that cannot be read, in a sentence for the visitor. */
export interface Fault {
  readonly field: Field;
  readonly value: string;
  readonly words: string;
}

/** The faulty fields that a message of the API names. */
export function faultsOf(message: string, { filled }: SearchForm): Fault[] {
  return message.split('; ').flatMap((problem) => {
    const field = problem.replace(/ .*/s, '') as Field;
    const value = filled[field];
    return value === undefined ? [] : [{ field, value, words: faultInWords(field, problem) }];
  });
}

function faultInWords(field: string, problem: string): string {
  const { faults } = t.search;
  const label = labelOfField(field);
  const other = / greater than (\w+)/.exec(problem)?.[1];
  if (other !== undefined) return fillIn(faults.crossed, { label, other: labelOfField(other) });
  const { kind, min = 0, max } = PAGE_PARAMETERS.find(({ parameter }) => parameter === field)?.field ?? {};
  if (kind === 'number')
    return max === undefined
      ? fillIn(faults.numberFrom, { label, min })
      : fillIn(faults.number, { label, min, max });
  return fillIn(kind === 'date' || kind === 'pattern' || kind === 'text' ? faults[kind] : faults.choice, {
    label,
  });
}

function labelOfField(field: string): string {
  const { field: shown, name = t.search.sortBy } =
    PAGE_PARAMETERS.find(({ parameter }) => parameter === field) ?? {};
  return shown?.label ?? name.charAt(0).toUpperCase() + name.slice(1);
}

/** The page says which day a word for one was. */
function readField(field: string, text: string): string {
  return (DAYS.includes(field) && dayOfWord(text, 'AEST', timeOfDatabase())) || text;
}

/** Whether the text is looked for as it is: where it stands is asked of no words, and `-` is none. */
function isByText({ match, mode, q = '' }: Filled): boolean {
  return match === 'text' || mode !== undefined || isEmptyReading(readWords(q));
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
export async function queryOf({
  filled,
  cursor,
}: Pick<SearchForm, 'filled' | 'cursor'>): Promise<SearchQuery> {
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
  /** As the style sheet of tabs knows it. */
  readonly id: 'sh' | 'js' | 'python';
  readonly language: string;
  readonly code: string;
}

export function samplesOf(baseUrl: string, filled: Filled): ApiSample[] {
  const asked = askedOf(filled);
  const query = new URLSearchParams(asked).toString();
  const url = `${baseUrl}/api/v1/search${query === '' ? '' : `?${query}`}`;
  return [
    { id: 'sh', language: 'curl', code: `curl '${url}'` },
    {
      id: 'js',
      language: 'JavaScript',
      code: `const answer = await fetch('${url}');\nconst { results, total } = await answer.json();`,
    },
    {
      id: 'python',
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

/** A choice of a select. */
export interface Option {
  readonly value: string;
  readonly words: string;
}

/** A filter as a link, with the number of names that match. */
export interface Tag {
  readonly words: string;
  readonly count: string | null;
  readonly href: string;
  readonly isOn: boolean;
}

/** The suffixes, each with the names that it has; null: there was no time to count. */
export function suffixOptions({ tld = '' }: Filled, facets: Facets | null): Option[] {
  const counts = new Map(facets?.tld.map((facet) => [facet.tld, grouped(facet.count)]));
  const options = SUFFIXES.map((value) => ({ value, words: `.${value} ${counts.get(value) ?? ''}`.trim() }));
  const words = tld
    .split(',')
    .map((one) => `.${one}`)
    .join(t.filters.or);
  return withChosen([{ value: '', words: t.search.suffix }, ...options], tld, words);
}

const LENGTHS = [4, 5, 6, 8, 10, 12, 15];

const upTo = (max: string) => fillIn(t.filters.anyLength, { max });

export function lengthOptions({ max_length: max = '' }: Filled): Option[] {
  const options = LENGTHS.map((length) => ({ value: String(length), words: upTo(String(length)) }));
  return withChosen([{ value: '', words: t.search.length }, ...options], max, upTo(max));
}

const AGES = [
  { days: 7, words: t.filters.ages.week },
  { days: 30, words: t.filters.ages.month },
  { days: 365, words: t.filters.ages.year },
];

export function ageOptions({ first_seen_from: from = '' }: Filled, now: Date): Option[] {
  const options = AGES.map(({ days, words }) => ({ value: calendarDateOf(now, -days), words }));
  return withChosen(
    [{ value: '', words: t.search.added }, ...options],
    from,
    fillIn(t.filters.anyAge, { day: from }),
  );
}

/** What a bookmark has set stays a choice. */
function withChosen(options: readonly Option[], value: string, words: string): Option[] {
  return options.some((option) => option.value === value) ? [...options] : [...options, { value, words }];
}

/** Score bands, each with its names; a chosen one leads back. */
export function scoreTags(filled: Filled, { wayback: bands }: Facets): Tag[] {
  return bands.map(({ min_wayback: from, max_wayback: to, count }) => {
    const range = { min_wayback: String(from || ''), max_wayback: to === null ? '' : String(to) };
    const isOn =
      (filled.min_wayback ?? '') === range.min_wayback && (filled.max_wayback ?? '') === range.max_wayback;
    const href = addressOf(filled, isOn ? { min_wayback: '', max_wayback: '' } : range);
    return { words: scoresInWords(from, to), count: grouped(count), href, isOn };
  });
}

/** Filters in use: each leads to the search without it. */
export function setTags(filled: Filled): Tag[] {
  return PAGE_PARAMETERS.flatMap(({ parameter, words }) => {
    const value = filled[parameter as Field];
    const text = value === undefined ? '' : words(value, '');
    if (text === '' || value === undefined || parameter === 'q' || parameter === 'match') return [];
    return [{ words: text, count: null, href: addressOf(filled, { [parameter]: '' }), isOn: true }];
  });
}
