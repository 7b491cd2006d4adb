import { Logger } from '@nestjs/common';
import { Clock } from '../../src/db/database.js';
import { createLifecycle } from '../../src/domains/domains.module.js';
import { parseDomainName } from '../../src/domains/name/domain-name.js';
import { ApiError } from '../../src/errors/api-error.js';
import { MissedAnswerJob } from '../../src/domains/dataset-jobs.js';
import type { RegistryAnswer } from '../../src/registry/answer.js';
import { addDomain, addInState, VOUCHED_AT } from '../support/domains.js';
import {
  found,
  freshName,
  NOT_FOUND,
  startAvailabilityService,
  openRegistryStage,
  type RegistryStage,
} from '../support/registry.js';

let test: RegistryStage;
beforeAll(async () => {
  test = await openRegistryStage();
});
afterAll(() => test.close());
beforeEach(async () => {
  await test.database.query('DELETE FROM registry_pause');
});

const secondsSince = (begunAt: number) => (performance.now() - begunAt) / 1_000;

describe('Registry.lookUp', () => {
  it('answers with state, source and time', async () => {
    const domain = freshName();
    test.rdap.reply(found(domain.domain, 'pending delete'), domain.domain);
    const before = Date.now();
    const answer = await test.instance().registry.lookUp(domain);
    expect(answer).toEqual({
      state: 'pending_delete',
      source: 'rdap',
      checkedAt: expect.any(Date),
      registeredAt: null,
      message: null,
      cached: false,
    });
    expect(answer.checkedAt.getTime()).toBeGreaterThanOrEqual(before);
    expect(test.rdap.asked.at(-1)).toBe(domain.domain);
  });

  it('says that the sandbox is the source when it is', async () => {
    const answer = await test.instance({ REGISTRY_SOURCE: 'sandbox' }).registry.lookUp(freshName());
    expect(answer).toMatchObject({ state: 'available', source: 'sandbox' });
  });

  it('asks nobody about a reserved name', async () => {
    const asked = test.rdap.asked.length;
    const answer = await test.instance().registry.lookUp(parseDomainName('www.au'));
    expect(answer).toMatchObject({ state: 'reserved', source: 'reserved_names', cached: false });
    expect(test.rdap.asked).toHaveLength(asked);
  });

  it('asks once when 50 callers want the same name', async () => {
    const domain = freshName();
    const asked = test.rdap.asked.length;
    const { registry } = test.instance();
    const answers = await Promise.all(Array.from({ length: 50 }, () => registry.lookUp(domain)));
    expect(new Set(answers.map((answer) => answer.checkedAt.getTime())).size).toBe(1);
    expect(test.rdap.asked.slice(asked)).toEqual([domain.domain]);
  });

  it('gives all 50 the same failure, and asks afresh afterwards', async () => {
    const domain = freshName();
    test.rdap.reply({ status: 500 }, domain.domain);
    const asked = test.rdap.asked.length;
    const { registry } = test.instance();
    const outcomes = await Promise.allSettled(Array.from({ length: 50 }, () => registry.lookUp(domain)));
    expect(outcomes.every((outcome) => outcome.status === 'rejected')).toBe(true);
    expect(test.rdap.asked).toHaveLength(asked + 1);
    test.rdap.reply(found(domain.domain), domain.domain);
    expect(await registry.lookUp(domain)).toMatchObject({ state: 'registered', cached: false });
  });
});

describe('the cache', () => {
  it('is shared by instances and keeps the time of the first answer', async () => {
    const domain = freshName();
    const first = await test.instance().registry.lookUp(domain);
    const asked = test.rdap.asked.length;
    expect(await test.instance().registry.lookUp(domain)).toEqual({ ...first, cached: true });
    expect(test.rdap.asked).toHaveLength(asked);
  });

  it.each([
    ['available', [], 60],
    ['registered', ['active'], 3600],
    ['expired_hold', ['redemption period'], 3600],
    ['reserved', ['reserved'], 60],
  ])('keeps %s for its own time', async (state, status, seconds) => {
    const domain = freshName();
    if (state !== 'available') test.rdap.reply(found(domain.domain, ...status), domain.domain);
    const begunAt = performance.now();
    await test.instance().registry.lookUp(domain);
    const [row] = await test.database.query<{ seconds: number }>(
      `SELECT extract(epoch FROM expires_at - clock_timestamp())::float8 AS seconds FROM registry_answer WHERE domain = $1`,
      [domain.domain],
    );
    expect(row?.seconds).toBeLessThanOrEqual(seconds);
    expect(row?.seconds).toBeGreaterThan(seconds - 1 - secondsSince(begunAt));
  });

  it('asks again when the answer has expired, and purges it', async () => {
    const domain = freshName();
    const { registry, cache } = test.instance();
    await registry.lookUp(domain);
    await test.database.query(`UPDATE registry_answer SET expires_at = now() WHERE domain = $1`, [
      domain.domain,
    ]);
    test.rdap.reply(found(domain.domain), domain.domain);
    expect(await registry.lookUp(domain)).toMatchObject({ state: 'registered', cached: false });
    await test.database.query(`UPDATE registry_answer SET expires_at = now() - interval '1 hour'`);
    await cache.purgeExpired();
    expect(await test.database.query('SELECT FROM registry_answer')).toHaveLength(0);
  });

  it('is passed over by who asks afresh, and keeps the new answer', async () => {
    const domain = freshName();
    const { registry } = test.instance();
    await registry.lookUp(domain);
    test.rdap.reply(found(domain.domain), domain.domain);
    const asked = test.rdap.asked.length;
    const answers = await Promise.all([1, 2].map(() => registry.lookUp(domain, { afresh: true })));
    expect(answers[0]).toMatchObject({ state: 'registered', cached: false });
    expect(answers[1]).toBe(answers[0]);
    expect(test.rdap.asked.slice(asked)).toEqual([domain.domain]);
    expect(await registry.lookUp(domain)).toEqual({ ...answers[0], cached: true });
  });

  it('keeps nothing when told so', async () => {
    const domain = freshName();
    const { registry } = test.instance({ REGISTRY_CACHE_AVAILABLE_SECONDS: '0' });
    await registry.lookUp(domain);
    expect(await registry.lookUp(domain)).toMatchObject({ cached: false });
  });

  it('does not take the word of the sandbox for that of the registry', async () => {
    const domain = freshName();
    await test.instance({ REGISTRY_SOURCE: 'sandbox' }).registry.lookUp(domain);
    expect(await test.instance().registry.lookUp(domain)).toMatchObject({ source: 'rdap', cached: false });
  });

  it('never keeps a failure', async () => {
    const domain = freshName();
    test.rdap.reply({ status: 502, body: '<h1>Bad Gateway</h1>' }, domain.domain);
    await expect(test.instance().registry.lookUp(domain)).rejects.toThrow(ApiError);
    expect(
      await test.database.query('SELECT FROM registry_answer WHERE domain = $1', [domain.domain]),
    ).toEqual([]);
  });

  it('keeps the newer answer when an older one arrives late', async () => {
    const domain = freshName();
    const { cache } = test.instance();
    const answer = (state: RegistryAnswer['state'], checkedAt: Date) =>
      cache.keep(domain.domain, {
        ...{ state, source: 'rdap', checkedAt },
        ...{ registeredAt: null, message: null, cached: false },
      });
    await answer('registered', new Date('2026-11-20T12:00:01Z'));
    await answer('available', new Date('2026-11-20T12:00:00Z'));
    expect((await cache.find([domain.domain], ['rdap'])).get(domain.domain)).toMatchObject({
      state: 'registered',
    });
  });
});

describe('the dataset', () => {
  const rowOf = async (domain: string) => {
    const [row] = await test.database.query('SELECT available, checked_at FROM domain WHERE domain = $1', [
      domain,
    ]);
    return row;
  };

  it('learns that a name has been taken', async () => {
    const domain = freshName();
    await addDomain(test.database, { domain: domain.domain });
    test.rdap.reply(found(domain.domain), domain.domain);
    const { checkedAt } = await test.instance().registry.lookUp(domain);
    expect(await rowOf(domain.domain)).toEqual({ available: false, checked_at: checkedAt });
  });

  it('learns that a name is still free', async () => {
    const domain = freshName();
    await addDomain(test.database, { domain: domain.domain });
    const { checkedAt } = await test.instance().registry.lookUp(domain);
    expect(await rowOf(domain.domain)).toEqual({ available: true, checked_at: checkedAt });
  });

  it('learns nothing from a failure', async () => {
    const domain = freshName();
    await addDomain(test.database, { domain: domain.domain });
    test.rdap.reply({ status: 404, headers: { 'Content-Type': 'text/html' }, body: 'nginx' }, domain.domain);
    await expect(test.instance().registry.lookUp(domain)).rejects.toThrow(ApiError);
    expect(await rowOf(domain.domain)).toEqual({ available: true, checked_at: VOUCHED_AT });
  });

  it('being locked neither spoils the answer nor holds it up, and learns it with the next look-up', async () => {
    const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation();
    const domain = freshName();
    await addDomain(test.database, { domain: domain.domain });
    test.rdap.reply(found(domain.domain), domain.domain);
    await test.database.transaction(async (importing) => {
      await importing.query('SELECT FROM domain WHERE domain = $1 FOR UPDATE', [domain.domain]);
      // Whoever waited for the lock would wait for ever: it ends after this answer.
      expect(await test.instance().registry.lookUp(domain)).toMatchObject({
        state: 'registered',
        cached: false,
      });
    });
    expect(warn).toHaveBeenCalledWith(expect.stringContaining('not written back'));
    warn.mockRestore();
    expect(await rowOf(domain.domain)).toMatchObject({ available: true });
    const { cached, checkedAt } = await test.instance().registry.lookUp(domain);
    expect(cached).toBe(true);
    expect(await rowOf(domain.domain)).toEqual({ available: false, checked_at: checkedAt });
  });

  it('that missed an answer does not offer the name for long, also when nobody asks again', async () => {
    const domain = freshName();
    test.rdap.reply(found(domain.domain), domain.domain);
    const { registry, config } = test.instance();
    const { checkedAt } = await registry.lookUp(domain);
    // As it is when the answer could not be written down.
    await addDomain(test.database, { domain: domain.domain });
    const other = freshName().domain;
    await addDomain(test.database, { domain: other });
    const job = new MissedAnswerJob(test.database, createLifecycle(test.database, config));
    expect(await job.run()).toEqual({});
    expect(await rowOf(domain.domain)).toEqual({ available: false, checked_at: checkedAt });
    expect(await rowOf(other)).toMatchObject({ available: true });
  });
});

describe('a registry that turns a name down', () => {
  it.each([
    ['reserved', 404, 'This name is reserved'],
    ['declined', 400, 'Invalid\u0007 label'],
  ])('answers %s, with its words', async (state, errorCode, title) => {
    const domain = freshName();
    test.rdap.reply({ status: errorCode, body: { errorCode, title } }, domain.domain);
    const { registry } = test.instance();
    const answer = await registry.lookUp(domain);
    expect(answer).toMatchObject({
      state,
      message: title.replace('\u0007', ' ').replace(/ +/, ' '),
      cached: false,
    });
    expect(await registry.lookUp(domain)).toEqual({ ...answer, cached: true });
  });
});

describe('an answer that a cache in between has kept', () => {
  const NOON = new Date('2026-11-20T12:00:00Z');
  class Noon extends Clock {
    override now() {
      return Promise.resolve(NOON);
    }
  }
  const lookUpAtNoon = async (headers: Record<string, string>) => {
    const domain = freshName();
    test.rdap.reply({ status: 404, headers, body: { errorCode: 404 } }, domain.domain);
    const { registry } = test.instance({}, new Noon(test.database));
    const begunAt = performance.now();
    const answer = await registry.lookUp(domain);
    const [row] = await test.database.query<{ seconds: number }>(
      `SELECT extract(epoch FROM expires_at - clock_timestamp())::float8 AS seconds FROM registry_answer WHERE domain = $1`,
      [domain.domain],
    );
    const [ageMs, tookSeconds] = [NOON.getTime() - answer.checkedAt.getTime(), secondsSince(begunAt)];
    return { ageMs, keptSeconds: row?.seconds ?? 0, tookSeconds };
  };

  it.each<[Record<string, string>, number]>([
    [{}, 0],
    [{ Age: '30' }, 30],
    [{ Date: 'Fri, 20 Nov 2026 11:59:30 GMT' }, 30],
    [{ Date: 'Fri, 20 Nov 2026 11:59:59 GMT' }, 0],
  ])('%j is as old as it is, by the clock of the dataset', async (headers, seconds) => {
    const { ageMs, keptSeconds, tookSeconds } = await lookUpAtNoon(headers);
    expect(ageMs).toBe(seconds * 1000);
    expect(keptSeconds).toBeLessThanOrEqual(60 - seconds);
    expect(keptSeconds).toBeGreaterThan(59 - seconds - tookSeconds);
  });

  it.each(['60', '7200', '604800'])('for longer than we would keep it (%s s) is none', async (Age) => {
    await expect(lookUpAtNoon({ Age })).rejects.toMatchObject({ code: 'registry_unavailable' });
  });

  it('may be older where the name is taken', async () => {
    const { registry } = test.instance({}, new Noon(test.database));
    const lookUpTaken = (Age: string) => {
      const domain = freshName();
      const body = { objectClassName: 'domain', ldhName: domain.domain };
      test.rdap.reply({ status: 200, headers: { Age }, body }, domain.domain);
      return registry.lookUp(domain);
    };
    expect(await lookUpTaken('3599')).toMatchObject({ state: 'registered' });
    await expect(lookUpTaken('3600')).rejects.toMatchObject({ code: 'registry_unavailable' });
  });
});

describe('a registry that gives no answer', () => {
  let warn: jest.SpyInstance;
  beforeEach(() => {
    warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation();
  });
  afterEach(() => warn.mockRestore());

  it('is 503 registry_unavailable with Retry-After', async () => {
    const domain = freshName();
    test.rdap.reply({ status: 500 }, domain.domain);
    const failure = await test
      .instance()
      .registry.lookUp(domain)
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({
      code: 'registry_unavailable',
      status: 503,
      headers: { 'Retry-After': '5' },
    });
  });

  it('passes on how long it wants to be left alone', async () => {
    const domain = freshName();
    test.rdap.reply({ status: 429, headers: { 'Retry-After': '77' } }, domain.domain);
    await expect(test.instance().registry.lookUp(domain)).rejects.toMatchObject({
      headers: { 'Retry-After': '77' },
    });
  });

  it('gets a second opinion from the availability service, if there is one', async () => {
    const service = await startAvailabilityService((socket, line) =>
      socket.end(line.startsWith('fresh') ? 'Not Available\r\n' : 'Available\r\n'),
    );
    const domain = freshName();
    test.rdap.reply({ status: 403 }, domain.domain);
    const { registry } = test.instance({ REGISTRY_AVAILABILITY_SERVICE: service.address });
    const answer = await registry.lookUp(domain);
    expect(answer).toMatchObject({ state: 'registered', source: 'availability_service', cached: false });
    expect(service.received).toEqual([`${domain.domain}\r\n`]);
    expect(await registry.lookUp(domain)).toMatchObject({ source: 'availability_service', cached: true });
    await service.close();
  });

  it('is not overruled: the availability service is not asked when RDAP answers', async () => {
    const service = await startAvailabilityService((socket) => socket.end('Available\r\n'));
    const domain = freshName();
    test.rdap.reply(found(domain.domain), domain.domain);
    const { registry } = test.instance({ REGISTRY_AVAILABILITY_SERVICE: service.address });
    expect(await registry.lookUp(domain)).toMatchObject({ state: 'registered', source: 'rdap' });
    expect(service.received).toEqual([]);
    await service.close();
  });

  it('makes no name available by itself', async () => {
    const service = await startAvailabilityService((socket) => socket.end('Available\r\n'));
    const domain = freshName();
    test.rdap.reply({ status: 403 }, domain.domain);
    const { registry } = test.instance({ REGISTRY_AVAILABILITY_SERVICE: service.address });
    await expect(registry.lookUp(domain)).rejects.toMatchObject({ code: 'registry_unavailable' });
    await service.close();
  });

  it.each([
    ['an offer of its first day', { state: 'purged', wayback: 10 }, true],
    ['an offer of a lower score', { state: 'purged', wayback: 9 }, false],
    ['a contradiction', { state: 'taken', wayback: 0 }, true],
  ] as const)('is asked about %s', async (_, row, asks) => {
    let line = 'Not Available\r\n';
    const service = await startAvailabilityService((socket) => socket.end(line));
    const domain = freshName();
    await addInState(test.database, [{ domain: domain.domain, ...row }]);
    test.rdap.reply(NOT_FOUND, domain.domain);
    const { registry } = test.instance({ REGISTRY_AVAILABILITY_SERVICE: service.address });
    if (asks) await expect(registry.lookUp(domain)).rejects.toMatchObject({ code: 'registry_unavailable' });
    else expect(await registry.lookUp(domain)).toMatchObject({ state: 'available', source: 'rdap' });
    expect(service.received).toHaveLength(asks ? 1 : 0);
    // What it does not judge it does not hold up, and what both call available is.
    for (line of ['NOT SUPPORTED\r\n', 'Available\r\n'])
      expect(await registry.lookUp(domain, { afresh: true })).toMatchObject({
        ...{ state: 'available', source: 'rdap' },
      });
    await service.close();
  });

  it('holds up only this name while it does not answer: the reason is one of the name', async () => {
    const service = await startAvailabilityService((socket) => socket.resetAndDestroy());
    const domain = freshName();
    await addInState(test.database, [{ domain: domain.domain, state: 'purged', wayback: 10 }]);
    test.rdap.reply(NOT_FOUND, domain.domain);
    const { registry } = test.instance({ REGISTRY_AVAILABILITY_SERVICE: service.address });
    expect(await registry.askInBackground(domain)).toMatchObject({ answered: false, reason: 'contradicted' });
    await service.close();
  });

  it('is unavailable when the second opinion fails as well', async () => {
    const service = await startAvailabilityService((socket) => socket.resetAndDestroy());
    const domain = freshName();
    test.rdap.reply({ status: 403 }, domain.domain);
    const { registry } = test.instance({ REGISTRY_AVAILABILITY_SERVICE: service.address });
    await expect(registry.lookUp(domain)).rejects.toMatchObject({
      code: 'registry_unavailable',
      cause: {
        message: expect.stringMatching(/^rdap: refused \(HTTP 403\); availability_service: unreachable/),
      },
    });
    await service.close();
  });
});

describe('what a registry says about people', () => {
  it('is nowhere: not in the answer, the tables or the log', async () => {
    const lines: unknown[] = [];
    const spies = (['log', 'warn', 'error', 'debug', 'verbose'] as const).map((level) =>
      jest.spyOn(Logger.prototype, level).mockImplementation((...line: unknown[]) => void lines.push(line)),
    );
    const { registry } = test.instance();
    const person = {
      objectClassName: 'domain',
      status: ['active'],
      entities: [{ roles: ['registrant'], vcardArray: ['vcard', [['fn', {}, 'text', 'Jane Citizen']]] }],
      auData_eligibility: [{ name: 'registrant name', value: 'Jane Citizen' }],
    };
    const answers: unknown[] = [];
    for (const [status, ldhName] of [
      [200, undefined],
      [200, 'Jane Citizen'],
      [404, undefined],
      [500, undefined],
    ] as const) {
      const domain = freshName();
      await addDomain(test.database, { domain: domain.domain });
      test.rdap.reply(
        { status, body: { ...person, ldhName, title: 'Jane Citizen', errorCode: undefined } },
        domain.domain,
      );
      answers.push(await registry.lookUp(domain).catch((error: unknown) => error));
    }
    for (const spy of spies) spy.mockRestore();

    const tables = await test.database.query<{ name: string }>(
      `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`,
    );
    const rows = await Promise.all(
      tables.map(({ name }) => test.database.query(`SELECT to_jsonb(t)::text AS row FROM "${name}" AS t`)),
    );
    expect(rows.flat().length).toBeGreaterThan(0);
    expect(lines.length).toBeGreaterThanOrEqual(3);
    const all = [
      ...answers.map((answer) => String(answer) + JSON.stringify(answer)),
      JSON.stringify([rows, lines]),
    ];
    expect(all.filter((text) => text.includes('Citizen'))).toEqual([]);
  });
});
