import { apiDiff } from 'api-smart-diff';
import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { isObject } from '../../src/validation/unknown-values.js';
import { DEPRECATIONS } from '../../src/access/deprecations.js';

// The contract of the last release is kept under releases/, of a service with everything on; this one may only add to it.
const RELEASES = resolve(__dirname, 'releases');
const LAST = readdirSync(RELEASES)
  .toSorted((one, other) => one.localeCompare(other, 'en', { numeric: true }))
  .at(-1);
const DOCUMENTS = ['openapi.keys.json', 'openapi.planned.keys.json'];

type Part = Record<string, unknown>;
interface Tool {
  readonly name: string;
  readonly inputSchema: object;
  readonly outputSchema: object;
}
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

  it('keeps every operation id', () => {
    const ids = (document: Document) =>
      Object.entries(document.paths).flatMap(([path, item]) =>
        Object.entries(item).map(([method, part]) => `${method} ${path} ${idOf(part)}`),
      );
    expect(ids(before).filter((id) => !ids(now).includes(id))).toEqual([]);
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

describe(`the tools of /mcp since ${LAST}`, () => {
  const before = readTools(`releases/${LAST}/mcp.json`);

  it('have no breaking change', () => {
    expect(breaksOf(asDocument(before), asDocument(readTools('mcp.json')))).toEqual([]);
  });

  it.each<[string, (tools: Tool[]) => unknown]>([
    ['a tool is gone', (tools) => tools.shift()],
    ['an argument is gone', ([tool]) => dropField(tool?.inputSchema, 'domain')],
    ['an argument becomes required', (tools) => tools.map((tool) => requireAll(tool.inputSchema))],
    ['a field of the answer is gone', (tools) => dropField(answerOf(tools, 'dataset_stats'), 'tlds')],
  ])('would not pass if %s', (_what, change) => {
    const changed = structuredClone(before);
    change(changed);
    expect(breaksOf(asDocument(before), asDocument(changed))).not.toEqual([]);
  });
});

describe('a contract', () => {
  const before = read(`releases/${LAST}/openapi.keys.json`);

  it.each<[string, (document: Document) => void]>([
    ['an operation is gone', ({ paths }) => Reflect.deleteProperty(paths, Object.keys(paths)[0] ?? '')],
    ['a parameter becomes required', ({ paths }) => requireParameter(paths)],
    ['a parameter is gone', ({ paths }) => dropParameters(paths)],
    [
      'a field of an answer is gone',
      ({ components }) => dropField(components.schemas.Stats, 'available_records'),
    ],
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
  const [one, other] = [writtenOut(before), writtenOut(now)];
  // A new path breaks nothing.
  for (const path of Object.keys(other)) if (!(path in one)) Reflect.deleteProperty(other, path);
  leaveOutSame(one, other, true);
  const [was, is] = [one, other].map((paths) => ({ openapi: '3.1.0', info: {}, paths }));
  return apiDiff(was, is)
    .filter((change) => change.type === 'breaking' || isRemoved(change))
    .filter(({ action, path }) => !(action === 'add' && path.includes('enum') && path.includes('responses')))
    .map(({ action, path }) => `${action} ${path.join('/')}`);
}

/** Whose members are compared each by itself. */
const MAPS = ['get', 'post', 'put', 'patch', 'delete', 'responses', 'content', 'properties'];

/** Paths, answers and fields that are the same are not compared member by member, which takes seconds. */
function leaveOutSame(one: unknown, other: unknown, isMap: boolean): void {
  if (!isObject(one) || !isObject(other)) return;
  for (const key of Object.keys(one))
    if (isMap && hasSame(one, other, key)) {
      for (const part of [one, other]) Reflect.deleteProperty(part, key);
    } else {
      const isMapBelow = key.startsWith('/') || MAPS.includes(key);
      leaveOutSame(one[key], other[key], isMapBelow && hasSame(one, other, 'required'));
    }
}

const hasSame = (one: Record<string, unknown>, other: Record<string, unknown>, key: string): boolean =>
  JSON.stringify(one[key]) === JSON.stringify(other[key]);

/** A caller that sends it is refused from now on, which the library takes for no break. */
function isRemoved({ action, path }: { action: string; path: readonly unknown[] }): boolean {
  return action === 'remove' && ['parameters', 'properties', 'enum'].includes(String(path.at(-2)));
}

/** What is said of a part, unless a field has this name. */
const WORDS = ['description', 'summary', 'example'];
const ERROR = '#/components/schemas/Error';

/** With every reference replaced by what it names, so that a change is found where it is used; what is sent to receivers as an answer. */
function writtenOut({ paths, webhooks = {}, components }: Document): Record<string, unknown> {
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
  return inline({ ...paths, '/failure': failure, ...Object.fromEntries(sent) }) as Record<string, unknown>;
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

function dropParameters(paths: Document['paths']): void {
  for (const item of Object.values(paths))
    for (const operation of Object.values(item)) Reflect.deleteProperty(Object(operation), 'parameters');
}

function dropField(schema: unknown, name: string): void {
  if (isObject(schema) && isObject(schema.properties)) Reflect.deleteProperty(schema.properties, name);
}

function requireAll(schema: object): void {
  if ('properties' in schema && isObject(schema.properties))
    Object.assign(schema, { required: Object.keys(schema.properties) });
}

function answerOf(tools: readonly Tool[], name: string): unknown {
  return tools.find((tool) => tool.name === name)?.outputSchema;
}

function readTools(file: string): Tool[] {
  return JSON.parse(readFileSync(resolve(__dirname, file), 'utf8'));
}

/** Tools as the operations of an API, so that one comparison serves both. */
function asDocument(tools: readonly Tool[]): Document {
  const json = (schema: object) => ({ content: { 'application/json': { schema } } });
  const paths = tools.map(({ name, inputSchema, outputSchema }) => [
    `/tools/${name}`,
    { post: { operationId: name, requestBody: json(inputSchema), responses: { 200: json(outputSchema) } } },
  ]);
  return { paths: Object.fromEntries(paths), components: { schemas: { Error: {} } } };
}

function idOf(operation: unknown): string {
  return isObject(operation) ? String(operation.operationId) : '';
}

function retype(schema: unknown): void {
  if (isObject(schema) && isObject(schema.properties)) schema.properties.remaining = { type: 'string' };
}
