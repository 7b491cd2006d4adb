/**
 * How PostgreSQL asks discovery's questions, as the repository asks them:
 *
 *   node explain.mjs [--rows 10000000] [--work FOLDER] [--mode contains] [--limit 10] PATTERN...
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { createDataSource } from '../../dist/src/db/data-source.js';
import { Database } from '../../dist/src/db/database.js';
import { planDiscovery } from '../../dist/src/domains/search/planner.js';
import { statementOf } from '../../dist/src/domains/search/statements.repository.js';
import { NameSampler } from '../../dist/src/domains/search/name-sampler.js';
import { startServer } from './server.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rows: { type: 'string', default: '10000000' },
    work: { type: 'string', default: '/tmp/bowerbird-bench' },
    mode: { type: 'string', default: 'contains' },
    limit: { type: 'string', default: '10' },
  },
});
const server = await startServer(join(values.work));
const url = server.urlOf(`bowerbird_${values.rows}`);
const dataSource = createDataSource(url, 1, () => undefined);
const client = new pg.Client({ connectionString: url });
try {
  await dataSource.initialize();
  const sampler = new NameSampler(new Database(dataSource));
  await sampler.refresh();
  await client.connect();
  // As the sessions of CappedPool have it.
  await client.query(`SET plan_cache_mode = force_generic_plan; SET max_parallel_workers_per_gather = 0;
                      SET enable_seqscan = off; SET enable_sort = off; SET enable_incremental_sort = off;
                      SET work_mem = '32MB'; SET jit = off`);
  for (const q of positionals) await explain(q, sampler.current);
} finally {
  await client.end();
  await dataSource.destroy();
  await server.close();
}

async function explain(q, sample) {
  const query = { q, mode: values.mode, suffixes: [], minWayback: 0, limit: Number(values.limit) };
  const { plan } = planDiscovery(query, sample);
  const { text, values: bound } = statementOf(query, plan);
  process.stdout.write(`\n== ${values.mode} "${q}": ${JSON.stringify(plan)}\n\n`);
  await client.query(`PREPARE question AS ${text}`);
  const literals = bound.map((value) =>
    client.escapeLiteral(Array.isArray(value) ? `{${value}}` : String(value)),
  );
  const execute = `EXECUTE question${literals.length > 0 ? `(${literals.join(', ')})` : ''}`;
  // The first time warms up.
  await client.query(execute);
  const { rows } = await client.query(`EXPLAIN (ANALYZE, BUFFERS, COSTS OFF, SUMMARY ON) ${execute}`);
  for (const row of rows) process.stdout.write(`${row['QUERY PLAN']}\n`);
  await client.query('DEALLOCATE question');
}
