import { cancellable } from '../../src/db/scope.js';
import type { Database } from '../../src/db/database.js';
import { CappedPool } from '../../src/db/time-cap.js';
import { RequestEnded } from '../../src/errors/database-failure.js';
import { startTestApp, type TestApp } from '../support/app.js';
import {
  countWaiting,
  createTestDatabase,
  openOneConnection,
  type TestDatabase,
} from '../support/database.js';
import { until } from '../support/processes.js';

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
const gone = () => new RequestEnded(true);

describe('reads of a request that has ended', () => {
  it('end in PostgreSQL as well, and the connection serves the next one', async () => {
    const request = new AbortController();
    const read = cancellable(request.signal, () => database.query('SELECT pg_sleep(600)'));
    await until('it runs', async () => (await sleeping()) === 1);
    request.abort(gone());
    await expect(read).rejects.toBeInstanceOf(RequestEnded);
    // The server says so before it shows it.
    await until('it has ended', async () => (await sleeping()) === 0);
    expect(await database.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('do not begin', async () => {
    const request = new AbortController();
    request.abort(gone());
    await expect(cancellable(request.signal, () => database.query('SELECT 1'))).rejects.toBeInstanceOf(
      RequestEnded,
    );
  });

  it('are no shorter list under the time cap of searches', async () => {
    const pool = new CappedPool(test.url, 60_000, 1, () => undefined);
    const request = new AbortController();
    const text = 'SELECT number, pg_sleep(600) FROM generate_series(1, 3) AS number';
    const read = cancellable(request.signal, () => pool.query({ text, values: [] }));
    await until('it runs', async () => {
      const rows = await test.database.query(
        `SELECT FROM pg_stat_activity WHERE state = 'active' AND query = $1`,
        [text],
      );
      return rows.length === 1;
    });
    request.abort(gone());
    await expect(read).rejects.toBeInstanceOf(RequestEnded);
    const next = await pool.query({ text: 'SELECT 1 AS one', values: [] });
    expect(next).toEqual({ rows: [{ one: 1 }], timedOut: false });
    await pool.close();
  });

  it('never take the statement of the next borrower with them', async () => {
    for (let round = 0; round < 150; round += 1) {
      const request = new AbortController();
      const read = cancellable(request.signal, () =>
        database.query('SELECT pg_sleep($1)', [(round % 10) / 10_000]),
      ).catch((error: unknown) => error);
      const next = read.then(() => database.query('SELECT pg_sleep(0.003), 1 AS one'));
      setTimeout(() => request.abort(gone()), round % 3);
      expect((await next)[0]).toMatchObject({ one: 1 });
    }
  });
});

describe('the service', () => {
  let app: TestApp;
  beforeAll(async () => {
    // Long before the limit of a statement.
    app = await startTestApp({ READ_DEADLINE_MS: '300', DATABASE_TIMEOUT_MS: '60000' });
  });
  afterAll(() => app.close());

  const whileLocked = <Result>(work: () => Promise<Result>) =>
    app.database.transaction(async (transaction) => {
      await transaction.query('LOCK TABLE domain IN ACCESS EXCLUSIVE MODE');
      return work();
    });

  it('ends the reads of a request at its deadline, and answers 503', async () => {
    await whileLocked(async () => {
      const { body, status } = await app.caller().get('/api/v1/domains/late.com.au');
      expect([status, body.error.code]).toEqual([503, 'database_unavailable']);
      await until('it waits no longer', async () => (await countWaiting(app.database)) === 0);
    });
  });
});

it('a caller who hangs up leaves no read behind', async () => {
  const app = await startTestApp({ READ_DEADLINE_MS: '60000', DATABASE_TIMEOUT_MS: '60000' });
  await app.database.transaction(async (transaction) => {
    await transaction.query('LOCK TABLE domain IN ACCESS EXCLUSIVE MODE');
    const request = new AbortController();
    const read = fetch(`${app.url}/api/v1/domains/left.com.au`, { signal: request.signal }).catch(() => null);
    await until('it waits', async () => (await countWaiting(app.database)) > 0);
    request.abort();
    expect(await read).toBeNull();
    await until('it is gone', async () => (await countWaiting(app.database)) === 0);
  });
  await app.close();
});
