import { apiDiff } from 'api-smart-diff';
import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { isObject } from '../../src/validation/unknown-values.js';
import { DEPRECATIONS } from '../../src/versioning/deprecations.js';

// What the last release promised is kept under releases/; of a service with keys and webhooks, which has all there is.
const RELEASES = resolve(__dirname, 'releases');
const LAST = readdirSync(RELEASES)
  .toSorted((one, other) => one.localeCompare(other, 'en', { numeric: true }))
  .at(-1);
const DOCUMENTS = ['openapi.keys.json', 'openapi.planned.keys.json'];

/**
 * Breaking changes of /api/v1, which the specification calls planned, from before this test was there: names that have not
 * dropped have no dropped_at, and a total is exact beyond ten thousand.
 */
const KNOWN = [
  /\/dropped_at\/type$/,
  /\/properties\/total\/maximum$/,
  // Described by the types of events since; what is sent is the same.
  /^remove paths\/\/webhooks\/domain\.event/,
  // What is left out is still what it was, in words.
  /^remove .*\/requestBody\/.*\/default$/,
];

type Part = Record<string, unknown>;
interface Document {
  paths: Record<string, Part>;
  webhooks?: Record<string, { post: { requestBody: unknown } }>;
  components: { schemas: Record<string, unknown> };
}

describe.each(DOCUMENTS)(`%s since ${LAST}`, (file) => {
  const before = read(`releases/${LAST}/${file}`);
  const now = read(file);

  it('has no breaking change', () => {
    expect(breaksOf(before, now)).toEqual([]);
  });

  it('marks what the table of deprecations names, and nothing else', () => {
    const marked = Object.entries(now.paths).flatMap(([path, item]) =>
      Object.entries(item).flatMap(([method, operation]) =>
        deprecatedIn(operation).map((name) => `${method.toUpperCase()} ${path} ${name}`),
      ),
    );
    const named = DEPRECATIONS.map((row) => `${row.operation} ${row.parameter ?? ''}`);
    const own = named.filter((row) => Object.keys(now.paths).includes(row.split(' ')[1] ?? ''));
    expect(marked.sort()).toEqual(own.sort());
  });
});

describe('a contract', () => {
  const before = read(`releases/${LAST}/openapi.keys.json`);

  it.each<[string, (document: Document) => void]>([
    ['an operation is gone', ({ paths }) => Reflect.deleteProperty(paths, Object.keys(paths)[0] ?? '')],
    ['a parameter becomes required', ({ paths }) => requireParameter(paths)],
    ['a field of an answer is gone', ({ components }) => dropField(components.schemas.Stats)],
    ['a field has another type', ({ components }) => retype(components.schemas.Rate)],
  ])('would not pass if %s', (_what, change) => {
    const changed = structuredClone(before);
    change(changed);
    expect(breaksOf(before, changed)).not.toEqual([]);
  });
});

function read(file: string): Document {
  return JSON.parse(readFileSync(resolve(__dirname, file), 'utf8'));
}

/** By our rule, values that an enumeration gains in an answer break nothing: clients read over what they do not know. */
function breaksOf(before: Document, now: Document): string[] {
  return apiDiff(writtenOut(before), writtenOut(now))
    .filter(({ type }) => type === 'breaking')
    .filter(({ action, path }) => !(action === 'add' && path.includes('enum') && path.includes('responses')))
    .map(({ action, path }) => `${action} ${path.join('/')}`)
    .filter((change) => !KNOWN.some((known) => known.test(change)));
}

/** What is said of a part, unless a field has this name. */
const WORDS = ['description', 'summary', 'example'];
const ERROR = '#/components/schemas/Error';

/** With every reference replaced by what it names, so that a change is found where it is used; what is sent to receivers as an answer. */
function writtenOut({ paths, webhooks = {}, components }: Document): object {
  const inline = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(inline);
    if (!isObject(part)) return part;
    // Every failure has the one body, which is compared once.
    if (part.$ref === ERROR) return {};
    if (typeof part.$ref === 'string') {
      const [, kind = '', name = ''] = /^#\/components\/(\w+)\/(.+)$/.exec(part.$ref) ?? [];
      return inline(Reflect.get(Reflect.get(components, kind) as object, name));
    }
    const { anyOf, ...rest } = part;
    const sorted = Array.isArray(anyOf) ? { anyOf: anyOf.toSorted(byText) } : {};
    const said = Object.entries({ ...rest, ...sorted }).filter(
      ([key, value]) => !WORDS.includes(key) || isObject(value),
    );
    return Object.fromEntries(said.map(([key, value]) => [key, inline(value)]));
  };
  const failure = {
    get: { responses: { 400: { content: { 'application/json': { schema: components.schemas.Error } } } } },
  };
  const sent = Object.entries(webhooks).map(([name, { post }]) => [
    `/webhooks/${name}`,
    { post: { responses: { 200: post.requestBody } } },
  ]);
  return {
    openapi: '3.1.0',
    info: {},
    paths: inline({ ...paths, '/failure': failure, ...Object.fromEntries(sent) }),
  };
}

const byText = (one: unknown, other: unknown) =>
  JSON.stringify(one).localeCompare(JSON.stringify(other), 'en');

function deprecatedIn(operation: unknown): string[] {
  if (!isObject(operation)) return [];
  const parameters: unknown[] = Array.isArray(operation.parameters) ? operation.parameters : [];
  const names = parameters.flatMap((one) => (isObject(one) && one.deprecated ? [String(one.name)] : []));
  return operation.deprecated ? ['', ...names] : names;
}

function requireParameter(paths: Document['paths']): void {
  for (const item of Object.values(paths))
    for (const { parameters = [] } of Object.values(item) as { parameters?: Part[] }[])
      for (const parameter of parameters) parameter.required = true;
}

function dropField(schema: unknown): void {
  if (isObject(schema) && isObject(schema.properties)) delete schema.properties.available_records;
}

function retype(schema: unknown): void {
  if (isObject(schema) && isObject(schema.properties)) schema.properties.remaining = { type: 'string' };
}
