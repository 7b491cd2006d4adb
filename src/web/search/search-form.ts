import { SEARCH_PARAMETERS } from '../../domains/schema/filters/parameters.js';
import { judgeDomainName } from '../../domains/name/domain-name.js';
import { validationPipe } from '../../errors/validation.pipe.js';
import { SearchQuery } from '../../api/search/search.dto.js';

/** The filters that the page takes. */
export const PAGE_PARAMETERS = SEARCH_PARAMETERS.filter(({ isOnPage }) => isOnPage);

/** Fields of the form; the page ignores other parameters. */
const FIELDS: readonly string[] = [...PAGE_PARAMETERS.map(({ parameter }) => parameter), 'sort'];
export type Field = keyof SearchQuery;

/** The completed form, without fields that are empty or at their default. */
export type Filled = Readonly<Partial<Record<Field, string>>>;

const UNCHANGED: Readonly<Record<string, unknown>> = {
  ...Object.fromEntries(PAGE_PARAMETERS.map(({ parameter, initial }) => [parameter, initial])),
  sort: 'wayback',
};
const MAX_TYPED_LENGTH = 200;

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
  const typed = (filled.q ?? '').slice(0, MAX_TYPED_LENGTH);
  const named = nameIn(typed);
  const q = named ? named.slice(0, named.indexOf('.')) : typed.toLowerCase().replace(/\s+/g, '');
  const cursor = textOf(query.cursor);
  const asked = { ...filled, ...(filled.q !== undefined && { q }) };
  return { filled: asked, cursor: cursor || undefined, typed, named };
}

const pipe = validationPipe();

/** The search as the API takes it. @throws {ApiError} invalid_parameter */
export async function queryOf({ filled, cursor }: SearchForm): Promise<SearchQuery> {
  const given = { ...filled, ...(cursor !== undefined && { cursor }) };
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
  const query = new URLSearchParams(filled).toString();
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
        `answer = requests.get("${baseUrl}/api/v1/search", params=${JSON.stringify(filled)})`,
        'results = answer.json()["results"]',
      ].join('\n'),
    },
  ];
}
