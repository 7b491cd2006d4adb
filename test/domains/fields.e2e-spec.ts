import { parse } from 'csv-parse/sync';
import { parquetReadObjects } from 'hyparquet';
import { readFile, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { FIELD_NAMES, fieldOf } from '../../src/domains/schema/fields.js';
import type { Export } from '../../src/exports/export.repository.js';
import { makeExports } from '../../src/exports/make-exports.js';
import { isObject } from '../../src/validation/unknown-values.js';
import { addKey, WITH_EXPORTS, WITH_WEBHOOKS } from '../support/accounts.js';
import { addDomain, settle } from '../support/domains.js';
import { connectAgent } from '../support/mcp.js';
import { makeFolder } from '../support/processes.js';
import { type AccountsApp, signedInVisitor, startAccountsApp } from '../support/visitor.js';

type Fields = Record<string, unknown>;

const NAME = 'shop-4-coffee.com.au';
const DIFF = 'compared by a diff';
const FILES = ['ndjson', 'csv', 'parquet'].flatMap((format) => [`snapshot ${format}`, `diff ${format}`]);
/** Lists for agents have name, score and one date a row: domain_report has every field. */
const COMPACT = ['MCP search_domains', 'MCP dropped_since'];

let test: AccountsApp;
let folder: string;
let bearer: string;
let schemas: Record<string, Fields>;
let full: string[];
let files: Map<string, Fields>;
let compared: unknown;

beforeAll(async () => {
  folder = await makeFolder('exports');
  test = await startAccountsApp({ ...WITH_EXPORTS, ...WITH_WEBHOOKS, EXPORT_DIR: folder });
  bearer = (await addKey(test.database, { tier: 'firehose' })).bearer;
  const { body } = await test.caller().get('/api/v1/openapi.json').expect(200);
  schemas = body.components.schemas;
  full = fieldsOfSchema('FullDomain');
  await addDomain(test.database, { domain: NAME, available: false, first_seen: null });
  const [before] = await exportAt('2026-11-20T05:00:00Z');
  await settle(test.database, NAME, true);
  await test.database.query(
    `UPDATE domain SET wayback = 7, first_seen = '2026-11-02', list_kind = 'deleted', listed_at = now(), purge_at = now(),
            archive_status = 'ok', archive_first_capture = '2009-01-01', archive_last_capture = '2020-01-01', archive_captures = 9`,
  );
  // A name whose state rests on no answer, and one whose state does, differ in what confirms them.
  await test.database.query(
    `UPDATE domain SET state = 'unconfirmed', available = false, confirmed_by = NULL`,
  );
  const [, unconfirmed] = await exportAt('2026-11-20T06:00:00Z');
  await test.database.query(
    `UPDATE domain SET state = 'available', available = true, confirmed_by = 'rdap', checked_at = now()`,
  );
  const [snapshot, diff] = await exportAt('2026-11-21T05:00:00Z');
  files = new Map([...(await rowsOf('snapshot', snapshot)), ...(await rowsOf('diff', diff))]);
  compared = [await rowsOf('diff', unconfirmed), await rowsOf('diff', diff)].flatMap(
    (rows) => rows.get('diff ndjson')?.fields,
  );
  expect(before?.kind).toBe('snapshot');
});
afterAll(async () => {
  await test.close();
  await rm(folder, { recursive: true });
});

describe('every field of the full answer', () => {
  it('is in the report', async () => {
    expectAllIn('report', fieldsOf((await ask(`/api/v1/domains/${NAME}`)).body));
    expectAllIn('schema of the report', fieldsOfSchema('DomainReport'));
  });

  it('is in search, the feed and what is sent to webhooks', async () => {
    expectAllIn('search', fieldsOf((await ask('/api/v1/search?q=shop-4')).body.results[0]));
    expectAllIn(
      'feed',
      fieldsOf((await ask('/api/v1/dropped?since=2020-01-01T00:00:00Z')).body.results[0].data),
    );
    expect(JSON.stringify(schemas.EventDelivery)).toContain('#/components/schemas/FullDomain');
  });

  it.each(FILES)('is in the file %s', (place) => {
    expectAllIn(place, Object.keys(files.get(place) ?? {}));
  });

  it('is compared by a diff', () => {
    expectAllIn(DIFF, compared as string[]);
  });

  it('is in the data file of a list', async () => {
    const visitor = await signedInVisitor(test);
    await test.database.query(`UPDATE account SET tier = 'firehose'`);
    const { text } = await visitor.open('/search.csv?q=shop-4').expect(200);
    expectAllIn('data file', text.split(/\r?\n/)[0]?.split(',') ?? []);
  });

  it.each(['search_domains', 'domain_report', 'dropped_since'])(
    'is in the MCP schema of %s',
    async (name) => {
      const agent = await connectAgent(test.url, 'client 2.x, 2026-07-28', { Authorization: bearer });
      const { tools } = await agent.client.listTools();
      await agent.close();
      const schema = tools.find((tool) => tool.name === name)?.outputSchema;
      expectAllIn(`MCP ${name}`, fieldsOfJsonSchema(schema));
    },
  );

  it('is in the documents', async () => {
    const text = await readFile(resolve(__dirname, '../../docs/API.md'), 'utf8');
    const [, table = ''] = text.split(/<!-- \/?fields -->/);
    const rows = [...table.matchAll(/^\| `([\w.]+)` \|/gm)].map(([, field = '']) => field.replace('.', '_'));
    expectAllIn('documents', rows);
  });
});

it('every field of the table is in the full answer', () => {
  expect([...full].sort()).toEqual(FIELD_NAMES.map(flat).sort());
});

it('nothing that a place is said to leave out is there', () => {
  const inFiles = FILES.flatMap((place) =>
    leftOut('export').filter((field) => field in (files.get(place) ?? {})),
  );
  expect(inFiles).toEqual([]);
  expect(leftOut('diff').filter((field) => (compared as string[]).includes(field))).toEqual([]);
});

function expectAllIn(place: string, there: readonly string[]): void {
  expect(full.length).toBeGreaterThan(20);
  if (COMPACT.includes(place)) return;
  const excused = FILES.includes(place) ? leftOut('export') : place === DIFF ? leftOut('diff') : [];
  expect(full.filter((field) => !there.includes(field) && !excused.includes(field))).toEqual([]);
}

/** Fields that a place leaves out, for the reason in the table. Nothing else may be missing anywhere. */
function leftOut(place: 'export' | 'diff'): string[] {
  return FIELD_NAMES.filter((name) => fieldOf(name).except?.[place] !== undefined).map(flat);
}

function flat(name: string): string {
  return name.replace('.', '_');
}

function ask(path: string) {
  return test.caller().get(path).set('Authorization', bearer).expect(200);
}

/** Names of fields; those inside of others stand behind their names. */
function fieldsOf(row: unknown, before = ''): string[] {
  if (!isObject(row)) return [];
  return Object.entries(row).flatMap(([name, value]) =>
    isObject(value) ? fieldsOf(value, `${before}${name}_`) : [before + name],
  );
}

function fieldsOfSchema(name: string, before = ''): string[] {
  const { properties = {} } = schemas[name] as { properties?: Record<string, Fields> };
  return Object.entries(properties).flatMap(([field, property]) => {
    const [, inner] = /"#\/components\/schemas\/(\w+)"/.exec(JSON.stringify(property)) ?? [];
    return inner === undefined ? [before + field] : fieldsOfSchema(inner, `${before}${field}_`);
  });
}

function fieldsOfJsonSchema(schema: unknown, before = ''): string[] {
  if (!isObject(schema) || !isObject(schema.properties)) return [];
  return Object.entries(schema.properties).flatMap(([name, property]) => {
    const inner = fieldsOfJsonSchema(property, `${before}${name}_`);
    return inner.length > 0 ? inner : [before + name];
  });
}

async function exportAt(now: string): Promise<Export[]> {
  const baseUrl = 'https://bowerbird.example';
  const task = { databaseUrl: test.databaseUrl, folder, baseUrl, now, keepSnapshots: 8, keepDiffDays: 35 };
  return (await makeExports({ ...task, kind: 'snapshot' })) ?? [];
}

/** The first row of an export in each format, by place; of a diff, what it says of the name. */
async function rowsOf(kind: string, made: Export | undefined): Promise<Map<string, Fields>> {
  const read = (format: string) => {
    const file = made?.files.find((one) => one.format === format);
    return readFile(join(folder, made?.id ?? '', file?.name ?? ''));
  };
  const line: Fields = JSON.parse(
    gunzipSync(await read('ndjson.gz'))
      .toString()
      .split('\n')[0] ?? '',
  );
  const [csv] = parse<Fields>(gunzipSync(await read('csv.gz')), { columns: true });
  const [parquet] = await parquetReadObjects({ file: new Uint8Array(await read('parquet')).buffer });
  const ndjson = Object.fromEntries(fieldsOf(kind === 'diff' ? line.row : line).map((name) => [name, true]));
  return new Map([
    [`${kind} ndjson`, { ...ndjson, fields: line.fields }],
    [`${kind} csv`, csv ?? {}],
    [`${kind} parquet`, parquet ?? {}],
  ]);
}
