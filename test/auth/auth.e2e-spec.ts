import { IncomingMessage } from 'node:http';
import { connect, Socket } from 'node:net';
import { ApiKeyCache, TRUST_MS } from '../../src/access/api-key-cache.js';
import { KeyUse } from '../../src/access/api-keys.service.js';
import { mintApiKey } from '../../src/access/api-key.js';
import { ApiKeyRepository } from '../../src/access/api-key.repository.js';
import { Identifier } from '../../src/access/caller.js';
import { PaidCallers } from '../../src/access/paid-callers.js';
import { TIERS } from '../../src/config/tiers.js';
import { addAccount, addKey, WITH_KEYS } from '../support/accounts.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { holdMinute } from '../support/clock.js';
import { addDomain } from '../support/domains.js';
import { until } from '../support/processes.js';

const PATH = '/v1/suggest?limit=1';

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp(WITH_KEYS);
  holdMinute(test);
  for (let count = 0; count < 12; count += 1) await addDomain(test.database);
});
afterAll(() => test.close());

const ask = (authorization: string, path = PATH) =>
  test.caller().get(path).set('Authorization', authorization);

describe('without an Authorization header', () => {
  it('everybody is the demo tier, by address', async () => {
    const caller = test.caller();
    const { body, headers } = await caller.get('/v1/suggest').expect(200);
    expect(body.count).toBe(5);
    expect(body.rate).toEqual({ limit_per_min: 5, remaining: 0, reset_in: expect.any(Number) });
    expect(headers['ratelimit-policy']).toContain('"demo"');
    await caller.get(PATH).expect(429);
  });
});

describe('with a key that works', () => {
  it.each([
    ['member', 100],
    ['starter', 120],
    ['pro', 600],
    ['firehose', 6000],
  ] as const)('a %s has the budget of its tier', async (tier, limit) => {
    const { bearer } = await addKey(test.database, { tier });
    const { body, headers } = await ask(bearer).expect(200);
    expect(body.rate).toMatchObject({ limit_per_min: limit, remaining: limit - 1 });
    expect(headers['ratelimit-policy']).toContain(`"${tier}"`);
  });

  it('the budget is the account’s: whatever key, wherever it is used from', async () => {
    const accountId = await addAccount(test.database);
    const keys = await Promise.all([1, 2, 3].map(() => addKey(test.database, { accountId })));
    const left: number[] = [];
    for (const { bearer } of keys) left.push((await ask(bearer).expect(200)).body.rate.remaining);
    expect(left).toEqual([99, 98, 97]);
  });

  it('a test key sees what its tier sees, on the demo tier’s budget, and spends nothing of the account’s', async () => {
    const accountId = await addAccount(test.database, 'pro');
    const [live, trial] = [
      await addKey(test.database, { accountId }),
      await addKey(test.database, { accountId, kind: 'test' }),
    ];
    const { body, headers } = await ask(trial.bearer, '/v1/suggest?limit=50').expect(200);
    expect(body.rate).toMatchObject({ limit_per_min: 5, remaining: 0 });
    expect(headers['ratelimit-policy']).toContain('"pro"');
    await ask(trial.bearer).expect(429);
    expect((await ask(live.bearer).expect(200)).body.rate.remaining).toBe(599);
  });

  it('the scheme may be written in any case', async () => {
    const { text } = await addKey(test.database);
    await ask(`bearer ${text}`).expect(200);
    await ask(`BEARER   ${text}`).expect(200);
  });

  it('a tier that the operator changes holds at once', async () => {
    const { bearer, accountId } = await addKey(test.database);
    await ask(bearer).expect(200);
    await test.database.query(`UPDATE account SET tier = 'starter' WHERE id = $1`, [accountId]);
    await until('the tier of the account is starter', async () => {
      const { body } = await ask(bearer).expect(200);
      return body.rate.limit_per_min === 120;
    });
  });

  it('tools are called on the account’s budget', async () => {
    const { bearer } = await addKey(test.database);
    const call = { name: 'suggest_domains', arguments: { limit: 3 } };
    const { text } = await test
      .caller()
      .post('/mcp')
      .set('Authorization', bearer)
      .set('Accept', 'application/json, text/event-stream')
      .send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call })
      .expect(200);
    expect(text).toContain('limit_per_min\\":100,\\"remaining\\":97');
  });
});

describe('401 key_invalid', () => {
  const unknown = mintApiKey('live').text;
  const revoked = async () => {
    const key = await addKey(test.database);
    await new ApiKeyRepository(test.database).revokeKey(key.accountId, key.id);
    return key.bearer;
  };
  const expired = async () =>
    (await addKey(test.database, { expiresAt: new Date(Date.now() - 1000) })).bearer;

  it.each([
    ['an unknown key', async () => `Bearer ${unknown}`],
    ['a revoked key', revoked],
    ['an expired key', expired],
    ['a typing error', async () => `Bearer ${unknown.slice(0, -1)}${unknown.endsWith('0') ? '1' : '0'}`],
    ['another scheme', async () => `Basic ${Buffer.from(`user:${unknown}`).toString('base64')}`],
    ['the key alone', async () => unknown],
    ['no key', async () => 'Bearer'],
    ['an empty header', async () => ''],
    ['two keys in one header', async () => `Bearer ${unknown}, Bearer ${unknown}`],
    ['a longest key', async () => `Bearer ${'a'.repeat(10_000)}`],
    ['SQL', async () => `Bearer ' OR 1=1 --`],
  ])('%s: one text for all', async (_, authorization) => {
    const response = await ask(await authorization()).expect(401);
    expect(response.headers['www-authenticate']).toBe('Bearer realm="bowerbird", error="invalid_token"');
    expect(response.body).toEqual({
      error: {
        code: 'key_invalid',
        message: expect.stringMatching(/^The Authorization header holds no key that works\. /),
        request_id: response.headers['x-request-id'],
      },
    });
  });

  it('two Authorization headers, though both hold a key that works', async () => {
    const { bearer } = await addKey(test.database);
    const answer = await sendRaw([`Authorization: ${bearer}`, `Authorization: ${bearer}`]);
    expect(answer).toMatch(/^HTTP\/1\.1 401 /);
    expect(answer).toContain('key_invalid');
  });

  it('costs nothing', async () => {
    const caller = test.caller();
    await caller.get(PATH).set('Authorization', `Bearer ${unknown}`).expect(401);
    expect((await caller.get(PATH).expect(200)).body.rate.remaining).toBe(4);
  });

  it('an address that shows one wrong key after the other has to wait', async () => {
    const caller = test.caller();
    const guess = () => caller.get(PATH).set('Authorization', `Bearer ${mintApiKey('live').text}`);
    // At once, as they count for a minute from the first.
    await Promise.all(Array.from({ length: 60 }, () => guess().expect(401)));
    const { body, headers } = await guess().expect(429);
    expect(body.error.code).toBe('too_many_requests');
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
  });
});

describe('what cannot be a key', () => {
  it('refuses nobody beside it: a good key of the same address is looked at', async () => {
    const caller = test.caller();
    const { text, bearer } = await addKey(test.database);
    const wrong = [`${bearer}x`, `Bearer ${text.slice(0, -1)}${text.endsWith('0') ? '1' : '0'}`, 'Bearer'];
    for (let count = 0; count < 70; count += 1)
      await caller
        .get(PATH)
        .set('Authorization', wrong[count % 3] ?? '')
        .expect(count < 60 ? 401 : 429);
    await caller.get('/v1/stats').set('Authorization', bearer).expect(200);
  });
});

describe('requests that are refused', () => {
  const FEED = '/api/v1/dropped?since=2026-11-01T00:00:00Z';
  it.each([
    ['without a key', async () => ({}), 401, TIERS.demo],
    [
      'of a small tier',
      async () => ({ Authorization: (await addKey(test.database)).bearer }),
      403,
      TIERS.member,
    ],
    [
      'without the scope',
      async () => ({ Authorization: (await addKey(test.database, { scopes: ['webhooks'] })).bearer }),
      403,
      TIERS.member,
    ],
  ])('count for the flood limit: %s', async (_, headersOf, status, { requestsPerMinute: admitted }) => {
    const caller = test.caller().set(await headersOf());
    const answers = await Promise.all(Array.from({ length: admitted + 10 }, () => caller.get(FEED)));
    const counted = answers.map((answer) => answer.status).sort();
    expect(counted).toEqual([...Array(admitted).fill(status), ...Array(10).fill(429)]);
    const { headers } = await caller.get('/v1/stats').expect(429);
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
  });

  it('with what is no key count for their address', async () => {
    const caller = test.caller();
    for (let count = 0; count < 60; count += 1)
      await caller.get(PATH).set('Authorization', 'Bearer nonsense').expect(401);
    await caller.get('/v1/stats').expect(429);
  });
});

describe('401 key_required, 403 scope_required', () => {
  it('an address for keys only says what to send', async () => {
    const { body, headers } = await test.caller().get('/api/v1/usage').expect(401);
    expect(body.error.code).toBe('key_required');
    expect(headers['www-authenticate']).toBe('Bearer realm="bowerbird"');
  });

  it('a key without the scope is told which', async () => {
    const { bearer } = await addKey(test.database, { scopes: ['webhooks', 'export'] });
    const { body, headers } = await ask(bearer).expect(403);
    expect(body.error).toMatchObject({
      code: 'scope_required',
      message: 'This needs a key with the scope read; this one has webhooks, export.',
    });
    expect(headers['www-authenticate']).toBe(
      'Bearer realm="bowerbird", error="insufficient_scope", scope="read"',
    );
  });
});

describe('what is left', () => {
  it.each(['read', 'webhooks', 'export'] as const)(
    'is told to a key with the scope %s alone',
    async (scope) => {
      const { bearer } = await addKey(test.database, { scopes: [scope] });
      const { body } = await ask(bearer, '/api/v1/usage').expect(200);
      expect(body).toMatchObject({ tier: 'member', scopes: [scope] });
    },
  );
});

describe('a key in an address', () => {
  it.each([
    ['as a parameter', (key: string) => `/v1/stats?api_key=${key}`],
    ['as any parameter', (key: string) => `/v1/suggest?q=${key}`],
    ['cut short', (key: string) => `/v1/suggest?q=${key.slice(0, 30)}`],
    ['percent-encoded', (key: string) => `/domains/${encodedKey(key)}`],
    ['percent-encoded in every character', (key: string) => `/v1/suggest?q=${encodedWhole(key)}`],
    ['under a usual name, percent-encoded', () => '/v1/stats?api%5Fkey=abc'],
    ['as a name', (key: string) => `/v1/domains/check?domain=${key}.com.au`],
    ['where no key is needed', (key: string) => `/v1/openapi.json?key=${key}`],
    ['at an address that does not exist', (key: string) => `/nothing/${key}`],
    ['under a usual name, not even a key', () => '/v1/stats?access_token=abc'],
  ])('is refused %s, and said so without repeating it', async (_, path) => {
    const { text } = await addKey(test.database);
    const { body } = await test.caller().get(path(text)).expect(400);
    expect(body.error.code).toBe('invalid_parameter');
    expect(body.error.message).toContain('does not belong in an address');
    expect(JSON.stringify(body)).not.toContain('dau_');
  });
});

describe('a header of 100 kB', () => {
  it('is refused before anything looks at it', async () => {
    expect(await sendRaw([`Authorization: Bearer ${'a'.repeat(100_000)}`])).toMatch(/^HTTP\/1\.1 431 /);
  });
});

describe('probes', () => {
  it('look at no key', async () => {
    await test.caller().get('/livez').set('Authorization', 'Bearer nonsense').expect(200);
  });
});

describe('two instances on one database', () => {
  let other: TestApp;
  beforeAll(async () => {
    other = await startTestApp({ ...WITH_KEYS, DATABASE_URL: databaseUrl() });
  });
  afterAll(() => other.close());
  const databaseUrl = () => test.databaseUrl;

  it('a revoked key is refused by both within a second, in steady use', async () => {
    const key = await addKey(test.database, { tier: 'firehose' });
    const status = async (app: TestApp) =>
      (await app.caller().get('/v1/stats').set('Authorization', key.bearer)).status;
    for (let round = 0; round < 3; round += 1)
      expect(await Promise.all([status(test), status(other)])).toEqual([200, 200]);
    await new ApiKeyRepository(test.database).revokeKey(key.accountId, key.id);
    // From the commit on, so that a slow database does not count.
    const revokedAt = performance.now();
    const noticed = await Promise.all(
      [test, other].map(async (app) => {
        let acceptedAt = revokedAt;
        await until('the key is refused', async () => {
          const askedAt = performance.now();
          const isRefused = (await status(app)) === 401;
          if (!isRefused) acceptedAt = askedAt;
          return isRefused;
        });
        return acceptedAt - revokedAt;
      }),
    );
    // A cached key is trusted by the clock, so this holds on a machine of any speed.
    expect(Math.max(...noticed)).toBeLessThan(TRUST_MS);
    expect(TRUST_MS).toBeLessThan(1_000);
  });

  it('a revoked key is no paid one at the door, where no route looks at it either', async () => {
    const key = await addKey(test.database, { tier: 'firehose' });
    for (const app of [test, test])
      await app.caller().get('/v1/stats').set('Authorization', key.bearer).expect(200);
    const shown = new IncomingMessage(new Socket());
    shown.headers = { authorization: key.bearer };
    shown.headersDistinct = { authorization: [key.bearer] };
    const tierAtDoor = () => test.app.get(Identifier).recall(shown, undefined).tier.name;
    expect(tierAtDoor()).toBe('firehose');
    await new ApiKeyRepository(test.database).revokeKey(key.accountId, key.id);
    await test.app.get(PaidCallers).refresh();
    await until('it is forgotten', () => tierAtDoor() === 'demo');
  });

  it('an hour’s budget is exact over both under parallel requests', async () => {
    holdMinute(test, other);
    const { bearer } = await addKey(test.database);
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        [test, other][index % 2]?.caller().get('/v1/suggest?limit=7').set('Authorization', bearer),
      ),
    );
    const handedOut = answers.map((answer) => (answer?.status === 200 ? answer.body.count : 0));
    expect(handedOut.reduce((sum, count) => sum + count, 0)).toBe(100);
  });
});

describe('the hot path', () => {
  it('needs no query for a key used a moment ago', async () => {
    const { bearer } = await addKey(test.database, { tier: 'firehose' });
    await ask(bearer, '/v1/stats').expect(200);
    const lookUps = jest.spyOn(ApiKeyRepository.prototype, 'findHolder');
    let late = 0;
    for (let count = 0; count < 30 || late === count; count += 1) {
      const begunAt = performance.now();
      // Confirms the version now, as a slow machine may poll too late.
      await test.app.get(ApiKeyCache).invalidate();
      await ask(bearer, '/v1/stats').expect(200);
      // On a busy machine the version may have been read too long ago by then.
      late += Number(performance.now() - begunAt >= TRUST_MS);
    }
    expect(lookUps.mock.calls.length).toBeLessThanOrEqual(late);
    // What is counted is what a request does.
    await ask((await addKey(test.database)).bearer, '/v1/stats').expect(200);
    expect(lookUps.mock.calls.length).toBeGreaterThan(0);
    lookUps.mockRestore();
  });

  it('reads the key’s row through its index', async () => {
    // Costs are of a small table, where reading all of it is cheaper: what matters is that the index can serve.
    const plan = await test.database.transaction(async (transaction) => {
      await transaction.query('SET LOCAL enable_seqscan = off');
      return transaction.query<{ 'QUERY PLAN': string }>(
        'EXPLAIN SELECT id FROM api_key WHERE hash = $1 AND revoked_at IS NULL',
        [Buffer.alloc(32)],
      );
    });
    expect(JSON.stringify(plan)).toContain('api_key_hash_key');
  });
});

describe('the last use', () => {
  it('is written in batches, to the minute', async () => {
    const { bearer, accountId } = await addKey(test.database);
    const keys = new ApiKeyRepository(test.database);
    const lastUse = async () => (await keys.listKeys(accountId, 1))[0]?.lastUsedAt ?? null;
    expect(await lastUse()).toBeNull();
    // By another clock than ours.
    const before = Date.now() - 60_000;
    await ask(bearer).expect(200);
    await test.app.get(KeyUse).write();
    const first = await lastUse();
    // By the clock of PostgreSQL, as the process knows it.
    expect(first?.getTime()).toBeGreaterThan(before - 5_000);
    await ask(bearer).expect(200);
    await test.app.get(KeyUse).write();
    expect(await lastUse()).toEqual(first);
  });

  it('is written when the service stops', async () => {
    const { bearer, accountId } = await addKey(test.database);
    const stopping = await startTestApp({ ...WITH_KEYS, DATABASE_URL: test.databaseUrl });
    await stopping.caller().get('/v1/stats').set('Authorization', bearer).expect(200);
    await stopping.close();
    const [key] = await new ApiKeyRepository(test.database).listKeys(accountId, 1);
    expect(key?.lastUsedAt).toBeInstanceOf(Date);
  });
});

describe('what the service writes', () => {
  it('holds no key, whatever was done with it', async () => {
    const { text, bearer, id } = await addKey(test.database);
    await ask(bearer).expect(200);
    await ask(bearer, `/v1/${text}`).expect(400);
    await ask(`${bearer}x`).expect(401);
    await ask(bearer, `/v1/suggest?q=${text}`).expect(400);
    await ask(bearer, `/v1/domains/check?domain=${text}`).expect(400);
    await ask(bearer, `/v1/${encodedKey(text)}`).expect(400);
    await ask(bearer, `/domains/${encodedKey(text)}`).expect(400);
    await ask(bearer, `/domains/${encodedWhole(text)}`).expect(400);
    const { headers } = await ask(bearer).set('X-Request-Id', text).expect(200);
    expect(headers['x-request-id']).not.toContain('dau_');
    const log = test.log.join('');
    expect(log).toContain('/v1/dau_live_[key]');
    expect(log).toContain('/domains/dau_live_[key]');
    expect(log).not.toContain(text.slice(9, 25));
    expect(log).not.toContain(encodedWhole(text).slice(27, 75));
    const stored = await test.database.query('SELECT * FROM api_key WHERE id = $1', [id]);
    expect(JSON.stringify(stored)).not.toContain(text.slice(9, 25));
  });
});

const encodedKey = (key: string) => key.replaceAll('_', '%5f');
const encodedWhole = (key: string) =>
  [...key].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join('');

/** Sends header lines as they are, which clients would fold or refuse. */
function sendRaw(lines: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(test.url).port), '127.0.0.1', () =>
      socket.write(
        [`GET ${PATH} HTTP/1.1`, 'Host: localhost', 'Connection: close', ...lines, '', ''].join('\r\n'),
      ),
    );
    let text = '';
    socket.on('data', (chunk) => (text += chunk.toString()));
    socket.on('end', () => resolve(text));
    socket.on('error', reject);
  });
}
