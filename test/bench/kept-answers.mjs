/**
 * The size of the answers of registries that are kept as evidence, and the time of looking one name's up:
 *
 *   node test/bench/kept-answers.mjs [--answers 1000000] [--work FOLDER]
 *
 * 25 months, in which each name is asked five times within one month. Prints a table: as rows, and packed. Needs a build.
 */
import { performance } from 'node:perf_hooks';
import pg from 'pg';
import { parseArgs } from 'node:util';
import { createDataSource } from '../../dist/src/db/data-source.js';
import { Database } from '../../dist/src/db/database.js';
import { migrate } from '../../dist/src/db/migrate.js';
import { AnswerLogRepository } from '../../dist/src/registry/answer-log.repository.js';
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
  `SELECT create_answer_month(day)
     FROM generate_series(timestamptz '2024-01-01', timestamptz '2026-01-01', interval '1 month') AS day`,
);
await client.query(
  `INSERT INTO kept_answer (asked_at, took_ms, text_id, domain)
   SELECT at, 80 + random() * 300, 1 + number % 7, substr(md5(name::text), 1, 4 + name % 11) || name || '.com.au'
     FROM (SELECT number, month, month * ($1::int / 125) + number % ($1::int / 125) AS name
             FROM generate_series(0, 24) AS month, generate_series(1, $1::int / 25) AS number) AS asked,
          LATERAL (SELECT date_trunc('ms', timestamptz '2024-01-01' + month * interval '1 month'
                         + (number + random()) * (interval '27 days' / ($1::int / 25))) AS at) AS moment`,
  [answers],
);
await client.query(`INSERT INTO kept_text (digest, source, verdict, parser, has_rdap_type, last_seen_on)
  SELECT sha256(number::text::bytea), 'rdap', 'registered', 2, true, '2026-01-31' FROM generate_series(1, 7) AS number`);

const dataSource = await createDataSource(url, 2, () => undefined).initialize();
const repository = new AnswerLogRepository(new Database(dataSource));
console.log('| | rows, MB | indexes, MB | look-up p50, ms | six names p50, ms |\n|---|---:|---:|---:|---:|');
await describe('rows', `SELECT inhrelid AS id FROM pg_inherits WHERE inhparent = 'kept_answer'::regclass`);
const started = performance.now();
await repository.packBefore(new Date('2030-01-01'), 10_000);
console.error(`packed in ${((performance.now() - started) / 1_000).toFixed(1)} s`);
await describe('packed', `SELECT 'packed_answer'::regclass AS id`);
await dataSource.destroy();
await client.end();
await server.dropDatabase('kept_answers');
await server.close();

/** @param tables a query for them */
async function describe(what, tables) {
  await client.query('VACUUM ANALYZE');
  const { rows } = await client.query(
    `SELECT sum(pg_table_size(id))::float8 / 1e6 AS heap, sum(pg_indexes_size(id))::float8 / 1e6 AS indexes
       FROM (${tables}) AS answers`,
  );
  const sample = await client.query(
    `SELECT substr(md5(number::text), 1, 4 + number % 11) || number || '.com.au' AS domain
       FROM generate_series(1, ${LOOK_UPS}) AS number`,
  );
  const names = sample.rows.map(({ domain }) => domain);
  const one = await medianOf(names, (domain) => repository.list(domain, 50));
  const six = await medianOf(names, (domain) =>
    repository.findLast([domain, ...[1, 2, 3, 4, 5].map((at) => `${at}${domain}`)], ['rdap']),
  );
  const { heap, indexes } = rows[0];
  console.log(`| ${what} | ${heap.toFixed(0)} | ${indexes.toFixed(0)} | ${one} | ${six} |`);
}

async function medianOf(names, look) {
  const times = [];
  for (const name of names) {
    const start = performance.now();
    await look(name);
    times.push(performance.now() - start);
  }
  times.sort((one, other) => one - other);
  return times[Math.floor(times.length / 2)]?.toFixed(2);
}
