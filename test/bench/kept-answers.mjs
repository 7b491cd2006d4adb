/**
 * The size of the answers of registries that are kept as evidence, and the time of looking one name's up:
 *
 *   node test/bench/kept-answers.mjs [--answers 1000000] [--work FOLDER]
 *
 * Each name is asked five times within months, as names on offer are. Prints a table. Needs a build.
 */
import { performance } from 'node:perf_hooks';
import pg from 'pg';
import { parseArgs } from 'node:util';
import { migrate } from '../../dist/src/db/migrate.js';
import { startServer } from './server.mjs';

const { values } = parseArgs({
  options: { answers: { type: 'string', default: '1000000' }, work: { type: 'string', default: '.bench' } },
});
const answers = Number(values.answers);
const LOOK_UPS = 200;

const server = await startServer(values.work);
const url = await server.createDatabase('kept_answers');
await migrate(url);
const client = new pg.Client({ connectionString: url });
await client.connect();
await client.query(
  `SELECT create_answer_month(day) FROM generate_series(timestamptz '2026-01-01', $1::timestamptz, interval '1 month') AS day`,
  [new Date(Date.UTC(2026, 0, 1) + answers * 2_000)],
);
await client.query(
  `INSERT INTO kept_answer (asked_at, took_ms, text_id, domain)
   SELECT at, 180, 1 + number % 7,
          substr(md5((number % ($1::int / 5))::text), 1, 4 + number % 11) || (number % ($1::int / 5)) || '.com.au'
     FROM generate_series(1, $1::int) AS number,
          LATERAL (SELECT timestamptz '2026-01-01' + number * interval '2 s' AS at) AS asked`,
  [answers],
);
await client.query('VACUUM ANALYZE kept_answer');
const { rows } = await client.query(
  `SELECT sum(pg_relation_size(inhrelid))::float8 / $1 AS heap, sum(pg_indexes_size(inhrelid))::float8 / $1 AS indexes
     FROM pg_inherits WHERE inhparent = 'kept_answer'::regclass`,
  [answers],
);
const times = [];
const sample = await client.query(`SELECT domain FROM kept_answer ORDER BY asked_at LIMIT ${LOOK_UPS}`);
for (const { domain } of sample.rows) {
  const start = performance.now();
  await client.query('SELECT * FROM kept_answer WHERE domain = $1 ORDER BY asked_at DESC LIMIT 50', [domain]);
  times.push(performance.now() - start);
}
times.sort((one, other) => one - other);
console.log('| answers | rows, MB | indexes, MB | look-up p50, ms |\n|---:|---:|---:|---:|');
console.log(
  `| ${answers.toLocaleString('en')} | ${((rows[0].heap * answers) / 1e6).toFixed(0)} | ${((rows[0].indexes * answers) / 1e6).toFixed(0)} | ${times[Math.floor(times.length / 2)]?.toFixed(2)} |`,
);
await client.end();
await server.dropDatabase('kept_answers');
await server.close();
