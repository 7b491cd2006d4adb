import type { DataSource } from 'typeorm';
import { createDataSource } from '../../src/db/data-source.js';
import { CappedPool } from '../../src/db/time-cap.js';
import { cloneTemplate, dropDatabase } from '../support/database.js';
import { explainSearch } from '../support/query-plans.js';

/** Much longer than a busy machine takes for a statement that reads nothing. */
const CAP_MS = 1_000;

describe('CappedPool', () => {
  let url: string;
  let dataSource: DataSource;
  let sessions: CappedPool;
  beforeAll(async () => {
    url = await cloneTemplate();
    dataSource = createDataSource(url, 1, () => undefined);
    await dataSource.initialize();
    sessions = new CappedPool(url, CAP_MS, 1, () => undefined);
  });
  afterAll(async () => {
    await sessions.close();
    await dataSource.destroy();
    dropDatabase(url);
  });

  const ask = (name: string, text: string, values: unknown[] = []) =>
    sessions.query<{ number: number }>({ name, text, values });

  it('keeps the rows that came before the cap struck', async () => {
    const walk = `SELECT 1 AS number UNION ALL SELECT 2 UNION ALL (SELECT 3 FROM pg_sleep(30))`;
    expect(await ask('slow', walk)).toEqual({ rows: [{ number: 1 }, { number: 2 }], timedOut: true });
  });

  it('leaves the connection clean: the next statement runs on it, with the whole cap of its own', async () => {
    const before = await ask('who', 'SELECT pg_backend_pid() AS number');
    await ask('slow', `SELECT 1 AS number UNION ALL SELECT 2 UNION ALL (SELECT 3 FROM pg_sleep(30))`);
    expect(await ask('who', 'SELECT pg_backend_pid() AS number')).toEqual(before);
  });

  it('reads in the order that an index has, and sorts only where none has it', async () => {
    await dataSource.query(`
      CREATE TABLE sorted AS SELECT n AS place, n % 5000 AS kind, n % 7 AS other FROM generate_series(1, 10000) AS n;
      CREATE INDEX ON sorted (place) INCLUDE (kind, other);
      CREATE INDEX ON sorted (kind) INCLUDE (place, other);
      ANALYZE sorted`);
    const asked = 'FROM sorted WHERE kind = 1 ORDER BY';
    expect(await nodeTypes(`SELECT place ${asked} place LIMIT 2`)).not.toContain('Sort');
    expect(await nodeTypes(`SELECT other ${asked} other LIMIT 2`)).toContain('Sort');
  });

  async function nodeTypes(text: string): Promise<string[]> {
    return (await explainSearch(sessions, { text, values: [] })).map((node) => node['Node Type']);
  }

  it('passes on every other failure', async () => {
    await expect(ask('wrong', 'SELECT 1 / $1::int AS number', [0])).rejects.toMatchObject({ code: '22012' });
    expect(await ask('right', 'SELECT 1 AS number')).toEqual({ rows: [{ number: 1 }], timedOut: false });
  });

  it('has a statement wait for a free connection for as long as it is told', async () => {
    const hasty = new CappedPool(url, 60_000, 1, () => undefined, { connectTimeoutMs: 1_500 });
    const text = 'SELECT pg_sleep(30) AS hasty';
    const slow = hasty.query({ text, values: [] }).catch((error: unknown) => error);
    await expect(hasty.query({ text: 'SELECT 1', values: [] })).rejects.toThrow('timeout exceeded');
    await dataSource.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query = $1', [text]);
    expect(await slow).toMatchObject({ code: '57P01' });
    await hasty.close();
  });

  it('goes on when its connection was cut', async () => {
    const { rows } = await ask('who', 'SELECT pg_backend_pid() AS number');
    const [session] = rows;
    await dataSource.query('SELECT pg_terminate_backend($1, 5000)', [session?.number]);
    const answers = await Promise.allSettled([
      ask('right', 'SELECT 1 AS number'),
      ask('right', 'SELECT 1 AS number'),
    ]);
    expect(answers.at(-1)).toMatchObject({ value: { rows: [{ number: 1 }] } });
  });
});
