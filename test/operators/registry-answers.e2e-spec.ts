import { withStatementTimeout } from '../../src/db/open-database.js';
import { mintOperatorKey } from '../../src/ops/operator-key.js';
import { AnswerLog } from '../../src/registry/answer-log.js';
import { AnswerLogRepository } from '../../src/registry/answer-log.repository.js';
import { isAmbiguous } from '../../src/registry/answer-replay.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { found, NOT_FOUND, type ScriptedRegistry, startScriptedRegistry } from '../support/registry.js';

const operator = mintOperatorKey();
const NOTICE = 'The registry thanks you for your interest.';
const ODD = {
  status: 404,
  body: {
    ...{ errorCode: 404, title: 'Not Found' },
    notices: [{ title: 'Legal Notice', description: [NOTICE] }],
  },
};
let test: TestApp;
let rdap: ScriptedRegistry;

beforeAll(async () => {
  rdap = await startScriptedRegistry();
  rdap.reply(ODD);
  rdap.reply(NOT_FOUND, 'plain.com.au');
  rdap.reply(found('held.com.au', 'active'), 'held.com.au');
  test = await startTestApp({
    ...{ REGISTRY_RDAP_URL: rdap.url, REGISTRY_BREAKER_FAILURES: '1000' },
    OPERATOR_KEY_HASH: `alice:${operator.hash}`,
  });
  const checks = { 'plain.com.au': 200, 'held.com.au': 200, 'odd.com.au': 503, 'odder.net.au': 503 };
  for (const [domain, status] of Object.entries(checks)) await check(domain).expect(status);
  await test.app.get(AnswerLog).flush();
});
afterAll(async () => {
  await test.close();
  await rdap.close();
});

const check = (domain: string) => test.caller().get('/v1/domains/check').query({ domain });
const ask = (path: string) =>
  test.caller().get(`/ops/v1/registry/${path}`).auth(operator.text, { type: 'bearer' }).expect(200);
const order = (path: string, body: object) =>
  test
    .caller()
    .post(`/ops/v1/registry/${path}`)
    .auth(operator.text, { type: 'bearer' })
    .send({ reason: 'read with curl', ...body });

const SEEN = {
  ...{ source: 'sandbox', verdict: 'not_understood', status: 404, answers: 2, example: 'odd.com.au' },
  ...{ last_at: expect.any(String), text: expect.stringContaining(NOTICE) },
  ...{ parser: 2, shape: 'object', is_ambiguous: false },
};

it('answers that the rules do not know are listed, once for all names', async () => {
  const { body } = await ask('unknown-answers');
  expect(body).toEqual({ ok: true, texts: [SEEN] });
});

it('of many texts the most frequent are read, and a statement that takes too long is ended', async () => {
  const since = new Date(Date.now() - 3_600_000);
  const [most, ...others] = await new AnswerLogRepository(test.database).listTexts(since, 1);
  expect([most?.answers, others]).toEqual([2, []]);
  const slow = withStatementTimeout(test.database, 50, (database) => database.query('SELECT pg_sleep(30)'));
  await expect(slow).rejects.toThrow();
});

it('kept answers are judged again: nothing changes by the same rules, and nothing by a trial', async () => {
  expect((await ask('replay')).body).toEqual({ ok: true, parser: 2, texts: 3, changes: [] });
  const { body } = await ask(`replay?wording=${encodeURIComponent(NOTICE)}`);
  expect(body).toEqual({ ok: true, parser: 2, texts: 3, changes: [{ ...SEEN, now: 'available' }] });
  await check('odd.com.au').expect(503);
});

it('a text that an operator has read is added with its source, and removed again', async () => {
  await order('wordings', { text: NOTICE }).expect(400);
  const added = { text: NOTICE, source: 'the registry itself, 23 November 2026' };
  const { body } = await order('wordings', added).expect(200);
  expect(body).toEqual({ ok: true, changed: true });
  expect((await order('wordings', added).expect(200)).body.changed).toBe(false);

  // An instance that starts knows what was added, and one that runs learns it.
  const other = await startTestApp({ DATABASE_URL: test.databaseUrl, REGISTRY_RDAP_URL: rdap.url });
  await other.caller().get('/v1/domains/check').query({ domain: 'odd-elsewhere.com.au' }).expect(200);
  await other.close();
  const { body: checked } = await check('odd.com.au').expect(200);
  expect(checked.available).toBe(true);
  expect((await ask('unknown-answers')).body.texts).toEqual([]);
  // What was kept keeps the verdict that it had.
  expect((await ask('replay')).body.changes).toMatchObject([{ verdict: 'not_understood', now: 'available' }]);
  const { body: known } = await ask('wordings');
  expect(known.wordings[0]).toEqual({
    ...{ ...added, meaning: 'not_found', added_by: 'operator:alice' },
    added_on: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
  });
  expect(known.wordings.slice(1).every(({ source }: { source: string }) => source !== '')).toBe(true);

  await order('wordings/remove', { text: NOTICE.toUpperCase() }).expect(200);
  await check('odd-again.com.au').expect(503);
});

it('of two equal keys and of a title alone none is believed, whatever was added', async () => {
  await order('wordings', { text: 'Terms of Use', source: 'a test' }).expect(200);
  rdap.reply({
    status: 404,
    body: { ...ODD.body, notices: [{ title: 'Terms of Use', description: ['Held.'] }] },
  });
  await check('title.com.au').expect(503);
  rdap.reply({ status: 404, body: '{"errorCode":404,"title":"Reserved","title":"Not Found"}' });
  await check('twice.com.au').expect(503);
});

it('bodies that are no plain objects are listed too, by their shape', async () => {
  const bodies = {
    html: '<html><title>Jo Holder</title>',
    list: '[]',
    repeated_keys: '{"errorCode":404,"errorCode":404,"title":"Not Found"}',
    long: JSON.stringify({ errorCode: 404, description: Array<string>(9).fill('x'.repeat(1_000)) }),
  };
  for (const [shape, body] of Object.entries(bodies)) {
    rdap.reply({ status: 404, body }, `${shape.replace('_', '-')}.com.au`);
    await check(`${shape.replace('_', '-')}.com.au`).expect(503);
  }
  await test.app.get(AnswerLog).flush();
  const { body } = await ask('unknown-answers');
  for (const shape of Object.keys(bodies))
    expect(body.texts).toContainEqual(
      expect.objectContaining({ shape, text: null, verdict: 'not_understood', status: 404 }),
    );
  expect(JSON.stringify(body)).not.toContain('Jo Holder');
});

it('an added text with marks, of several sentences, or of a reserved name is read alike at once and in a replay', async () => {
  const says = (description: string) => ({
    status: 404,
    body: { errorCode: 404, title: 'Not Found', description },
  });
  rdap.reply(
    says('Nothing is known of marked.com.au. Ask help@registry.example or 02 5550 1234.'),
    'marked.com.au',
  );
  rdap.reply(says('Kept for its minister. Until further notice.'), 'kept-back.com.au');
  for (const domain of ['marked.com.au', 'kept-back.com.au']) await check(domain).expect(503);
  await test.app.get(AnswerLog).flush();
  const source = 'a test';
  const marked = 'Nothing is known of {name}. Ask {address} or {number}.';
  await order('wordings', { text: marked, source }).expect(200);
  const kept = { text: 'Kept for its minister. Until further notice.', source, meaning: 'reserved' };
  await order('wordings', kept).expect(200);
  const { body } = await ask('replay');
  expect(body.changes).toContainEqual(
    expect.objectContaining({ example: 'marked.com.au', now: 'available' }),
  );
  expect(body.changes).toContainEqual(
    expect.objectContaining({ example: 'kept-back.com.au', now: 'reserved' }),
  );
  expect((await check('marked.com.au').expect(200)).body.available).toBe(true);
  expect((await check('kept-back.com.au').expect(200)).body).toMatchObject({
    available: false,
    registry: { state: 'reserved', message: kept.text },
  });
});

it('the newest rules can be tried while the former ones are in use', async () => {
  const former = await startTestApp({
    ...{ REGISTRY_RDAP_URL: rdap.url, REGISTRY_PARSER: 'former' },
    OPERATOR_KEY_HASH: `alice:${operator.hash}`,
  });
  try {
    const unrestricted = { errorCode: 404, title: 'Not Found', description: 'The label is unrestricted.' };
    rdap.reply({ status: 404, body: unrestricted }, 'unrestricted.com.au');
    const { body } = await former
      .caller()
      .get('/v1/domains/check')
      .query({ domain: 'unrestricted.com.au' })
      .expect(200);
    expect(body.registry.state).toBe('declined');
    const replay = async (parser: string) =>
      (
        await former
          .caller()
          .get(`/ops/v1/registry/replay?parser=${parser}`)
          .auth(operator.text, { type: 'bearer' })
          .expect(200)
      ).body;
    expect(await replay('former')).toMatchObject({ parser: 1, changes: [] });
    expect(await replay('newest')).toMatchObject({
      parser: 2,
      changes: [{ example: 'unrestricted.com.au', verdict: 'declined', parser: 1, now: 'not_understood' }],
    });
  } finally {
    await former.close();
  }
});

it('what earlier versions kept without a shape is marked, where it can stand for several bodies', () => {
  const former = { shape: null, text: '{"errorCode":404,"title":null}' };
  expect(isAmbiguous(former)).toBe(true);
  expect(isAmbiguous({ shape: null, text: null })).toBe(true);
  expect(isAmbiguous({ shape: null, text: '{"errorCode":404}' })).toBe(false);
  expect(isAmbiguous({ ...former, shape: 'object' })).toBe(false);
});
