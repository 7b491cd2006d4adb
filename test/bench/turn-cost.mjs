/**
 * What the choice of the next question costs PostgreSQL, on a made-up table of 700,000 offers, 6,557 of them young, with a backlog of
 * 100,000 names and 2,000 drops that wait:
 *
 *   npm run build && node test/bench/turn-cost.mjs [FOLDER]
 *
 * Prints the third EXPLAIN (ANALYZE, BUFFERS) of each statement of the product, and the time with transfer. The figures stand in
 * results/turns.md. The indexes for words are left out: no statement here reads them.
 */
import pg from 'pg';
import { migrate } from '../../dist/src/db/migrate.js';
import { TurnQueueRepository } from '../../dist/src/domains/freshness/turn-queue.repository.js';
import { startServer } from './server.mjs';

const STATEMENTS = [
  'SET statement_timeout = 0',
  `INSERT INTO domain (domain, name, tld, wayback, first_seen, state, available, confirmed_by, checked_at, dropped_at, purge_at, list_kind)
   SELECT 'n' || i || '.com.au', 'n' || i, 'com.au', (random() ^ 8 * 5000)::int, (now() - age)::date, 'available', true, 'rdap',
          now() - age * random(), now() - age, now() - age, 'deleted'
     FROM (SELECT i, CASE WHEN i <= 6557 THEN interval '40 hours' * random() ELSE interval '5 days' + interval '400 days' * random() END AS age
             FROM generate_series(1, 700000) AS i) AS made_up`,
  `INSERT INTO domain (domain, name, tld, wayback, state, purge_at, list_kind)
   SELECT 'w' || i || '.com.au', 'w' || i, 'com.au', (random() ^ 8 * 5000)::int, 'purged',
          now() - CASE WHEN i <= 2000 THEN interval '1 hour' ELSE interval '90 days' END, 'deleted'
     FROM generate_series(1, 102000) AS i`,
  `INSERT INTO recheck (domain, ask_at, checked_at)
   SELECT domain, now() + random() * interval '40 days' - interval '1 hour', checked_at FROM domain WHERE available`,
  'VACUUM ANALYZE domain',
  'VACUUM ANALYZE recheck',
];

const server = await startServer(process.argv[2] ?? '/tmp/bowerbird-bench');
try {
  const url = await server.createDatabase('turn_cost');
  await migrate(url);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows: indexes } = await client.query(
    `SELECT indexname, indexdef FROM pg_indexes WHERE tablename = 'domain'`,
  );
  for (const { indexname, indexdef } of indexes)
    if (indexdef.includes('USING gin')) await client.query(`DROP INDEX ${indexname}`);
  for (const statement of STATEMENTS) await client.query(statement);
  const asked = [];
  const queues = new TurnQueueRepository({ query: async (...question) => (asked.push(question), []) });
  await queues.readHeads(new Date());
  await queues.listPlannable(new Date(), 100);
  await queues.listFirstRechecks(new Date(), 600);
  for (const [text, values] of asked) {
    for (let run = 0; run < 2; run += 1) await client.query(text, values);
    const plan = await client.query(`EXPLAIN (ANALYZE, BUFFERS) ${text}`, values);
    for (const row of plan.rows) process.stdout.write(`${row['QUERY PLAN']}\n`);
    const began = performance.now();
    const { rows } = await client.query(text, values);
    process.stdout.write(
      `== ${rows.length} rows, with transfer ${(performance.now() - began).toFixed(1)} ms\n\n`,
    );
  }
  await client.end();
  await server.dropDatabase('turn_cost');
} finally {
  await server.close();
}
