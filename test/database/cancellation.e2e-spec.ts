import { cancellable, RequestReads } from '../../src/db/scope.js';
import { mintOperatorKey } from '../../src/ops/operator-key.js';
import { Database } from '../../src/db/database.js';
import { CappedPool } from '../../src/db/time-cap.js';
import { RequestEnded } from '../../src/errors/database-failure.js';
import { SCOPES } from '../../src/access/api-key.js';
import { addKey, WITH_WEBHOOKS } from '../support/accounts.js';
import { signedInVisitor, startAccountsApp } from '../support/visitor.js';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { startTestApp, type TestApp } from '../support/app.js';
import {
  countWaiting,
  createTestDatabase,
  openOneConnection,
  type TestDatabase,
} from '../support/database.js';
import { until } from '../support/processes.js';
import { startProxy } from '../support/proxy.js';

let test: TestDatabase;
let database: Database;
beforeAll(async () => {
  test = await createTestDatabase();
  database = await openOneConnection(test);
});
afterAll(async () => {
  await database.dataSource.destroy();
  await test.close();
});

const sleeping = async () => {
  const rows = await test.database.query(
    `SELECT FROM pg_stat_activity
      WHERE datname = current_database() AND state = 'active' AND query LIKE 'SELECT pg_sleep(600)%'`,
  );
  return rows.length;
};
const POOL_SIZE = 10;
/** In the place of a protocol version. */
const CANCEL_REQUEST = 80_877_102;
const requestReads = () => new RequestReads(performance.now() + 600_000);

describe('reads of a request that has ended', () => {
  it('end in PostgreSQL as well, and the connection serves the next one', async () => {
    const request = requestReads();
    const read = cancellable(request, () => database.query('SELECT pg_sleep(600)'));
    await until('it runs', async () => (await sleeping()) === 1);
    request.end(true);
    await expect(read).rejects.toBeInstanceOf(RequestEnded);
    // The server says so before it shows it.
    await until('it has ended', async () => (await sleeping()) === 0);
    expect(await database.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('do not begin', async () => {
    const request = requestReads();
    request.end(true);
    await expect(cancellable(request, () => database.query('SELECT 1'))).rejects.toBeInstanceOf(RequestEnded);
  });

  it('are no shorter list under the time cap of searches', async () => {
    const pool = new CappedPool(test.url, 60_000, 1, () => undefined);
    const request = requestReads();
    const text = 'SELECT number, pg_sleep(600) FROM generate_series(1, 3) AS number';
    const read = cancellable(request, () => pool.query({ text, values: [] }));
    await until('it runs', async () => {
      const rows = await test.database.query(
        `SELECT FROM pg_stat_activity WHERE state = 'active' AND query = $1`,
        [text],
      );
      return rows.length === 1;
    });
    request.end(true);
    await expect(read).rejects.toBeInstanceOf(RequestEnded);
    const next = await pool.query({ text: 'SELECT 1 AS one', values: [] });
    expect(next).toEqual({ rows: [{ one: 1 }], timedOut: false });
    await pool.close();
  });

  it('never take the statement of the next borrower with them', async () => {
    for (let round = 0; round < 150; round += 1) {
      const request = requestReads();
      const read = cancellable(request, () =>
        database.query('SELECT pg_sleep($1)', [(round % 10) / 10_000]),
      ).catch((error: unknown) => error);
      const next = read.then(() => database.query('SELECT pg_sleep(0.003), 1 AS one'));
      setTimeout(() => request.end(true), round % 3);
      expect((await next)[0]).toMatchObject({ one: 1 });
    }
  });

  it('leave no connection behind that a late request to cancel would hit', async () => {
    let deliver: (() => Promise<unknown>) | undefined;
    let isGivenUp = false;
    const proxy = await startProxy(test.url, (incoming, outgoing) => {
      incoming.once('data', (first: Buffer) => {
        const pass = () => void outgoing.write(first);
        if (first.readInt32BE(4) !== CANCEL_REQUEST) {
          pass();
          incoming.pipe(outgoing).pipe(incoming);
          return;
        }
        incoming.resume().once('end', () => (isGivenUp = true));
        deliver = () => {
          const dealtWith = once(outgoing.resume(), 'close');
          pass();
          return dealtWith;
        };
      });
    });
    const pool = await openOneConnection(proxy);
    const whileLocked = (work: () => Promise<void>) =>
      test.database.transaction(async (transaction) => {
        await transaction.query('LOCK TABLE dataset');
        await work();
      });
    const isWaiting = () => until('it waits', async () => (await countWaiting(test.database)) === 1);
    const request = requestReads();
    let read: Promise<unknown> | undefined;
    await whileLocked(async () => {
      read = cancellable(request, () => pool.query('SELECT FROM dataset')).catch((error: unknown) => error);
      await isWaiting();
      request.end(true);
      await until('the request to cancel is given up', () => isGivenUp);
    });
    const ended = await read;
    let next: Promise<unknown> | undefined;
    await whileLocked(async () => {
      next = pool.query('SELECT 1 AS one FROM dataset').catch((error: unknown) => error);
      await isWaiting();
      await deliver?.();
    });
    const found = await next;
    await pool.dataSource.destroy();
    await proxy.close();
    expect(ended).toBeInstanceOf(RequestEnded);
    expect(found).toEqual([{ one: 1 }]);
  });

  it('go on once it has begun to write', async () => {
    const request = requestReads();
    const read = cancellable(request, async () => {
      await database.query('UPDATE dataset SET refreshed = refreshed');
      request.end(true);
      return database.query('SELECT 1 AS one');
    });
    expect(await read).toEqual([{ one: 1 }]);
  });
});

describe('the service', () => {
  let app: TestApp;
  beforeAll(async () => {
    // Long before the limit of a statement.
    const limits = { READ_DEADLINE_MS: '300', DATABASE_TIMEOUT_MS: '60000' };
    app = await startAccountsApp({ ...WITH_WEBHOOKS, EXPORTS: 'on', ...limits });
  });
  afterAll(() => app.close());

  const whileLocked = <Result>(table: string, work: () => Promise<Result>) =>
    app.database.transaction(async (transaction) => {
      await transaction.query(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
      return work();
    });

  it.each([
    ['/api/v1/domains/late.com.au', 'domain'],
    ['/api/v1/domains/late.com.au?live=true', 'domain'],
    ['/v1/domains/check?domain=late.com.au', 'domain'],
    ['/api/v1/domains/late/siblings', 'domain'],
    ['/api/v1/search?q=late', 'domain'],
    ['/domains/late.com.au', 'domain'],
    ['/api/v1/usage/history', 'usage_day'],
    ['/api/v1/watches', 'watch'],
    ['/api/v1/webhooks', 'webhook'],
    ['/api/v1/exports', 'export'],
    ['/profile', 'account_session'],
  ])('ends the reads of %s at its deadline, and answers 503', async (path, table) => {
    const { bearer } = await addKey(app.database, { tier: 'firehose', scopes: [...SCOPES] });
    const { agent } = await signedInVisitor(app);
    await whileLocked(table, async () => {
      const { status } = await agent.get(path).set('Authorization', bearer);
      expect(status).toBe(503);
      await until('it waits no longer', async () => (await countWaiting(app.database)) === 0);
    });
  });

  it('says that it is ready although another who asked at the same time hung up', async () => {
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const server = app.app.getHttpServer();
    const pool = app.app.get(Database);
    const all = Array.from({ length: POOL_SIZE }, () => pool.withClient(() => released));
    const ask = async (signal?: AbortSignal) => {
      const arrived = once(server, 'request');
      const answer = fetch(`${app.url}/readyz`, { ...(signal && { signal }) }).catch(() => null);
      const [, response] = (await arrived) as [unknown, ServerResponse];
      return { answer, response };
    };
    const request = new AbortController();
    const first = await ask(request.signal);
    const second = await ask();
    const gone = once(first.response, 'close');
    request.abort();
    await gone;
    release();
    await Promise.all(all);
    expect((await second.answer)?.status).toBe(200);
  });

  it('answers who shares the reads of a caller that hung up', async () => {
    const { first, second } = await whileLocked('domain', async () => {
      const request = new AbortController();
      const path = `${app.url}/api/v1/status`;
      const first = fetch(path, { signal: request.signal }).catch(() => null);
      await until('it waits', async () => (await countWaiting(app.database)) > 0);
      const arrived = once(app.app.getHttpServer(), 'request');
      const second = fetch(path);
      await arrived;
      request.abort();
      return { first, second };
    });
    expect(await first).toBeNull();
    expect((await second).status).toBe(200);
  });
});

it.each([
  ['a caller', '/api/v1/domains/left.com.au', 'domain'],
  ['an operator', '/ops/v1/audit', 'audit_log'],
])('%s who hangs up leaves no read behind', async (_who, path, table) => {
  const { text, hash } = mintOperatorKey();
  const limits = { READ_DEADLINE_MS: '60000', DATABASE_TIMEOUT_MS: '60000' };
  const app = await startTestApp({ ...limits, OPERATOR_KEY_HASH: `alice:${hash}` });
  await app.database.transaction(async (transaction) => {
    await transaction.query(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
    const request = new AbortController();
    const headers = { Authorization: `Bearer ${text}` };
    const read = fetch(`${app.url}${path}`, { signal: request.signal, headers }).catch(() => null);
    await until('it waits', async () => (await countWaiting(app.database)) > 0);
    request.abort();
    expect(await read).toBeNull();
    await until('it is gone', async () => (await countWaiting(app.database)) === 0);
  });
  await app.close();
});
