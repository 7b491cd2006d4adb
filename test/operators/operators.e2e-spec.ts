import { describeStatus } from '../../src/ops/status-lines.js';
import { OperatorsPort } from '../../src/app/operators-port.js';
import type { AnswerOf } from '../../src/ops/answers.js';
import { mintOperatorKey } from '../../src/ops/operator-key.js';
import { addKey } from '../support/accounts.js';
import { type Client, startTestApp } from '../support/app.js';
import { addDomain } from '../support/domains.js';
import { until } from '../support/processes.js';
import {
  type AccountsApp,
  PASSWORD,
  signedInVisitor,
  startAccountsApp,
  visitorOf,
} from '../support/visitor.js';

const KEY = mintOperatorKey();
const LOOKER = mintOperatorKey();
const FORMER = mintOperatorKey();
const OPERATORS = {
  OPERATOR_KEY_HASH: [
    `bob:${'0'.repeat(64)}`,
    `alice:${KEY.hash}`,
    `dora:${LOOKER.hash}:look:2999-12-31`,
    `emil:${FORMER.hash}:act:2026-01-31`,
  ].join(','),
  OPS_UPLOAD_MAX_MB: '1',
};
const REASON = 'asked for by its owner';

interface OperatorsDocument {
  readonly paths: Record<string, { get?: { responses: Record<string, { content?: object }> } }>;
}

let test: AccountsApp;
let alice: Client;
beforeAll(async () => {
  test = await startAccountsApp(OPERATORS);
  alice = test.caller().set('Authorization', `Bearer ${KEY.text}`);
});
afterAll(() => test.close());

const audit = async (subject: string) => {
  const { body } = await alice.get('/ops/v1/audit').query({ subject }).expect(200);
  return (body as { entries: { actor: string; action: string; reason: string; from: string | null }[] })
    .entries;
};
const post = (path: string, body: object = { reason: REASON }) => alice.post(`/ops/v1/${path}`).send(body);

it('has a name checked now, and keeps the answer and the reason', async () => {
  const domain = 'sandbox-registered.com.au';
  const { body } = await post(`dataset/${domain}/check`).expect(200);
  expect(body).toMatchObject({ domain, answer: { state: 'registered', source: 'sandbox', cached: false } });
  const { body: evidence } = await alice.get(`/ops/v1/dataset/${domain}`).expect(200);
  expect(evidence.answers).toHaveLength(1);
  expect(await audit(`domain:${domain}`)).toMatchObject([
    { actor: 'operator:alice', action: 'domain.check', reason: REASON },
  ]);
  await post('dataset/-bad-.com.au/check').expect(400);
});

describe('the door', () => {
  it.each([
    ['no key', undefined, 'key_required'],
    ['a wrong key', `Bearer ${mintOperatorKey().text}`, 'key_invalid'],
    ['the hash of a key', `Bearer ${KEY.hash}`, 'key_invalid'],
    ['no bearer token', `Basic ${KEY.text}`, 'key_invalid'],
  ])('refuses %s', async (_, authorization, code) => {
    const request = test.caller().get('/ops/v1/status');
    if (authorization) void request.set('Authorization', authorization);
    const { body, headers } = await request.expect(401);
    expect(body).toMatchObject({ error: { code } });
    expect(headers).toMatchObject({
      'www-authenticate': expect.stringContaining('Bearer'),
      'cache-control': 'no-store',
    });
  });

  it('refuses keys of accounts, and API addresses refuse those of operators', async () => {
    const { bearer } = await addKey(test.database, { tier: 'firehose' });
    await test.caller().get('/ops/v1/status').set('Authorization', bearer).expect(401);
    await alice.get('/v1/stats').expect(401);
  });

  it('looks at no key after ten wrong ones from a network', async () => {
    const guesser = test.caller();
    for (let guess = 0; guess < 10; guess += 1)
      await guesser.get('/ops/v1/tiers').set('Authorization', `Bearer guess-${guess}`).expect(401);
    const { headers } = await guesser
      .get('/ops/v1/tiers')
      .set('Authorization', `Bearer ${KEY.text}`)
      .expect(429);
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    await alice.get('/ops/v1/tiers').expect(200);
  });

  it('lets a key of the role look see everything and change nothing', async () => {
    const dora = test.caller().set('Authorization', `Bearer ${LOOKER.text}`);
    await dora.get('/ops/v1/tiers').expect(200);
    const { body } = await dora
      .post('/ops/v1/jobs/list-fetch/pause')
      .send({ reason: 'to see what happens' })
      .expect(403);
    expect(body.error).toMatchObject({ code: 'scope_required', message: expect.stringContaining('"act"') });
    const upload = dora.post('/ops/v1/imports').query({ reason: 'x' });
    await upload.set('Content-Type', 'application/octet-stream').send('domain\n').expect(403);
    expect((await audit('job:list-fetch')).map(({ actor }) => actor)).not.toContain('operator:dora');
  });

  it('is shut to a key that has expired, and records it and wrong ones with their networks', async () => {
    const former = test
      .caller()
      .set('Authorization', `Bearer ${FORMER.text}`)
      .set('X-Forwarded-For', '203.0.113.9');
    expect((await former.get('/ops/v1/tiers').expect(401)).body.error.code).toBe('key_invalid');
    const guess = test.caller().set('Authorization', 'Bearer guess').set('X-Forwarded-For', '2001:db8:5::9');
    await guess.get('/ops/v1/tiers').expect(401);
    const wrong = await audit('operators');
    expect(wrong).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ reason: 'the key of emil has expired', from: '203.0.113.0/24' }),
        expect.objectContaining({ action: 'operator.wrong-key', from: '2001:db8:5::/48' }),
      ]),
    );
    expect(JSON.stringify(wrong)).not.toContain('guess');
    expect(wrong.length).toBeLessThanOrEqual(20);
  });

  it('records a flood of wrong keys in few entries, which say how many there were', async () => {
    for (let place = 0; place < 100; place += 1)
      await test
        .caller()
        .get('/ops/v1/tiers')
        .set('Authorization', 'Bearer guess')
        .set('X-Forwarded-For', `203.0.113.${100 + place}`)
        .expect(401);
    const wrong = (await audit('operators')).filter(({ action }) => action === 'operator.wrong-key');
    expect(wrong.length).toBeGreaterThanOrEqual(20);
    expect(wrong.length).toBeLessThanOrEqual(23);
    expect(wrong[0]?.reason).toMatch(/^a key that does not work; number 80 in an hour, of which not all are/);
  });

  it('keeps no mail addresses in reasons', async () => {
    const reason = 'asked by jo.smith+x@mail.example.com.au (cc <ann@example.org>), ticket 7@2';
    const domain = await addDomain(test.database);
    await post(`dataset/${domain}/hide`, { reason }).expect(200);
    const [entry] = await audit(`domain:${domain}`);
    expect(entry?.reason).toBe('asked by [mail address] (cc <[mail address]>), ticket 7@2');
  });

  it('is in no public document, and has one of its own', async () => {
    const { body } = await test.caller().get('/ops/openapi.json').expect(200);
    const paths = Object.keys((body as { paths: object }).paths);
    expect(paths).toEqual(
      expect.arrayContaining(['/ops/v1/status', '/ops/v1/imports', '/ops/v1/dataset/{domain}/hide']),
    );
    expect(paths.filter((path) => !path.startsWith('/ops/v1/'))).toEqual([]);
    // The key is no JWT, and failures are JSON where the answer is a file, too.
    expect(body).toMatchObject({
      components: { securitySchemes: { operatorKey: { type: 'http', scheme: 'bearer' } } },
    });
    expect(JSON.stringify(body)).not.toMatch(/bearerFormat|JWT/);
    const { get } = (body as OperatorsDocument).paths['/ops/v1/usage.csv'] ?? {};
    const types = Object.entries(get?.responses ?? {}).map(([status, { content = {} }]) => [
      status,
      ...Object.keys(content),
    ]);
    expect(types).toContainEqual(['200', 'text/csv']);
    expect(types.length).toBeGreaterThan(5);
    for (const [status, type] of types)
      if (status !== '200') expect([status, type]).toEqual([status, 'application/json']);
    for (const path of [
      '/v1/openapi.json',
      '/api/v1/openapi.json',
      '/robots.txt',
      '/sitemap.xml',
      '/llms.txt',
      '/',
    ])
      expect((await test.caller().get(path).expect(200)).text).not.toMatch(/\/ops\/|operatorKey/);
    const page = await test.caller().get('/ops/docs').expect(200);
    expect(page.headers).toMatchObject({
      'x-robots-tag': 'noindex',
      'content-security-policy': expect.stringContaining("script-src 'self'"),
    });
  });

  it('is not there without a key in the configuration', async () => {
    const without = await startTestApp();
    for (const path of ['/ops/v1/status', '/ops/docs', '/ops/openapi.json'])
      expect(
        (await without.caller().get(path).set('Authorization', `Bearer ${KEY.text}`)).body,
      ).toMatchObject({
        error: { code: 'not_found', message: expect.stringContaining('There is nothing at this address') },
      });
    await without.close();
  });

  it('has a port of its own where the configuration says so', async () => {
    const apart = await startTestApp({ ...OPERATORS, OPS_PORT: '0' });
    const port = apart.app.get(OperatorsPort).listensAt;
    const ask = async (url: string) =>
      (await fetch(url, { headers: { Authorization: `Bearer ${KEY.text}` } })).status;
    const own = `http://127.0.0.1:${port}`;
    expect([
      await ask(`${own}/ops/v1/tiers`),
      await ask(`${own}/ops/docs`),
      await ask(`${own}/v1/stats`),
    ]).toEqual([200, 200, 404]);
    expect([
      await ask(`${apart.url}/ops/v1/tiers`),
      await ask(`${apart.url}/ops/docs`),
      await ask(`${apart.url}/v1/stats`),
    ]).toEqual([404, 404, 200]);
    await apart.close();
    await expect(fetch(own)).rejects.toThrow('fetch failed');
  });
});

describe('names', () => {
  it('are shown with all evidence, hidden, shown again and removed, each with who and why', async () => {
    const domain = await addDomain(test.database);
    const suggested = async () => {
      const { body } = await test
        .caller()
        .get('/v1/suggest')
        .query({ q: domain.split('.')[0] });
      return (body as { count: number }).count;
    };
    expect(await suggested()).toBe(1);
    expect((await post(`dataset/${domain}/hide`).expect(200)).body).toEqual({ ok: true, changed: true });
    expect((await post(`dataset/${domain}/hide`).expect(200)).body).toEqual({ ok: true, changed: false });
    expect(await suggested()).toBe(0);
    const { body } = await alice.get(`/ops/v1/dataset/${domain}`).expect(200);
    expect(body).toMatchObject({
      row: { state: 'available', hidden: true, confirmed_by: 'vouched:test' },
      events: [{ type: 'domain.removed' }],
      audit: [{ actor: 'operator:alice', action: 'domain.hide', reason: REASON }],
    });
    await post(`dataset/${domain}/unhide`).expect(200);
    expect(await suggested()).toBe(1);
    await post(`dataset/${domain}/remove`).expect(200);
    expect(await suggested()).toBe(0);
    expect((await alice.get(`/ops/v1/dataset/${domain}`).expect(200)).body).toMatchObject({
      row: null,
      events: [{ type: 'domain.removed' }, { type: 'domain.dropped' }, { type: 'domain.removed' }],
    });
    const entries = await audit(`domain:${domain}`);
    expect(entries.map(({ action }) => action)).toEqual(['domain.remove', 'domain.unhide', 'domain.hide']);
    expect(entries[0]?.from).toMatch(/^198\.18\.\d+\.0\/24$/);
  });

  it.each([
    ['without a reason', {}, 400, 'invalid_parameter'],
    ['with an empty one', { reason: '' }, 400, 'invalid_parameter'],
    ['with more', { reason: REASON, by: 'mallory' }, 400, 'invalid_parameter'],
  ])('are not changed %s', async (_, body, status, code) => {
    const domain = await addDomain(test.database);
    expect((await post(`dataset/${domain}/hide`, body).expect(status)).body).toMatchObject({
      error: { code },
    });
    expect(await audit(`domain:${domain}`)).toEqual([]);
  });

  it('that are none are told apart from those that are not there', async () => {
    expect((await post('dataset/nobody-knows.com.au/hide').expect(404)).body).toMatchObject({
      error: { code: 'not_found' },
    });
    expect((await post('dataset/example.com/hide').expect(400)).body).toMatchObject({
      error: { code: 'domain_suffix_unsupported' },
    });
  });
});

describe('jobs', () => {
  it('are listed, paused, wanted and resumed', async () => {
    await test.database.query(
      `WITH kind AS (INSERT INTO work_kind (kind) VALUES ('stale')) INSERT INTO work (kind, key, due_at) VALUES ('stale', '', now())`,
    );
    const job = async () => {
      const { body } = await alice.get('/ops/v1/jobs').expect(200);
      return (body as { jobs: { name: string }[] }).jobs.find(({ name }) => name === 'stale');
    };
    expect(await job()).toMatchObject({ is_due: true, paused: null, wanted_at: null });
    await post('jobs/stale/pause').expect(200);
    expect(await job()).toMatchObject({ is_due: false, paused: { by: 'operator:alice', reason: REASON } });
    await post('jobs/stale/run').expect(200);
    expect(await job()).toMatchObject({ wanted_at: expect.any(String) });
    await post('jobs/stale/resume').expect(200);
    expect(await job()).toMatchObject({ paused: null });
    expect((await audit('job:stale')).map(({ action }) => action)).toEqual([
      'job.resume',
      'job.run',
      'job.pause',
    ]);
    expect((await post('jobs/no-such-job/pause').expect(404)).body).toMatchObject({
      error: { message: expect.stringContaining('there are: ') },
    });
  });
});

describe('accounts', () => {
  it('are disabled: no key works and nobody signs in, until they are enabled', async () => {
    const { bearer, accountId } = await addKey(test.database, { tier: 'pro' });
    const status = async () => (await test.caller().get('/v1/stats').set('Authorization', bearer)).status;
    expect(await status()).toBe(200);
    await post(`accounts/${accountId}/disable`).expect(200);
    await until('the key is refused', async () => (await status()) === 401);
    expect((await alice.get(`/ops/v1/accounts/${accountId}`).expect(200)).body).toMatchObject({
      tier: 'pro',
      disabled_at: expect.any(String),
      keys: [{ works: false, revoked_at: null }],
    });
    await post(`accounts/${accountId}/enable`).expect(200);
    await until('the key works', async () => (await status()) === 200);

    const { email, open } = await signedInVisitor(test);
    await open('/profile').expect(200);
    const { body } = await alice.get('/ops/v1/accounts').query({ email }).expect(200);
    const { id } = (body as { accounts: { id: string }[] }).accounts[0] ?? { id: '' };
    await post(`accounts/${id}/disable`).expect(200);
    await open('/profile').expect(303);
    const { text } = await visitorOf(test).send('/sign-in', { email, password: PASSWORD }).expect(403);
    expect(text).toContain('This account is disabled');
    await post(`accounts/${id}/enable`).expect(200);
    await visitorOf(test).send('/sign-in', { email, password: PASSWORD }).expect(303);
  });

  it('get another tier, lose a key, and are removed', async () => {
    const { id, bearer, accountId } = await addKey(test.database, { tier: 'member' });
    await post(`accounts/${accountId}/tier`, { tier: 'pro', reason: REASON }).expect(200);
    const again = await post(`accounts/${accountId}/tier`, { tier: 'pro', reason: REASON }).expect(200);
    expect(again.body).toMatchObject({ changed: false });
    await post(`accounts/${accountId}/tier`, { tier: 'demo', reason: REASON }).expect(400);
    expect((await alice.get(`/ops/v1/accounts/${accountId}/usage`).expect(200)).body).toMatchObject({
      tier: 'pro',
      quota: { period: 'month' },
    });
    await post(`keys/${id}/revoke`).expect(200);
    await until('the key is refused', async () => {
      return (await test.caller().get('/v1/stats').set('Authorization', bearer)).status === 401;
    });
    await post(`keys/${id}/revoke`).expect(404);
    await test.database.query(
      `INSERT INTO usage_day SELECT * FROM jsonb_populate_record(NULL::usage_day, $1)`,
      [JSON.stringify({ account_id: accountId, key_id: id, day: '2026-11-01', records: 3 })],
    );
    await post(`accounts/${accountId}/remove`).expect(200);
    expect(await test.database.query('SELECT FROM usage_day WHERE account_id = $1', [accountId])).toEqual([]);
    await alice.get(`/ops/v1/accounts/${accountId}`).expect(404);
    expect((await audit(`account:${accountId}`)).map(({ action, reason }) => [action, reason])).toEqual([
      ['account.remove', REASON],
      ['key.revoke', REASON],
      ['account.tier', `${REASON} (member -> pro)`],
    ]);
  });
});

describe('imports', () => {
  const LIST = `domain,wayback,first_seen\nuploaded-name.com.au,12,2026-11-01\nnot a name,1,2026-11-01\n`;
  const upload = (text: string | Buffer, query: object) =>
    alice
      .post('/ops/v1/imports')
      .query({ file: 'list.csv', reason: REASON, ...query })
      .set('Content-Type', 'application/octet-stream')
      .send(text);
  const ended = (id: string) =>
    until('the import ends', async () => {
      const { body } = await alice.get(`/ops/v1/imports/${id}`).expect(200);
      const found = body as AnswerOf<'ImportDetails'>;
      return found.state === 'running' ? undefined : found;
    });
  const row = async () => (await alice.get('/ops/v1/dataset/uploaded-name.com.au')).status;

  it('are tried, then done, and give back the rows that were not imported', async () => {
    const dry = await upload(LIST, {}).expect(200);
    expect(dry.body).toMatchObject({ dry_run: true, by: 'operator:alice', file: 'list.csv' });
    expect(await ended((dry.body as AnswerOf<'ImportDetails'>).id)).toMatchObject({
      state: 'done',
      percent: 100,
      report: { read: 2, added: 1, rejected: 1, rejects: [expect.stringContaining('line 3, not a name')] },
    });
    expect(await row()).toBe(404);
    const done = await upload(LIST, { dry_run: 'false' }).expect(200);
    const { id } = done.body as AnswerOf<'ImportDetails'>;
    expect(await ended(id)).toMatchObject({ state: 'done', has_rejects: true });
    expect(await row()).toBe(200);
    const { text, headers } = await alice.get(`/ops/v1/imports/${id}/rejects`).expect(200);
    expect(text).toMatch(/^line,domain,reason\n3,not a name,".+"\n$/);
    expect(headers['content-disposition']).toContain('rejects.csv');
    expect((await audit(`import:${id}`)).map(({ action }) => action)).toEqual(['import.done', 'import']);
  });

  it('are made once for each Idempotency-Key, also when both requests come at the same moment', async () => {
    const send = (text: string, key: string) => upload(text, {}).set('Idempotency-Key', key);
    const id = ({ body }: { body: unknown }) => (body as AnswerOf<'ImportDetails'>).id;
    const both = await Promise.all([send(LIST, 'upload-1'), send(LIST, 'upload-1')]);
    expect(both.map(({ status }) => status)).toEqual([200, 200]);
    expect(new Set(both.map(id)).size).toBe(1);
    const made = id(both[0]);
    await ended(made);
    const again = await send(LIST, 'upload-1').expect(200);
    expect([id(again), again.headers.location]).toEqual([made, `/ops/v1/imports/${made}`]);
    const other = await send(`${LIST}third.com.au,1,\n`, 'upload-1').expect(409);
    expect((other.body as { error: { code: string } }).error.code).toBe('idempotency_conflict');
    const later = id(await send(LIST, 'upload-2').expect(200));
    expect(later).not.toBe(made);
    await ended(later);
    expect(await audit(`import:${made}`)).toHaveLength(1);
  });

  it('offer names on the word of somebody, who is on record, and both parts of it are needed', async () => {
    const vouch = { vouched_by: 'registrar-a', confirmed_at: '2026-11-20T04:00:00Z' };
    const file = 'domain,wayback\nvouched-for.com.au,12\n';
    const { body } = await upload(file, { dry_run: 'false', ...vouch }).expect(200);
    const { id } = body as AnswerOf<'ImportDetails'>;
    expect(await ended(id)).toMatchObject({ state: 'done', report: { added: 1 } });
    expect((await alice.get('/ops/v1/dataset/vouched-for.com.au').expect(200)).body).toMatchObject({
      row: { state: 'available', confirmed_by: 'vouched:registrar-a' },
    });
    const reason = `${REASON} (vouched by registrar-a at 2026-11-20T04:00:00.000Z)`;
    expect((await audit(`import:${id}`)).map((entry) => entry.reason)).toEqual([reason, reason]);
    for (const wrong of [
      { vouched_by: 'a' },
      { confirmed_at: vouch.confirmed_at },
      { ...vouch, vouched_by: 'a b' },
    ])
      expect((await upload(file, wrong).expect(400)).body).toMatchObject({
        error: { code: 'invalid_parameter' },
      });
    const ahead = await upload(file, { ...vouch, confirmed_at: '2099-01-01T00:00:00Z' }).expect(200);
    expect(await ended((ahead.body as AnswerOf<'ImportDetails'>).id)).toMatchObject({
      state: 'failed',
      problem: expect.stringContaining('in the future'),
    });
  });

  it.each([
    ['more rejects than may be', LIST, { max_rejects_percent: '10' }, '1 of 2 rows were rejected, 50.0 %'],
    ['a zip archive', Buffer.from('504b030414000000', 'hex'), {}, 'It is a zip archive'],
    ['no list', 'hello\n', {}, 'must be a header'],
  ])('fail with a reason: %s', async (_, bytes, query, problem) => {
    const { body } = await upload(bytes, query).expect(200);
    expect(await ended((body as AnswerOf<'ImportDetails'>).id)).toMatchObject({
      state: 'failed',
      problem: expect.stringContaining(problem),
    });
  });

  it('are bounded, and need a reason and a file', async () => {
    expect((await upload(Buffer.alloc(1_100_000, 'x'), {}).expect(413)).body).toMatchObject({
      error: { code: 'body_too_large' },
    });
    expect((await upload('', {}).expect(400)).body).toMatchObject({ error: { code: 'bad_request' } });
    expect((await upload(LIST, { reason: '' }).expect(400)).body).toMatchObject({
      error: { code: 'invalid_parameter' },
    });
    expect((await upload(LIST, { file: '../../etc/passwd' }).expect(400)).body).toMatchObject({
      error: { code: 'invalid_parameter' },
    });
  });

  it('are not told as failed when nobody knows whether the names are in', async () => {
    await test.database.query(`
      CREATE FUNCTION hang_up() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$`);
    await test.database.query(`
      CREATE CONSTRAINT TRIGGER hang_up AFTER UPDATE ON dataset DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION hang_up()`);
    const { body } = await upload(LIST.replace('uploaded', 'unsure'), { dry_run: 'false' }).expect(200);
    const { id } = body as AnswerOf<'ImportDetails'>;
    await until('it has ended', () =>
      test.log.some((line) => line.includes(id) && line.includes('may be in or not')),
    );
    await test.database.query('DROP FUNCTION hang_up CASCADE');
    await test.database.query(
      `UPDATE operator_import SET touched_at = now() - interval '2 minutes' WHERE id = $1`,
      [id],
    );
    expect(await ended(id)).toMatchObject({ state: 'interrupted', problem: null });
  });

  it('whose process was killed are told as interrupted, and keep nobody from the next', async () => {
    await test.database.query(
      `INSERT INTO operator_import (id, file, bytes, dry_run, actor, reason, touched_at)
       VALUES ('00000000-0000-4000-8000-000000000000', 'a.csv', 1, true, 'operator:bob', 'a look', now() - interval '2 minutes')`,
    );
    const { body } = await alice.get('/ops/v1/imports/00000000-0000-4000-8000-000000000000').expect(200);
    expect(body).toMatchObject({ state: 'interrupted' });
    const next = await upload(LIST, {}).expect(200);
    expect(await ended((next.body as AnswerOf<'ImportDetails'>).id)).toMatchObject({ state: 'done' });
  });
});

it('usage is told by account, key and day, page by page and as a file, and adds up', async () => {
  const one = await addKey(test.database, { tier: 'pro', name: 'Billed' });
  const other = await addKey(test.database, { tier: 'starter' });
  await test.database.query(
    `INSERT INTO usage_day (account_id, key_id, day, records)
     SELECT $1::uuid, $2::uuid, day::date, 3 FROM generate_series('2025-03-01'::date, '2025-12-31'::date, '1 day') AS day
      UNION ALL SELECT $3::uuid, $4::uuid, day::date, 2 FROM generate_series('2025-03-01'::date, '2025-12-31'::date, '1 day') AS day`,
    [one.accountId, one.id, other.accountId, other.id],
  );
  const days = { from: '2025-03-01', to: '2025-12-31' };
  const page = async (query: object) =>
    (
      await alice
        .get('/ops/v1/usage')
        .query({ ...days, ...query })
        .expect(200)
    ).body as AnswerOf<'Charged'>;
  const pages = [await page({}), await page({ page: 2 })];
  expect(pages.map(({ results, has_more, records }) => [results.length, has_more, records])).toEqual([
    [500, true, 306 * 5],
    [112, false, 306 * 5],
  ]);
  const all = pages.flatMap(({ results }) => results);
  expect(new Set(all.map(({ day, key_id }) => `${day} ${key_id}`)).size).toBe(612);
  expect(all.reduce((sum, { records }) => sum + records, 0)).toBe(306 * 5);
  const mine = await page({ account: one.accountId });
  expect(mine).toMatchObject({ records: 306 * 3, has_more: false });
  expect(mine.results[0]).toMatchObject({ day: '2025-03-01', key_name: 'Billed', tier: 'pro', records: 3 });
  const { text, headers } = await alice
    .get('/ops/v1/usage.csv')
    .query({ ...days, account: one.accountId })
    .expect(200);
  expect(headers['content-type']).toContain('text/csv');
  expect(text.split('\n').slice(0, 2)).toEqual([
    'day,account,email,tier,key_id,key_name,records',
    expect.stringMatching(new RegExp(`^2025-03-01,${one.accountId},.+@example.com,pro,${one.id},Billed,3$`)),
  ]);
  expect(text.trim().split('\n')).toHaveLength(307);
  const today = new Date().toISOString().slice(0, 10);
  expect(
    (await alice.get('/ops/v1/usage').query({ from: 'today', to: 'tomorrow' }).expect(200)).body,
  ).toMatchObject({
    from: today,
  });
  await alice.get('/ops/v1/usage').query({ from: 'someday' }).expect(400);
  await alice.get('/ops/v1/usage').query({ from: '2025-12-31', to: '2025-03-01' }).expect(400);
  await alice.get('/ops/v1/usage').query({ from: '2020-01-01', to: '2025-03-01' }).expect(400);
  await test.caller().get('/ops/v1/usage').expect(401);
});

it('the records, the tiers and the status are there to be read', async () => {
  expect((await alice.get('/ops/v1/status').expect(200)).body).toMatchObject({
    jobs: { are_done: false },
    accounts: { disabled: 0 },
    dataset: { ok: true },
  });
  for (const path of ['fetches', 'exports', 'keys?limit=1', 'imports', 'tiers'])
    expect((await alice.get(`/ops/v1/${path}`).expect(200)).body).toMatchObject({ ok: true });
});

it('an import that ended early is in the status until it is discarded', async () => {
  const discard = async () => (await post('imports/discard').expect(200)).body;
  expect(await discard()).toEqual({ ok: true, changed: false });
  await test.database.query(
    `INSERT INTO import_run (fingerprint, source, counts, done, touched_at)
     VALUES ('0', 'big.csv', '{"added": 7, "changed": 2, "unchanged": 1, "absent": 0}', 'm.au', '2026-11-20T04:00:00Z')`,
  );
  const { body } = await alice.get('/ops/v1/status').expect(200);
  const at = '2026-11-20T04:00:00.000Z';
  expect(body.unfinished_import).toEqual({ source: 'big.csv', at, rows: 10 });
  expect(describeStatus(body)).toMatch(/^import +big\.csv ENDED EARLY at 2026.* 10 rows are in/m);
  expect(await discard()).toEqual({ ok: true, changed: true });
  expect(await audit('import:big.csv')).toMatchObject([{ action: 'import.discard', reason: REASON }]);
  expect((await alice.get('/ops/v1/status').expect(200)).body.unfinished_import).toBeNull();
});

it('no log line has the key, and none an address of an account', () => {
  expect(test.log.filter((line) => line.includes(KEY.text) || line.includes('@example.com/'))).toEqual([]);
});

it('the command line prints the status in 20 lines, and says what it does not know', async () => {
  const { body } = await alice.get('/ops/v1/status').expect(200);
  const text = describeStatus(body);
  expect(text.split('\n').length).toBeLessThanOrEqual(21);
  expect(text).toMatch(/^on offer +\d+; /m);
  expect(text).toMatch(/^lists +none is fetched: LIST_DELETED_URLS/m);
  expect(text).toContain('sandbox (answers are made up)');
  expect(text).toMatch(/^false offers +no sample yet$/m);
  const { truth } = body.dataset;
  const [day, ...longer] = truth.windows;
  const offers = { ...truth.offers, sampled: 49 };
  const withTruth = (more: object) =>
    describeStatus({ ...body, dataset: { ...body.dataset, truth: { ...truth, offers, ...more } } });
  expect(withTruth({})).toMatch(/^false offers +too few to tell: 49 sampled$/m);
  const told = { ...day.offers, sampled: 700, taken: 35, share: 0.05, low: 0.0355, high: 0.0697 };
  const changes = [{ ...truth.changes[0], change: 'rise', day_taken: 35, day_sampled: 700, day_expected: 7 }];
  expect(withTruth({ windows: [{ ...day, offers: told }, ...longer], changes })).toMatch(
    /^false offers +5\.00 % \(3\.55 to 6\.97, 700 sampled in 24 h\); MORE taken than usual \(offers: 35 of 700 in a day, 7 expected\)$/m,
  );
  const drops = {
    ...{ waiting: 230_000, precision: 'estimated' as const },
    ...{ oldest: '2026-11-20T03:00:00.000Z', ends_at: '2026-12-01T03:00:00.000Z' },
  };
  const retry = { waiting: null, oldest: null, precision: null, ends_at: null };
  const full = describeStatus({
    ...body,
    dataset: { ...body.dataset, queues: { ...body.dataset.queues, drops, retry } },
  });
  expect(full).toMatch(/^waits: drops +about 230000, the oldest since 2026-11-20.*, until about 2026-12-01/m);
  expect(full).toMatch(/^waits: backlog +\d+/m);
  expect(full).toMatch(/^waits: retry +unknown$/m);
});
