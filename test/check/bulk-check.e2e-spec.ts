import { MAX_BODY_BYTES } from '../../src/errors/validation.pipe.js';
import { BulkCheckRepository } from '../../src/api/check/bulk-check.repository.js';
import { BulkCheckService } from '../../src/api/check/bulk-check.service.js';
import { hashBulkToken } from '../../src/api/check/name-list.js';
import { JobStateRepository } from '../../src/work/job-state.repository.js';
import { Engine } from '../../src/work/engine.js';
import { WorkLoop } from '../../src/work/work-loop.js';
import { RecordBudget } from '../../src/access/record-budget.js';
import type { Caller } from '../../src/access/caller.js';
import { NetworkShares } from '../../src/access/network-shares.js';
import { Tiers, TIERS } from '../../src/config/tiers.js';
import { addKey, type TestKey, WITH_KEYS } from '../support/accounts.js';
import { setBudgetTime } from '../support/clock.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { addDomain } from '../support/domains.js';
import { until } from '../support/processes.js';
import { found, type ScriptedRegistry, startScriptedRegistry } from '../support/registry.js';

let registry: ScriptedRegistry;
let app: TestApp;
beforeAll(async () => {
  registry = await startScriptedRegistry();
  app = await startTestApp({
    ...WITH_KEYS,
    REGISTRY_RDAP_URL: registry.url,
    REGISTRY_BREAKER_FAILURES: '1000',
    REGISTRY_TIMEOUT_MS: '60000',
  });
  // Whatever is counted is of one minute.
  setBudgetTime(app.app, new Date());
});
afterAll(async () => {
  await app.close();
  await registry.close();
});

let names = 0;
const freshName = () => `bulk-${++names}.com.au`;
const freshNames = (count: number) => Array.from({ length: count }, freshName);

interface Asked {
  readonly key?: TestKey;
  readonly wait?: number;
}
const check = (domains: unknown, { key, wait = 30 }: Asked = {}) => {
  const request = app.caller().post('/api/v1/domains/check');
  if (key) void request.set('Authorization', key.bearer);
  return request.send({ domains, wait });
};
const fetchRest = (token: string, key: TestKey, wait = 30) =>
  app.caller().get(`/api/v1/domains/checks/${token}?wait=${wait}`).set('Authorization', key.bearer);
/** The check with its rest, however long this machine takes for it: what the wait of a request was too short for is fetched with the token. */
const checkWhole = async (domains: readonly string[], key: TestKey) => {
  let { status, body } = await check(domains, { key });
  while (status === 200 && body.token !== null) ({ status, body } = await fetchRest(body.token, key));
  return { status, body };
};
const remaining = async (key: TestKey): Promise<number> =>
  (await app.caller().get('/api/v1/usage').set('Authorization', key.bearer)).body.rate.remaining;
const used = async (key: TestKey) => TIERS.pro.recordsPerMinute - (await remaining(key));
const pro = () => addKey(app.database, { tier: 'pro' });

/** Answers that are given when the test says so. */
function slow(domains: readonly string[]): { answer: () => void } {
  const held: (() => void)[] = [];
  let isOpen = false;
  for (const domain of domains)
    registry.reply((_request, response) => {
      const answer = () =>
        void response.writeHead(404, { 'Content-Type': 'application/rdap+json' }).end('{"errorCode":404}');
      if (isOpen) answer();
      else held.push(answer);
    }, domain);
  return {
    answer: () => {
      isOpen = true;
      for (const answer of held) answer();
    },
  };
}

describe('POST /api/v1/domains/check', () => {
  describe('200', () => {
    it('answers 200 names of mixed kinds in their order, each once, and charges those that are answered', async () => {
      const key = await pro();
      const [held, known, silent] = [freshName(), freshName(), freshName()];
      registry.reply(found(held, 'active'), held);
      registry.reply({ status: 500 }, silent);
      await addDomain(app.database, { domain: known, wayback: 77 });
      const domains = [held, 'nonsense', known, `${known.toUpperCase()}.`, 'www.coffee.com.au', silent];
      domains.push('example.com', 'www.au', ...freshNames(200 - domains.length - 2));
      const { status, body } = await checkWhole(domains, key);
      expect(status).toBe(200);
      expect(body).toMatchObject({ count: 199, answered: 195, failed: 4, pending: 0, token: null });
      expect(body.results.slice(0, 7)).toMatchObject([
        { domain: held, status: 'answered', result: { registered: true, available: false } },
        { domain: 'nonsense', status: 'failed', error: { code: 'domain_invalid' } },
        {
          domain: known,
          result: { available: true, known: true, wayback: 77, dataset: { state: 'available' } },
        },
        { domain: 'www.coffee.com.au', error: { code: 'domain_not_registrable' } },
        { domain: silent, error: { code: 'registry_unavailable' } },
        { domain: 'example.com', error: { code: 'domain_suffix_unsupported' } },
        { domain: 'www.au', result: { registry: { source: 'reserved_names' }, available: false } },
      ]);
      expect(body.results.map(({ domain }: { domain: string }) => domain).slice(7)).toEqual(domains.slice(8));
      expect(await used(key)).toBe(195);
      expect(registry.asked.filter((domain) => domain === known)).toHaveLength(1);
    });

    it('answers what is known at once, and says of each what a check says', async () => {
      const key = await pro();
      const domain = freshName();
      const one = await app
        .caller()
        .get(`/v1/domains/check?domain=${domain}`)
        .set('Authorization', key.bearer);
      const { body } = await check([domain], { key, wait: 0 });
      expect(body).toMatchObject({ pending: 0, token: null, retry_after: null });
      const { registry: said } = one.body;
      const expected = {
        ...one.body,
        rate: undefined,
        quota: undefined,
        registry: { ...said, cached: true },
      };
      expect(body.results[0].result).toEqual(expected);
      expect(await used(key)).toBe(2);
    });

    it('leaves open what a slow registry has not said, to be fetched without a second charge', async () => {
      const key = await pro();
      const [quick, late, later] = freshNames(3);
      const registryOf = slow([late ?? '', later ?? '']);
      await check([quick], { key });
      const { body, headers } = await check([late, quick, later], { key, wait: 0 });
      expect(body).toMatchObject({
        ...{ answered: 1, pending: 2, retry_after: 1 },
        results: [{ status: 'pending' }, { status: 'answered' }, { status: 'pending' }],
      });
      expect(headers['retry-after']).toBe('1');
      expect(headers.link).toBe(
        `<https://bowerbird.example/api/v1/domains/checks/${body.token}>; rel="next"`,
      );
      // One for each answer, and two that are held.
      expect(await used(key)).toBe(4);
      expect((await fetchRest(body.token, key, 0)).body).toMatchObject({ pending: 2, token: body.token });
      registryOf.answer();
      const rest = await fetchRest(body.token, key);
      expect(rest.body).toMatchObject({
        ...{ answered: 3, pending: 0, token: null },
        results: [late, quick, later].map((domain) => ({ domain, status: 'answered' })),
      });
      expect((await fetchRest(body.token, key)).body.answered).toBe(3);
      expect(await used(key)).toBe(4);
    });

    it('is capped by what the budget has left, says so, and asks about no more', async () => {
      const domains = freshNames(7);
      const asked = registry.asked.length;
      const { status, body } = await check(['rubbish', ...domains]);
      expect(status).toBe(200);
      expect(body).toMatchObject({ answered: 5, failed: 3, rate: { remaining: 0 } });
      expect(body.note).toMatch(
        /2 names were not asked about.*The registry is a sandbox: its answers are made up\.$/,
      );
      expect(body.results.slice(-2)).toMatchObject([
        { error: { code: 'budget_exhausted' } },
        { error: { code: 'budget_exhausted' } },
      ]);
      expect(registry.asked.slice(asked).sort()).toEqual(domains.slice(0, 5).sort());
    });

    it('costs nothing where no text is a name', async () => {
      const { body } = await check(['', '   ', '=1+1', 'x'.repeat(300)]);
      expect(body).toMatchObject({ count: 3, failed: 3, rate: { remaining: 5 } });
    });

    it('with an Idempotency-Key it is one check, charged once, at the address that Location names', async () => {
      const key = await pro();
      const domains = freshNames(3);
      const send = (names: readonly string[]) => check(names, { key }).set('Idempotency-Key', 'list-1');
      const first = await send(domains).expect(200);
      const again = await send(domains).expect(200);
      expect(first.headers.location).toMatch(/^\/api\/v1\/domains\/checks\/[\w-]+$/);
      expect(again.headers.location).toBe(first.headers.location);
      const stateOf = ({ body }: { body: { results: { domain: string }[] } }) =>
        body.results.map(({ domain }) => domain);
      expect(stateOf(again)).toEqual(domains);
      const whole = await app
        .caller()
        .get(String(first.headers.location))
        .set('Authorization', key.bearer)
        .expect(200);
      expect(whole.body.answered).toBe(3);
      expect(await used(key)).toBe(3);
      expect((await send(freshNames(1)).expect(409)).body.error.code).toBe('idempotency_conflict');
      // Without a key of an account there is nobody whom the header could belong to.
      const strangers = [freshName()];
      const sent = () => check(strangers).set('Idempotency-Key', 'list-1').expect(200);
      expect((await sent()).headers.location).not.toBe((await sent()).headers.location);
    });

    it('reads and writes CSV', async () => {
      const domain = freshName();
      const { text, headers } = await app
        .caller()
        .post('/api/v1/domains/check?wait=30')
        .set('Accept', 'text/csv')
        .type('text/csv')
        .send(`note,Domain\r\n"one, two",${domain}\r\n,=cmd()\r\n`);
      expect(headers['content-type']).toBe('text/csv; charset=utf-8');
      expect(headers['x-ratelimit-remaining']).toBe('4');
      const [head, first, second] = text.split('\r\n');
      expect(head).toMatch(/^domain,status,available,registered,registry_state,/);
      expect(first).toMatch(new RegExp(`^${domain},answered,true,false,available,sandbox,`));
      expect(second).toMatch(/^'=cmd\(\),failed,.*domain_invalid,/);
    });

    it('reads and writes lines of JSON', async () => {
      const [one, two] = freshNames(2);
      const { text, headers } = await app
        .caller()
        .post('/api/v1/domains/check')
        .set('Accept', 'application/x-ndjson')
        .type('application/x-ndjson')
        .send(`"${one}"\n\n{"domain":"${two}"}\n`);
      expect(headers['content-type']).toBe('application/x-ndjson; charset=utf-8');
      const lines = text.split('\n').filter(Boolean);
      expect(lines.map((line: string) => JSON.parse(line))).toMatchObject(
        [one, two].map((domain) => ({ domain, status: 'answered', result: { available: true } })),
      );
    });
  });

  it('an answer that comes after its name was closed or answered changes nothing and is not charged', async () => {
    const key = await pro();
    const [closed = '', answered = ''] = freshNames(2);
    const late = slow([closed, answered]);
    const { body: first } = await check([closed, answered], { key, wait: 0 });
    await until('the registry is asked', () =>
      [closed, answered].every((name) => registry.asked.includes(name)),
    );
    await app.database.query(
      `UPDATE bulk_check_name SET error_code = 'registry_unavailable', error_message = 'closed' WHERE domain = $1`,
      [closed],
    );
    // The registry was asked once more, by the successor of this run.
    const later = JSON.stringify({
      ...{ state: 'expired_hold', source: 'sandbox', registeredAt: null, message: null, cached: false },
      checkedAt: new Date(Date.now() + 60_000),
    });
    await app.database.query('UPDATE bulk_check_name SET answer = $2 WHERE domain = $1', [answered, later]);
    late.answer();
    await until('the check is done', async () => {
      const [row] = await app.database.query<{ is_done: boolean }>(
        'SELECT is_done FROM bulk_check WHERE id = (SELECT bulk_check FROM bulk_check_name WHERE domain = $1)',
        [closed],
      );
      return row?.is_done;
    });
    const { body } = await fetchRest(first.token, key);
    expect(body).toMatchObject({
      ...{ answered: 1, failed: 1 },
      results: [
        { domain: closed, status: 'failed' },
        { domain: answered, status: 'answered', result: { registry: { state: 'expired_hold' } } },
      ],
    });
    expect(await used(key)).toBe(1);
  });

  describe('400, 413, 415 and 429', () => {
    it.each([
      ['nothing', undefined],
      ['none', []],
      ['too many', Array.from({ length: 201 }, () => 'a.au')],
      ['no list', 'coffee.com.au'],
      ['other things', ['coffee.com.au', 7]],
    ])('names the rule for %s', async (_what, domains) => {
      const { status, body } = await check(domains);
      expect([status, body.error.code]).toEqual([400, 'invalid_parameter']);
      expect(body.error.message).toContain('domains must be a list of 1 to 200 names');
    });

    it('names the rule for a wait, in the body as in the address', async () => {
      const post = () =>
        app
          .caller()
          .post('/api/v1/domains/check?wait=31')
          .send({ domains: ['a-b.au'] });
      for (const { status, body } of [await check(['a-b.au'], { wait: 31 }), await post()])
        expect([status, body.error.message]).toEqual([400, 'wait must be an integer from 0 to 30']);
    });

    it('names the line that is no name', async () => {
      const { status, body } = await app
        .caller()
        .post('/api/v1/domains/check')
        .type('application/x-ndjson')
        .send('"a-b.au"\n{"name":"a-b.au"}\n');
      expect([status, body.error.code]).toEqual([400, 'bad_request']);
      expect(body.error.message).toContain('Line 2');
    });

    it.each([
      [413, 'text/csv', 'a-b.au\n'.repeat(MAX_BODY_BYTES / 4)],
      [415, 'text/plain', 'a-b.au'],
    ])('is %d for a body of %s that is not read', async (expected, type, text) => {
      const { status } = await app.caller().post('/api/v1/domains/check').type(type).send(text);
      expect(status).toBe(expected);
    });

    it('is 429 when nothing is left', async () => {
      const spent = app.caller();
      await spent.post('/api/v1/domains/check').send({ domains: freshNames(5) });
      const { status, headers } = await spent.post('/api/v1/domains/check').send({ domains: freshNames(1) });
      expect(status).toBe(429);
      expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1);
    });
  });
});

it.each([
  ['after the answer', '9', 'fulfilled'],
  ['while they wait', 'a', 'rejected'],
])(
  'a check whose callers hang up %s costs their network no records, but the questions',
  async (when, at, outcome) => {
    const { demo } = app.app.get(Tiers).table;
    const ends: ((share: number) => void)[] = [];
    const hangUp = () => {
      for (const end of ends.splice(0)) end(0);
    };
    const idOf = (place: number) => `ip:2001:db8:${at}:${(place * 256).toString(16)}::/64`;
    const callerAt = (place: number) => ({
      tier: demo,
      id: idOf(place),
      delivery: {
        onEnd: (end: (share: number) => void) => ends.push(end),
        waits: when === 'while they wait' ? hangUp : () => undefined,
      },
    });
    const service = app.app.get(BulkCheckService);
    for (let place = 0; place < 4; place += 1) {
      const checking = service.checkAll(freshNames(5), 30, callerAt(place) as unknown as Caller);
      expect(await Promise.allSettled([checking])).toMatchObject([{ status: outcome }]);
    }
    const shares = app.app.get(NetworkShares);
    const take = (kind: 'records' | 'live_checks', place: number) =>
      shares.take(kind, idOf(place), 5, demo.recordsPerMinute);
    hangUp();
    await service.onApplicationShutdown();
    await expect(take('live_checks', 4)).rejects.toMatchObject({ code: 'too_many_requests' });
    // All that the network may have in a minute.
    for (let place = 0; place < 16; place += 1)
      expect(await take('records', place)).toMatchObject({ granted: 5 });
    await expect(take('records', 16)).rejects.toMatchObject({ code: 'too_many_requests' });
  },
);

describe('GET /api/v1/domains/checks/:token', () => {
  it('is 404 for a token that is nobody’s or somebody else’s, and 400 for what is none', async () => {
    const [key, other] = [await pro(), await pro()];
    const late = freshName();
    const registryOf = slow([late]);
    const { body } = await check([late], { key, wait: 0 });
    for (const [token, by] of [
      [body.token, other],
      ['x'.repeat(43), key],
    ])
      expect((await fetchRest(token, by, 0)).body.error.code).toBe('not_found');
    expect((await fetchRest('short', key, 0)).body.error.code).toBe('invalid_parameter');
    registryOf.answer();
    expect((await fetchRest(body.token, key)).body.answered).toBe(1);
  });
});

describe('a bulk check whose process died', () => {
  /** The check as it is in the table, with names that nobody works on. */
  const abandoned = async (key: TestKey, seconds: number, answered = 0) => {
    const caller = { id: `account:${key.accountId}`, tier: TIERS.pro };
    const domains = freshNames(3);
    const held = await app.app.get(RecordBudget).hold(caller, domains.length, 600);
    const checks = app.app.get(BulkCheckRepository);
    const token = 'x'.repeat(42) + String(names % 10);
    const open = domains.map((domain) => ({ domain, answer: null, error: null }));
    await hold();
    const { id } = await checks.insert(caller, held.reservation, hashBulkToken(token), seconds, open);
    for (let place = 0; place < answered; place += 1)
      await checks.saveAnswer(id, place, {
        ...{
          state: 'available',
          source: 'sandbox',
          checkedAt: new Date(),
          registeredAt: null,
          message: null,
        },
        cached: false,
      });
    return { token, domains, checks, id };
  };

  it('is gone on with by another, and charged for what was not charged yet', async () => {
    const key = await pro();
    // An answer had been written down when the process died, and the budget not been told.
    const { token, domains } = await abandoned(key, 600, 1);
    const asked = registry.asked.length;
    await goOn();
    expect((await fetchRest(token, key)).body).toMatchObject({ answered: 3, pending: 0 });
    // Names of the check before may still be asked about.
    const own = registry.asked.slice(asked).filter((name) => domains.includes(name));
    expect(own.sort()).toEqual(domains.slice(1).sort());
    expect(await used(key)).toBe(3);
  });

  it('gives back what has no answer when its time is over', async () => {
    const key = await pro();
    const { token } = await abandoned(key, 0, 1);
    expect(await used(key)).toBe(3);
    await goOn();
    expect((await fetchRest(token, key)).body).toMatchObject({
      ...{ answered: 1, failed: 2, pending: 0 },
      results: [{ status: 'answered' }, ...Array(2).fill({ error: { code: 'registry_unavailable' } })],
    });
    expect(await used(key)).toBe(1);
  });

  it('is forgotten an hour after its end', async () => {
    const key = await pro();
    const { token, checks, id } = await abandoned(key, 0);
    await goOn();
    await until('it is done', () => checks.isDone(id));
    await app.database.query(
      `UPDATE bulk_check SET ends_at = ends_at - interval '61 minutes' WHERE id = $1`,
      [id],
    );
    await app.app.get(BulkCheckRepository).purge();
    expect((await fetchRest(token, key, 0)).status).toBe(404);
  });
});

describe('another instance', () => {
  it('has the rest of a check that the first one works on, and goes on with it when that stops', async () => {
    const key = await pro();
    const late = freshName();
    const registryOf = slow([late]);
    const first = await startTestApp({
      ...WITH_KEYS,
      DATABASE_URL: app.databaseUrl,
      REGISTRY_RDAP_URL: registry.url,
      REGISTRY_TIMEOUT_MS: '60000',
    });
    const caller = { id: `account:${key.accountId}`, tier: TIERS.pro };
    const { token } = await first.app.get(BulkCheckService).checkAll([late], 0, caller);
    expect((await fetchRest(token ?? '', key, 0)).body.pending).toBe(1);
    await until('the registry is asked', async () => registry.asked.includes(late));
    await first.close();
    registryOf.answer();
    expect((await fetchRest(token ?? '', key)).body).toMatchObject({ answered: 1, pending: 0 });
    expect(await used(key)).toBe(1);
  });

  it('has those of one that stood still, which asks and renews nothing more when it comes back', async () => {
    const key = await pro();
    const late = freshNames(6);
    const registryOf = slow(late.slice(0, 4));
    const registryOfRest = slow(late.slice(4));
    const first = await startTestApp({
      ...WITH_KEYS,
      DATABASE_URL: app.databaseUrl,
      REGISTRY_RDAP_URL: registry.url,
      REGISTRY_TIMEOUT_MS: '60000',
    });
    const caller = { id: `account:${key.accountId}`, tier: TIERS.pro };
    const resume = await stopPolls(app);
    const { token } = await first.app.get(BulkCheckService).checkAll(late, 0, caller);
    const asked = () => registry.asked.filter((domain) => late.includes(domain)).length;
    // Four questions at once; the lease passes meanwhile.
    await until('the registry is asked', async () => asked() === 4);
    const holder = async () =>
      app.database.query<{ holder: string }>(
        `SELECT holder FROM work WHERE kind = 'bulk-check' AND holder IS NOT NULL`,
      );
    // It is taken for dead.
    const comeBack = await stopPolls(first);
    await app.database.query(`UPDATE work_holder SET until = now() - interval '1 second' WHERE id = $1`, [
      (await holder())[0]?.holder,
    ]);
    resume();
    await until('the other one asks', async () => asked() === 8);
    const taken = await holder();
    comeBack();
    const kept = await holder();
    registryOf.answer();
    await until('the rest is asked for', async () => asked() >= 10);
    registryOfRest.answer();
    expect((await fetchRest(token ?? '', key)).body).toMatchObject({ answered: 6, pending: 0 });
    await first.close();
    expect([taken.length, kept]).toEqual([1, taken]);
    // The four of the first, and all six of the other.
    expect(asked()).toBe(10);
    expect(await used(key)).toBe(6);
  });
});

/** From now on the instance claims and renews nothing. @returns what lets it go on */
async function stopPolls({ app: instance }: TestApp): Promise<() => void> {
  const [engine, loop] = [instance.get(Engine), instance.get(WorkLoop)];
  const step = engine.step.bind(engine);
  engine.step = async () => ({ begun: [], nextDue: null });
  await loop['looking'];
  return () => {
    engine.step = step;
    loop.wake();
  };
}

/** Lets no bulk check begin, on whichever instance. */
async function hold(): Promise<void> {
  await app.database.transaction((transaction) =>
    app.app
      .get(JobStateRepository)
      .pause('bulk-check', { by: 'test', reason: 'the process has died' }, new Date(), transaction),
  );
}

async function goOn(): Promise<void> {
  await app.database.transaction((transaction) =>
    app.app.get(JobStateRepository).resume('bulk-check', transaction),
  );
  app.app.get(WorkLoop).wake();
}
