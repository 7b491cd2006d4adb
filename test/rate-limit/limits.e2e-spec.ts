import { type Client, startTestApp, type TestApp } from '../support/app.js';
import { holdMinute } from '../support/clock.js';
import { addDomains } from '../support/domains.js';
import { until } from '../support/processes.js';

const names = Array.from({ length: 60 }, (_, index) => ({
  domain: `plenty-${index}.com.au`,
  wayback: index,
  first_seen: null,
  available: true,
  hidden: false,
}));

describe('limits', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await startTestApp();
    holdMinute(test);
    await addDomains(test.database, names);
  });
  afterAll(() => test.close());

  it('50 parallel requests of one caller get exactly 5 records in one window', async () => {
    const caller = test.caller();
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        index % 2
          ? caller.get('/v1/suggest?limit=2')
          : caller.get('/v1/domains/check?domain=sandbox-available.com.au'),
      ),
    );
    let records = 0;
    for (const { status, body } of answers) {
      expect([200, 429]).toContain(status);
      if (status === 200) records += body.count ?? 1;
    }
    expect(records).toBe(5);
  });

  it('parallel requests that find nothing spend nothing, and none is refused', async () => {
    const caller = test.caller();
    const ask = () => caller.get('/v1/suggest?q=nothing-at-all').expect(200);
    await Promise.all(Array.from({ length: 20 }, ask));
    expect((await ask()).body.rate.remaining).toBe(5);
  });

  it('check and suggest spend from one budget, under both prefixes', async () => {
    const caller = test.caller();
    await caller.get('/v1/domains/check?domain=sandbox-available.com.au').expect(200);
    await caller.get('/api/v1/domains/check?domain=sandbox-available.com.au').expect(200);
    const { body } = await caller.get('/v1/suggest').expect(200);
    expect(body.count + body.rate.remaining).toBe(3);
  });

  it.each([
    '/v1/domains/check?domain=sandbox-available.com.au',
    '/v1/suggest?limit=1',
    '/api/v1/search?q=plenty',
    '/api/v1/domains/plenty-1.com.au',
  ])('%s is paid for, so it is given in full and not kept', async (path) => {
    const caller = test.caller();
    for (const condition of ['*', '"x"']) {
      const { headers, text } = await caller.get(path).set('If-None-Match', condition).expect(200);
      expect(headers).toMatchObject({ 'cache-control': 'no-store', ratelimit: expect.any(String) });
      expect(headers.etag).toBeUndefined();
      expect(text.length).toBeGreaterThan(100);
    }
  });

  it('the Authorization header changes nothing in demo mode', async () => {
    const caller = test.caller();
    const { body } = await caller.get('/v1/suggest').set('Authorization', 'Bearer anything').expect(200);
    expect(body.rate.limit_per_min).toBe(5);
  });

  it.each([
    '/api/v1/search?page=2',
    '/api/v1/search?per_page=2',
    '/api/v1/dropped?since=2026-11-01T00:00:00Z',
  ])('what needs a key says in demo mode that none would help: %s', async (path) => {
    const { body } = await test.caller().get(path).expect(401);
    expect(body.error.code).toBe('key_required');
    expect(body.error.message).toMatch(/ This installation serves the demo tier only\.$/);
    expect(body.error.message).not.toContain('Authorization');
  });

  it('a flood is refused whatever the requests cost, and says when to return', async () => {
    const caller = test.caller();
    const answers = await Promise.all(Array.from({ length: 130 }, () => caller.get('/v1/stats')));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(70);
    for (const { body, headers } of refused) {
      expect(body.error.code).toBe('too_many_requests');
      expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1);
      expect(Number(headers['retry-after'])).toBeLessThanOrEqual(60);
      expect(headers).toMatchObject({
        'ratelimit-policy': '"demo-requests";q=60;w=60;qu="requests"',
        ratelimit: `"demo-requests";r=0;t=${headers['retry-after']}`,
      });
    }
    await test.caller().get('/v1/stats').expect(200);
  });

  it('who has nothing left is refused before any work, without a question to the database', async () => {
    const caller = test.caller();
    await caller.get('/v1/suggest?limit=5').expect(200);
    await test.database.transaction(async (transaction) => {
      await transaction.query('LOCK TABLE domain, record_budget IN ACCESS EXCLUSIVE MODE');
      for (const path of ['/v1/suggest', '/v1/domains/check?domain=a.com.au']) {
        const { body, headers } = await caller.get(path).expect(429);
        expect(body.error.code).toBe('budget_exhausted');
        expect(headers).toMatchObject({
          ratelimit: expect.stringMatching(/^"demo";r=0;t=\d+, "demo-requests";r=\d+;t=\d+$/),
          'x-ratelimit-remaining': '0',
          'retry-after': headers['x-ratelimit-reset'],
          'cache-control': 'no-store',
        });
      }
      const { text } = await callTool(caller, 'suggest_domains').expect(200);
      expect(text).toContain('budget_exhausted');
    });
    // What costs nothing is answered as ever.
    await caller.get('/v1/stats').expect(200);
    const { text } = await callTool(caller, 'dataset_stats').expect(200);
    expect(text).toContain('available_records');
  });

  it('the probes are never refused', async () => {
    const caller = test.caller();
    const answers = await Promise.all(Array.from({ length: 80 }, () => caller.get('/livez')));
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    await caller.get('/readyz').expect(200);
  });

  it('one IPv6 customer has one budget, however many addresses', async () => {
    const ask = (address: string) => test.caller().get('/v1/suggest?limit=5').set('X-Forwarded-For', address);
    const first = await ask('2001:db8:7:1::1').expect(200);
    const second = await ask('2001:db8:7:1:ffff::2');
    expect([first.body.rate.remaining, second.status]).toEqual([0, 429]);
    await ask('2001:db8:7:2::1').expect(200);
  });

  it('the port that a proxy appends makes nobody somebody else', async () => {
    const ask = (address: string) => test.caller().get('/v1/suggest?limit=5').set('X-Forwarded-For', address);
    await ask('198.19.255.7:5678').expect(200);
    await ask('198.19.255.7:5679').expect(429);
    await ask('198.19.255.8:5678').expect(200);
  });
});

const callTool = (caller: Client, name: string) =>
  caller
    .post('/mcp')
    .set({ Accept: 'application/json, text/event-stream', 'MCP-Protocol-Version': '2025-11-25' })
    .send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {} } });

describe('a service without a proxy in front', () => {
  it('believes no X-Forwarded-For', async () => {
    const test = await startTestApp({ TRUST_PROXY: 'off' });
    await addDomains(test.database, names);
    holdMinute(test);
    const first = await test.caller().get('/v1/suggest?limit=4').expect(200);
    const second = await test.caller().get('/v1/suggest?limit=4');
    expect(second.body.rate.remaining).toBeLessThanOrEqual(first.body.rate.remaining);
    expect(second.body.count).toBe(1);
    await test.close();
  });
});

describe('a database that may only be read, as the old one after a failover', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await startTestApp();
    await addDomains(test.database, names);
  });
  afterAll(() => test.close());

  it('serves no record, whose cost nobody could write down', async () => {
    const caller = test.caller();
    await caller.get('/v1/suggest?limit=1').expect(200);
    const [{ begun } = { begun: null }] = await test.database.query<{ begun: Date }>(
      'SELECT clock_timestamp() AS begun',
    );
    await test.database.query(`
      DO $$ BEGIN
        EXECUTE format('ALTER DATABASE %I SET default_transaction_read_only = on', current_database());
      END $$`);
    await test.database.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    );
    await test.database.query('SELECT pg_terminate_backend(pg_backend_pid())').catch(() => undefined);
    await until('the old connections are gone', async () => {
      const old = 'SELECT FROM pg_stat_activity WHERE datname = current_database() AND backend_start < $1';
      return test.database.query(old, [begun]).then(
        ({ length }) => length === 0,
        () => false,
      );
    });
    for (const path of ['/v1/suggest?limit=1', '/v1/domains/check?domain=sandbox-available.com.au']) {
      const { body, headers } = await caller.get(path).expect(503);
      expect(body.error.code).toBe('database_unavailable');
      expect(Number(headers['retry-after'])).toBeGreaterThan(0);
      expect(body).not.toHaveProperty('results');
    }
    await caller.get('/v1/stats').expect(200);
  });
});

describe('a database that refuses to write', () => {
  let test: TestApp;
  beforeEach(async () => {
    test = await startTestApp();
    await addDomains(test.database, names);
  });
  afterEach(() => test.close());

  it.each([
    [
      'its disk is full',
      '53100',
      'The disk of the database is full: nothing can be written, and nothing was. Reads go on.',
    ],
    [
      'it is out of memory',
      '53200',
      'The database takes no writes for a moment: nothing was written. Please try again.',
    ],
  ])('as %s: no record for free, and all is well when it writes again', async (_why, sqlState, message) => {
    await test.database.query(`
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = '${sqlState}'; END $$`);
    await test.database.query(
      'CREATE TRIGGER refuse BEFORE INSERT OR UPDATE ON record_budget FOR EACH ROW EXECUTE FUNCTION refuse()',
    );
    const caller = test.caller();
    for (const path of ['/v1/suggest?limit=1', '/v1/domains/check?domain=sandbox-available.com.au']) {
      const { body, headers } = await caller.get(path).expect(503);
      expect(body.error).toMatchObject({ code: 'database_unavailable', message });
      expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    }
    await caller.get('/v1/stats').expect(200);
    await test.database.query('DROP TRIGGER refuse ON record_budget');
    const { body } = await caller.get('/v1/suggest?limit=1').expect(200);
    expect(body.rate.remaining).toBe(4);
  });
});
