import { readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { makeExports } from '../../src/exports/make-exports.js';
import { ANSWERS_FILE } from '../../src/app/operations.js';
import { isObject } from '../../src/validation/unknown-values.js';
import { addKey, WITH_WEBHOOKS } from '../support/accounts.js';
import { type Client, startTestApp, type TestApp } from '../support/app.js';
import { addDomain, addInState, settle } from '../support/domains.js';
import { makeFolder } from '../support/processes.js';

// What the documents show is what the service really answers: npm run contract writes down the answers whose shape is another one.
type Request = ReturnType<Client['get']>;
type Answers = Record<string, Record<string, unknown>>;

const ANSWERS: Answers = JSON.parse(readFileSync(ANSWERS_FILE, 'utf8'));
const [JSON_TYPE, CSV, NDJSON] = ['application/json', 'text/csv', 'application/x-ndjson'];
const CALENDAR = 'text/calendar';
/** Files: they are no text. And a list of the last 30 days. */
const NOT_SHOWN = ['application/gzip', 'application/vnd.apache.parquet', 'image/svg+xml'];
const MAX_ROWS = 6;
const MAX_LINES = 40;
const HOOK = 'https://example.com/hooks/bowerbird';
const EXPORT = 'snapshot-20261120T050000Z';

let test: TestApp;
let folder: string;
let firehose: string;
beforeAll(async () => {
  folder = await makeFolder('answers');
  test = await startTestApp({
    ...{ ...WITH_WEBHOOKS, EXPORTS: 'on', EXPORT_DIR: folder, WEBHOOK_WORKER: 'off' },
    // Less than the slow name of the sandbox takes, which is shown as one that nobody answered for.
    REGISTRY_TIMEOUT_MS: '4000',
  });
  const scopes = ['read', 'webhooks', 'export'] as const;
  ({ bearer: firehose } = await addKey(test.database, { tier: 'firehose', scopes: [...scopes] }));
  await addDomain(test.database, { domain: 'coffeecart.com.au', wayback: 42, first_seen: '2026-11-05' });
  await addDomain(test.database, { domain: 'coffeeroaster.net.au', wayback: 17, first_seen: '2026-11-06' });
  await addInState(test.database, [{ domain: 'coffeebar.com.au', state: 'listed' }]);
  await test.database.query(`UPDATE domain SET purge_at = '2099-01-05T03:00:00Z' WHERE state = 'listed'`);
  await addDomain(test.database, { domain: 'coffeeshop.com.au', available: false });
  await settle(test.database, 'coffeeshop.com.au', true);
  const kept = { baseUrl: 'https://bowerbird.example', keepSnapshots: 8, keepDiffDays: 35 };
  const now = '2026-11-20T05:00:00.000Z';
  await makeExports({ kind: 'snapshot', databaseUrl: test.databaseUrl, folder, now, ...kept });
});
afterAll(async () => {
  await test.close();
  await rm(folder, { recursive: true });
});

/** As the demo asks; and as those do who have everything. */
const get = (path: string) => test.caller().get(`/api/v1${path}`);
const keyed = (method: 'get' | 'post' | 'patch', path: string): Request =>
  test.caller()[method](`/api/v1${path}`).set('Authorization', firehose);

let found: Answers;

async function collect(): Promise<Answers> {
  const all: Answers = {};
  const note = async (operation: string, type: string | undefined, request: Request) => {
    const { status, body, text, headers } = await request;
    if (status >= 300 || !String(headers['content-type']).startsWith(String(type)))
      throw new Error(`${operation}: ${status} ${headers['content-type']} ${text}`);
    const answer: unknown = type === JSON_TYPE ? cut(body) : text.split('\n').slice(0, MAX_LINES).join('\n');
    all[operation] = { ...all[operation], [String(type)]: answer };
    return body;
  };
  const noteJson = (operation: string, request: Request) => note(operation, JSON_TYPE, request);

  await noteJson('getStats', get('/stats'));
  await noteJson('getStatus', get('/status'));
  await noteJson('checkDomain', get('/domains/check?domain=coffeecart.com.au'));
  await noteJson('suggestDomains', test.caller().get('/v1/suggest?q=coffee&limit=1'));
  await noteJson('listSiblings', get('/domains/coffeecart/siblings'));
  const names = { domains: ['coffeecart.com.au', 'coffee_cart.com.au'], wait: 5 };
  await noteJson('checkDomains', keyed('post', '/domains/check').send(names));
  for (const type of [CSV, NDJSON])
    await note('checkDomains', type, keyed('post', '/domains/check').set('Accept', type).send(names));
  const pending = { domains: ['sandbox-slow.com.au'], wait: 0 };
  const { token } = (await keyed('post', '/domains/check').send(pending)).body;
  for (const type of [JSON_TYPE, CSV, NDJSON])
    await note('fetchBulkCheck', type, keyed('get', `/domains/checks/${token}?wait=30`).set('Accept', type));
  const wanted = { keywords: ['coffee', 'cart'], limit: 1 };
  await noteJson('explainSuggestions', test.caller().post('/api/v1/suggest').send(wanted));
  await noteJson('searchDomains', keyed('get', '/search?q=coffee&per_page=1'));
  await noteJson('countFacets', get('/facets?q=coffee'));
  await noteJson('listDropped', keyed('get', '/dropped?since=2026-01-01T00:00:00Z&limit=1'));
  await noteJson('listUpcomingDrops', get('/drops/upcoming?limit=1'));
  await note('listUpcomingDrops', CALENDAR, get('/drops/upcoming?limit=1').set('Accept', CALENDAR));
  await note('calendarOfUpcomingDrops', CALENDAR, get('/drops/upcoming.ics'));
  await noteJson('getDomain', keyed('get', '/domains/coffeecart.com.au'));
  await noteJson('readUsage', keyed('get', '/usage'));
  await noteJson('readUsageHistory', keyed('get', '/usage/history'));
  await note('readUsageHistoryCsv', CSV, keyed('get', '/usage/history.csv'));
  await noteJson('getServiceReport', keyed('get', '/status/report'));
  await note('getServiceReportCsv', CSV, keyed('get', '/status/report.csv'));

  await noteJson('listExports', keyed('get', '/exports'));
  await noteJson('getExport', keyed('get', `/exports/${EXPORT}/manifest.json`));
  await noteJson('getLatestExport', keyed('get', '/exports/latest/manifest.json'));
  await noteJson('getExportStatus', get('/exports/status'));
  await noteJson('makeExportLinks', keyed('post', `/exports/${EXPORT}/links`));

  const made = await noteJson('createWebhook', keyed('post', '/webhooks').send({ url: HOOK }));
  const webhook = `/webhooks/${made.webhook.id}`;
  await noteJson('listWebhooks', keyed('get', '/webhooks'));
  await noteJson('getWebhook', keyed('get', webhook));
  await noteJson('changeWebhook', keyed('patch', webhook).send({ description: 'New cafes' }));
  await noteJson(
    'rotateWebhookSecret',
    keyed('post', `${webhook}/rotate-secret`).send({ overlap_seconds: 0 }),
  );
  const { watch } = await noteJson(
    'addWatch',
    keyed('post', '/watches').send({ domain: 'coffeecart.com.au', on: ['confirmed'] }),
  );
  await noteJson('getWatch', keyed('get', `/watches/${watch.id}`));
  await noteJson('listWatches', keyed('get', '/watches'));
  await noteJson('getWebhookProof', keyed('get', `${webhook}/proof`));
  // Who has proven a host is not asked again.
  await test.database.query(
    `INSERT INTO webhook_proof (account_id, place, proven_by) SELECT account_id, host, 'file' FROM webhook`,
  );
  await noteJson('proveWebhook', keyed('post', `${webhook}/proof`).send({ by: 'file' }));
  const { delivery } = await noteJson('testWebhook', keyed('post', `${webhook}/test`));
  await noteJson('listDeliveries', keyed('get', `${webhook}/deliveries`));
  await test.database.query(`UPDATE webhook_delivery SET status = 'failed'`);
  await noteJson('redeliver', keyed('post', `${webhook}/deliveries/${delivery.id}/redeliver`));
  await noteJson('replayWebhook', keyed('post', `${webhook}/replay`).send({ since: '2026-11-18T00:00:00Z' }));
  return all;
}

it('every operation is asked, and answers in the shape that the documents show', async () => {
  found = await collect();
  if (process.env.UPDATE_CONTRACT) await publish(found);
  else expect(shapeOf(ANSWERS)).toEqual(shapeOf(found));
});

it('every answer of the documents that is text is shown', async () => {
  for (const prefix of ['v1', 'api/v1']) {
    const { body } = await test.caller().get(`/${prefix}/openapi.json`).expect(200);
    for (const item of Object.values<Record<string, Operation>>(body.paths))
      for (const { operationId, responses } of Object.values(item)) {
        const [, { content = {} }] = Object.entries(responses).find(([status]) => /^2/.test(status)) ?? [
          '',
          {},
        ];
        const types = Object.keys(content).filter((type) => !NOT_SHOWN.includes(type));
        expect([operationId, Object.keys(found[operationId] ?? {}).sort()]).toEqual([
          operationId,
          types.sort(),
        ]);
      }
  }
});

interface Operation {
  readonly operationId: string;
  readonly responses: Record<string, { readonly content?: object }>;
}

/** Of long lists the head: the documents are read. */
function cut(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, value.length > MAX_ROWS ? 1 : MAX_ROWS).map(cut);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, cut(field)]));
}

/** The names of the fields: their values are those of the moment. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf);
  if (!isObject(value)) return value === null || typeof value !== 'string' ? '' : shapeOfText(value);
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, shapeOf(field)]));
}

/** Of a table the names of its columns. */
function shapeOfText(text: string): string {
  return text.includes(',') && text.includes('\n') && !text.startsWith('{')
    ? String(text.split('\n')[0])
    : '';
}

async function publish(answers: Answers): Promise<void> {
  const kept = Object.entries(answers).map(([operation, types]) => {
    const known = ANSWERS[operation];
    const isSame = JSON.stringify(shapeOf(known)) === JSON.stringify(shapeOf(types));
    return [operation, isSame ? known : types];
  });
  await writeFile(ANSWERS_FILE, `${JSON.stringify(Object.fromEntries(kept), null, 2)}\n`);
}
