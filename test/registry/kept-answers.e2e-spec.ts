import { Logger } from '@nestjs/common';
import { AnswerLog, firstDayKept } from '../../src/registry/answer-log.js';
import { AnswerLogRepository } from '../../src/registry/answer-log.repository.js';
import { mintOperatorKey } from '../../src/ops/operator-key.js';
import { addKey, WITH_KEYS } from '../support/accounts.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { addDomain, addInState } from '../support/domains.js';
import {
  found,
  NOT_FOUND,
  type Reply,
  type ScriptedRegistry,
  startScriptedRegistry,
} from '../support/registry.js';

const operator = mintOperatorKey();
let test: TestApp;
let rdap: ScriptedRegistry;
let bearer: string;

beforeAll(async () => {
  rdap = await startScriptedRegistry();
  test = await startTestApp({
    ...WITH_KEYS,
    ...{ REGISTRY_RDAP_URL: rdap.url, OPERATOR_KEY_HASH: `alice:${operator.hash}` },
  });
  ({ bearer } = await addKey(test.database, { tier: 'starter' }));
});
afterAll(async () => {
  await test.close();
  await rdap.close();
});

const check = (domain: string) => test.caller().get('/v1/domains/check').query({ domain });
const open = (domain: string) => test.caller().get(`/domains/${domain}`);
const show = (domain: string) =>
  test.caller().get(`/ops/v1/dataset/${domain}`).auth(operator.text, { type: 'bearer' });
/** The answer is no longer reused; what is kept of it stays. */
const endCache = () => test.database.query('DELETE FROM registry_answer');
/** As a cache gives it that has kept it for so long. */
const aged = (seconds: number, reply: Reply): Reply => {
  if (typeof reply === 'function') throw new TypeError('a plain reply is needed');
  return { ...reply, headers: { age: String(seconds) } };
};
const badgeIn = (page: string) => /<div class="line tight"><span class="chip \w+">([^<]+)/.exec(page)?.[1];

describe('a name outside the dataset', () => {
  it('that was checked is not called unchecked once its answer may not be reused', async () => {
    expect(badgeIn((await open('outside-free.com.au').expect(404)).text)).toBe('Not checked');
    rdap.reply(NOT_FOUND, 'outside-free.com.au');
    rdap.reply(found('outside-held.com.au', 'active'), 'outside-held.com.au');
    for (const domain of ['outside-free.com.au', 'outside-held.com.au']) await check(domain).expect(200);
    await endCache();
    const free = await open('outside-free.com.au').expect(200);
    // It may be taken by now.
    expect(badgeIn(free.text)).toBe('Check due');
    expect(free.text).toMatch(/<b>Available<\/b><small><time[^>]*>[^<]*<\/time>, the sandbox \(made up\)</);
    expect(badgeIn((await open('outside-held.com.au').expect(200)).text)).toBe('Registered');
    const other = await open('outside-free.net.au').expect(404);
    expect(other.text).toMatch(/outside-free\.com\.au">\.com\.au<\/a><span class="chip \w+"[^>]*>Check due/);
    expect(badgeIn(other.text)).toBe('Not checked');
  });

  it('is shown to operators with what was answered, but for its holder', async () => {
    const domain = 'outside-shown.com.au';
    const holder = {
      entities: [{ roles: ['registrant'], vcardArray: ['vcard', [['fn', {}, 'text', 'Jo Holder']]] }],
    };
    rdap.reply(
      { status: 200, body: { objectClassName: 'domain', ldhName: domain, status: ['active'], ...holder } },
      domain,
    );
    await show(domain).expect(404);
    await check(domain).expect(200);
    const { body, text } = await show(domain).expect(200);
    expect(text).not.toContain('Jo Holder');
    expect(body.answers).toEqual([
      {
        ...{ source: 'sandbox', verdict: 'registered', status: 200, parser: 2, age_seconds: null },
        ...{ asked_at: expect.any(String), answered_at: expect.any(String), shape: 'object' },
        text: '{"objectClassName":"domain","ldhName":"{name}","status":["active"]}',
      },
    ]);
    expect(Date.parse(body.answers[0].answered_at)).toBeGreaterThanOrEqual(
      Date.parse(body.answers[0].asked_at),
    );
  });

  it('whose answer was not understood has that kept too', async () => {
    const domain = 'outside-odd.com.au';
    rdap.reply(
      { status: 404, body: { errorCode: 404, title: 'Not Found', description: ['Or is it?'] } },
      domain,
    );
    await check(domain).expect(503);
    await test.app.get(AnswerLog).flush();
    const { body } = await show(domain).expect(200);
    expect(body.answers).toMatchObject([
      { verdict: 'not_understood', status: 404, text: expect.stringContaining('Or is it?') },
    ]);
    const { text } = await open(domain).expect(200);
    expect(badgeIn(text)).toBe('No clear answer');
    expect(text).toContain('It was checked, but the answer was not clear.');
    expect(text).toMatch(/<b>No clear answer<\/b><small><time[^>]*>[^<]*<\/time>, the sandbox \(made up\)</);
    const other = await open('outside-odd.net.au').expect(404);
    expect(badgeIn(other.text)).toBe('Not checked');
    expect(other.text).toMatch(
      /outside-odd\.com\.au">\.com\.au<\/a><span class="chip \w+"[^>]*>No clear answer/,
    );
  });

  it('whose answer came out of a cache keeps how old it was', async () => {
    const domain = 'outside-cached.com.au';
    rdap.reply(aged(120, found(domain, 'active')), domain);
    await check(domain).expect(200);
    rdap.reply(aged(7_200, NOT_FOUND), 'outside-old.com.au');
    await check('outside-old.com.au').expect(503);
    await test.app.get(AnswerLog).flush();
    const { body } = await show(domain).expect(200);
    expect(body.answers).toMatchObject([{ verdict: 'registered', age_seconds: 120 }]);
    const { body: old } = await show('outside-old.com.au').expect(200);
    expect(old.answers).toMatchObject([{ verdict: 'too_old', age_seconds: 7200 }]);
  });
});

describe('a name of the dataset', () => {
  it('has its answers in the report of tiers with full fields', async () => {
    const domain = await addDomain(test.database, { domain: 'inside.com.au' });
    rdap.reply(found(domain, 'active'), domain);
    await check(domain).expect(200);
    const { body } = await test
      .caller()
      .get(`/api/v1/domains/${domain}`)
      .set('Authorization', bearer)
      .expect(200);
    expect(body.history).toEqual([
      { type: 'domain.taken', timestamp: expect.any(String) },
      {
        ...{ type: 'domain.checked', timestamp: body.checked_at },
        registry: {
          ...{ source: 'sandbox', state: 'registered', status: 200, parser: 2, age_seconds: null },
          ...{ asked_at: body.checked_at, answered_at: expect.any(String) },
        },
      },
    ]);
    const { body: demo } = await test.caller().get(`/api/v1/domains/${domain}`).expect(200);
    expect(demo).not.toHaveProperty('history');
  });

  it('that an operator removes takes its answers along', async () => {
    const domain = await addDomain(test.database, { domain: 'removed.com.au' });
    rdap.reply(found(domain, 'active'), domain);
    await check(domain).expect(200);
    await test
      .caller()
      .post(`/ops/v1/dataset/${domain}/remove`)
      .auth(operator.text, { type: 'bearer' })
      .send({ reason: 'its holder asked' })
      .expect(200);
    expect((await show(domain).expect(200)).body.answers).toEqual([]);
    await endCache();
    expect(badgeIn((await open(domain).expect(404)).text)).toBe('Not checked');
  });

  it('that was checked before answers were kept says when, and that there are no details', async () => {
    await addInState(test.database, [
      { domain: 'before.com.au', state: 'unconfirmed', checkedAt: new Date('2026-09-09T01:02:03Z') },
      { domain: 'never.com.au', state: 'unconfirmed' },
    ]);
    const { text } = await open('before.com.au').expect(200);
    expect(badgeIn(text)).toBe('Check due');
    expect(text).toContain('2026-09-09T01:02:03.000Z');
    expect(text).toContain('Checked; the details of this answer were not kept');
    expect(badgeIn((await open('never.com.au').expect(200)).text)).toBe('Not checked');
    const report = (domain: string) =>
      test.caller().get(`/api/v1/domains/${domain}`).set('Authorization', bearer).expect(200);
    expect((await report('before.com.au')).body.history).toEqual([
      { type: 'domain.checked', timestamp: '2026-09-09T01:02:03.000Z', registry: null },
    ]);
    expect((await report('never.com.au')).body.history).toEqual([]);
    const noteOf = async (domain: string) => (await show(domain).expect(200)).body.answers_note;
    expect(await noteOf('before.com.au')).toMatch(
      /^It was checked at 2026-09-09T01:02:03.*; the details of that answer were not kept\.$/,
    );
    expect(await noteOf('never.com.au')).toBeNull();
  });

  it('that somebody vouched for was not checked', async () => {
    const domain = await addDomain(test.database, { domain: 'vouched-for.com.au' });
    const { body } = await test.caller().get(`/api/v1/domains/${domain}`).set('Authorization', bearer);
    expect(body.history).toEqual([]);
    expect((await open(domain).expect(200)).text).not.toContain('the details of this answer were not kept');
    expect((await show(domain).expect(200)).body.answers_note).toBeNull();
  });

  it('keeps the answer also where an import keeps its verdict from being written', async () => {
    const domain = await addDomain(test.database, { domain: 'locked.com.au' });
    rdap.reply(found(domain, 'active'), domain);
    await test.database.transaction(async (transaction) => {
      await transaction.query('SELECT FROM domain WHERE domain = $1 FOR UPDATE', [domain]);
      await check(domain).expect(200);
    });
    await test.app.get(AnswerLog).flush();
    const answers = await new AnswerLogRepository(test.database).list(domain, 10);
    expect(answers.map(({ verdict }) => verdict)).toEqual(['registered']);
  });
});

describe('the months', () => {
  it('one that cannot be written does not hold up the others', async () => {
    const log = test.app.get(AnswerLog);
    const now = new Date();
    const entry = (domain: string, ageSeconds: number) => ({
      ...({
        domain,
        ageSeconds,
        askedAt: now,
        answeredAt: now,
        source: 'rdap',
        verdict: 'not_understood',
      } as const),
      ...{ parser: 2, evidence: { status: 404, hasRdapType: true, shape: null, text: 'queued' } },
    });
    log.add(entry('unwritable.com.au', 2 ** 31));
    log.add(entry('writable.com.au', 1));
    await log.flush();
    expect(await new AnswerLogRepository(test.database).list('writable.com.au', 10)).toHaveLength(1);
  });

  it('one that comes after the service has ended is not tried again for ever', async () => {
    const ended = await startTestApp({ REGISTRY_RDAP_URL: rdap.url });
    await ended.close();
    const now = new Date();
    const log = ended.app.get(AnswerLog);
    const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    log.add({
      ...({
        domain: 'late.com.au',
        ageSeconds: null,
        askedAt: now,
        answeredAt: now,
        source: 'rdap',
      } as const),
      ...({ verdict: 'not_understood', parser: 2 } as const),
      evidence: { status: 404, hasRdapType: true, shape: null, text: 'late' },
    });
    await log.flush();
    const warnings = warn.mock.calls;
    warn.mockRestore();
    expect(warnings).toEqual([]);
  });

  it('that are over are deleted, with the texts that only they had', async () => {
    const log = test.app.get(AnswerLog);
    const repository = new AnswerLogRepository(test.database);
    const entry = (domain: string, at: string) => ({
      ...({ domain, source: 'rdap', verdict: 'available', parser: 1, ageSeconds: null } as const),
      ...{ askedAt: new Date(at), answeredAt: new Date(at) },
      evidence: { status: 404, hasRdapType: true, shape: 'object', text: `{"title":"${at}"}` } as const,
    });
    const months = () =>
      test.database.query<{ name: string }>(
        `SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'kept_answer'::regclass
          ORDER BY 1`,
      );
    log.add(entry('old.com.au', '2024-10-31T23:59:59Z'));
    log.add(entry('young.com.au', '2024-11-01T00:00:00Z'));
    await log.flush();
    expect(await repository.list('old.com.au', 1)).toHaveLength(1);
    await log.purge(new Date('2026-12-15T00:00:00Z'));
    const left = (await months()).map(({ name }) => name);
    expect(left).toContain('kept_answer_2027_01');
    expect(left).not.toContain('kept_answer_2024_10');
    expect(await repository.list('old.com.au', 1)).toEqual([]);
    expect(await repository.list('young.com.au', 1)).toHaveLength(1);
    const texts = await test.database.query<{ text: string }>(
      `SELECT text FROM kept_text WHERE text LIKE '%2024-%'`,
    );
    expect(texts).toEqual([{ text: '{"title":"2024-11-01T00:00:00Z"}' }]);
  });

  it('that have ended are packed, and say the same as before', async () => {
    const log = test.app.get(AnswerLog);
    const repository = new AnswerLogRepository(test.database);
    const names = Array.from({ length: 300 }, (_, place) => `packed${place % 100}.com.au`);
    for (const [place, domain] of names.entries())
      log.add({
        ...({ domain, source: 'rdap', parser: 2, ageSeconds: place % 7 === 0 ? place : null } as const),
        verdict: place % 2 === 0 ? 'registered' : 'not_understood',
        askedAt: new Date(Date.UTC(2026, 6, 1 + (place % 30), 0, 0, 0, place)),
        answeredAt: new Date(Date.UTC(2026, 6, 1 + (place % 30), 0, 0, 1, place)),
        evidence: { status: 404, hasRdapType: true, shape: 'object', text: `{"title":"${place % 5}"}` },
      });
    await log.flush();
    const read = async () => ({
      lists: await Promise.all(
        ['packed0.com.au', 'packed99.com.au'].map((name) => repository.list(name, 10)),
      ),
      last: await repository.findLast(['packed1.com.au', 'packed2.com.au', 'none.com.au'], ['rdap']),
      texts: await repository.listTexts(new Date('2026-07-11T00:00:00Z'), 100),
    });
    const before = await read();
    expect(before.lists.map(({ length }) => length)).toEqual([3, 3]);
    const rows = (table: string) =>
      test.database.query<{ rows: number }>(`SELECT count(*)::int AS rows FROM ${table}`);
    await log.purge(new Date('2026-08-02T00:00:00Z'));
    expect(await rows('kept_answer_2026_07')).toEqual([{ rows: 300 }]);
    await log.purge(new Date('2026-08-03T00:00:00Z'));
    await expect(rows('kept_answer_2026_07')).rejects.toThrow('does not exist');
    expect(await read()).toEqual(before);

    // One that comes as late as this has a month again, which is packed the next day.
    log.add({
      ...({ domain: 'packed0.com.au', source: 'rdap', parser: 2, ageSeconds: null } as const),
      ...{ verdict: 'available', askedAt: new Date('2026-07-31T23:59:59Z') },
      answeredAt: new Date('2026-07-31T23:59:59Z'),
      evidence: { status: 404, hasRdapType: true, shape: 'object', text: '{"title":"late"}' },
    });
    await log.flush();
    await log.purge(new Date('2026-08-04T00:00:00Z'));
    expect((await repository.list('packed0.com.au', 10)).map(({ verdict }) => verdict)).toEqual([
      ...['available', ...(before.lists[0] ?? []).map(({ verdict }) => verdict)],
    ]);
    await test.database.transaction((transaction) => repository.forget('packed0.com.au', transaction));
    expect(await repository.list('packed0.com.au', 10)).toEqual([]);
    expect(await repository.list('packed99.com.au', 10)).toEqual(before.lists[1]);
  });

  it('are created once by writers that come at the same time, beside readers of others', async () => {
    const repository = new AnswerLogRepository(test.database);
    await test.database.transaction(async (transaction) => {
      await repository.list('young.com.au', 1, transaction);
      await Promise.all([0, 1, 2].map(() => repository.createMonth(new Date('2031-01-31T23:59:59.999Z'))));
    });
    const at = new Date('2031-01-31T23:59:59.999Z');
    await repository.add([
      {
        ...({ domain: 'late.com.au', source: 'rdap', verdict: 'available', parser: 1, status: 404 } as const),
        ...{ askedAt: at, answeredAt: at, ageSeconds: null, textId: 1 },
      },
    ]);
  });

  it('begin with their first day', () => {
    expect(firstDayKept(new Date('2026-01-31T23:00:00Z'), 25).toISOString()).toBe('2023-12-01T00:00:00.000Z');
  });
});
