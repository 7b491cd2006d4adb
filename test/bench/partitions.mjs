/**
 * The prototype behind docs/CAPACITY.md: what the table of names is as one table, in partitions by suffix, and in partitions by a hash
 * of the name.
 *
 *   node partitions.mjs [--rows 2000000] [--work FOLDER] [--repeats 3]
 *
 * Each is a schema of its own in the same database, filled from the same names, with all indexes of the product; the product's own
 * repository asks it, unchanged, by `search_path`. Measured: time to fill and to index, sizes, the questions of suggest, looking a name up, and a
 * daily file of changes. Answers are compared with those of one table. Prints a table and writes results/partitions.md.
 */
import pg from 'pg';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { fileURLToPath } from 'node:url';
import { askAll } from './asking.mjs';
import { Bowerbird, openRepository } from './engines/bowerbird.mjs';
import { describeMachine } from './machine.mjs';
import { makeNames, readLabels } from './names.mjs';
import { makeQueries } from './queries.mjs';
import { startServer } from './server.mjs';
import { ms, percentiles } from './tables.mjs';

const HASH_PARTITIONS = 8;
const LOOK_UPS = 2_000;
const DAILY_ROWS = 2_500;
const HERE = fileURLToPath(new URL('../..', import.meta.url));
/** The key of a partitioned table holds what it is divided by; a name says its suffix, so both keys allow the same rows. */
const LAYOUTS = {
  one_table: { title: 'one table', by: null, key: 'domain' },
  by_suffix: { title: 'by suffix', by: 'LIST (tld)', key: 'domain, tld' },
  by_hash: { title: `by hash, ${HASH_PARTITIONS} parts`, by: 'HASH (domain)', key: 'domain' },
};

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '2000000' },
    work: { type: 'string', default: '/tmp/bowerbird-bench' },
    repeats: { type: 'string', default: '3' },
  },
});
await mkdir(values.work, { recursive: true });
const file = await makeNames(join(values.work, `names-${values.rows}.csv`), Number(values.rows));
const queries = makeQueries(await readLabels(file));
const server = await startServer(values.work);
const client = new pg.Client({ connectionString: await loaded() });
await client.connect();
try {
  const { rows: names } = await client.query(
    `SELECT domain FROM public.domain TABLESAMPLE SYSTEM (1) REPEATABLE (7) LIMIT ${LOOK_UPS}`,
  );
  if (names.length === 0)
    throw new Error('there are no names: an earlier run was killed while it loaded them');
  const results = {};
  for (const [schema, layout] of Object.entries(LAYOUTS)) {
    const built = await build(schema, layout);
    results[schema] = { ...layout, ...built, ...(await ask(schema)), ...(await write(schema, names)) };
  }
  const text = toTable(results);
  process.stdout.write(text);
  await writeFile(new URL('results/partitions.md', import.meta.url), text);
} finally {
  for (const schema of Object.keys(LAYOUTS)) await client.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
  await client.end();
  await server.close();
}

async function loaded() {
  const database = `bowerbird_${values.rows}`;
  if (!(await server.hasDatabase(database))) await Bowerbird.load({ file, data: values.rows, server });
  return server.urlOf(database);
}

async function build(schema, { by, key }) {
  await client.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE; CREATE SCHEMA ${schema};
    CREATE TABLE ${schema}.domain (LIKE public.domain INCLUDING DEFAULTS INCLUDING GENERATED INCLUDING CONSTRAINTS)
    ${by ? `PARTITION BY ${by}` : 'WITH (fillfactor = 90)'}`);
  for (const part of await partsOf(schema, by)) await client.query(part);
  const { rows: columns } = await client.query(
    `SELECT string_agg(attname, ', ' ORDER BY attnum) AS list FROM pg_attribute
     WHERE attrelid = 'public.domain'::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''`,
  );
  const { list } = columns[0];
  const fillSeconds = await seconds(
    `INSERT INTO ${schema}.domain (${list}) SELECT ${list} FROM public.domain`,
  );
  const { rows: indexes } = await client.query(
    `SELECT pg_get_indexdef(indexrelid) AS text FROM pg_index WHERE indrelid = 'public.domain'::regclass AND NOT indisprimary`,
  );
  await client.query(`SET maintenance_work_mem = '1GB'`);
  let indexSeconds = await seconds(
    `ALTER TABLE ${schema}.domain ADD PRIMARY KEY (${key}) INCLUDE (available, hidden, wayback, first_seen)`,
  );
  for (const { text } of indexes)
    indexSeconds += await seconds(text.replace('ON public.domain', `ON ${schema}.domain`));
  await client.query(`VACUUM (ANALYZE) ${schema}.domain`);
  const { rows: sizes } = await client.query(
    `SELECT sum(pg_relation_size(c.oid)) FILTER (WHERE c.relkind = 'r') AS heap,
            sum(pg_relation_size(c.oid)) FILTER (WHERE am.amname = 'btree') AS btree,
            sum(pg_relation_size(c.oid)) FILTER (WHERE am.amname = 'gin') AS gin
     FROM pg_class c LEFT JOIN pg_am am ON am.oid = c.relam WHERE c.relnamespace = $1::regnamespace`,
    [schema],
  );
  return { fillSeconds, indexSeconds, ...sizes[0] };
}

async function partsOf(schema, by) {
  if (!by) return [];
  if (by.startsWith('HASH'))
    return Array.from(
      { length: HASH_PARTITIONS },
      (_, part) =>
        `CREATE TABLE ${schema}.domain_${part} PARTITION OF ${schema}.domain FOR VALUES WITH (MODULUS ${HASH_PARTITIONS}, REMAINDER ${part})`,
    );
  const { rows } = await client.query('SELECT DISTINCT tld FROM public.domain');
  return rows.map(
    ({ tld }) =>
      `CREATE TABLE ${schema}.domain_${tld.replace('.', '_')} PARTITION OF ${schema}.domain FOR VALUES IN (${client.escapeLiteral(tld)})`,
  );
}

async function ask(schema) {
  const url = new URL(server.urlOf(`bowerbird_${values.rows}`));
  url.searchParams.set('options', `-c search_path=${schema},public`);
  const { repository, close } = await openRepository(url.href, HERE);
  const engine = {
    async ask({ q, mode, tld, minWayback, limit }) {
      const suffixes = tld ? [tld] : [];
      const { domains, timedOut } = await repository.discoverDomains({
        q,
        mode,
        suffixes,
        minWayback,
        limit,
      });
      return { domains: domains.map(({ domain }) => domain), timedOut };
    },
  };
  try {
    return await askAll(engine, queries, Number(values.repeats));
  } finally {
    await close();
  }
}

/** A name looked up at a time, and a daily file's changes in one statement, taken back. */
async function write(schema, names) {
  const lookUp = {
    name: `look-up ${schema}`,
    text: `SELECT wayback FROM ${schema}.domain WHERE domain = $1`,
  };
  const began = performance.now();
  for (const { domain } of names) await client.query({ ...lookUp, values: [domain] });
  const lookUpMs = (performance.now() - began) / names.length;
  await client.query('BEGIN');
  const changeSeconds = await seconds(
    `UPDATE ${schema}.domain SET wayback = wayback + 1, checked_at = now()
     WHERE domain = ANY (ARRAY(SELECT domain FROM public.domain TABLESAMPLE SYSTEM (5) REPEATABLE (3) LIMIT ${DAILY_ROWS}))`,
  );
  await client.query('ROLLBACK');
  return { lookUpMs, changeSeconds };
}

async function seconds(statement) {
  const began = performance.now();
  await client.query(statement);
  return (performance.now() - began) / 1000;
}

function toTable(results) {
  const mb = (bytes) => Math.round(Number(bytes) / 2 ** 20).toLocaleString('en-AU');
  const lines = Object.values(results).map((one) => {
    const { p50, p95, p99, max } = percentiles(one.times);
    const differing = one.answers.filter(
      (answer, place) => answer !== results.one_table.answers[place],
    ).length;
    const cells = [
      one.title,
      mb(one.heap),
      mb(one.btree),
      mb(one.gin),
      one.fillSeconds.toFixed(0),
      one.indexSeconds.toFixed(0),
    ];
    cells.push(
      ...[p50, p95, p99, max].map(ms),
      one.timedOut,
      differing,
      one.lookUpMs.toFixed(2),
      one.changeSeconds.toFixed(2),
    );
    return `| ${cells.join(' | ')} |`;
  });
  return `${describeMachine()}; ${new Date().toISOString().slice(0, 10)}. ${Number(values.rows).toLocaleString('en-AU')} names, ${queries.length} questions of suggest, each once to warm up and then ${values.repeats} times; the median counts, in ms.

| layout | rows, MB | B-trees, MB | GIN, MB | filled, s | indexed, s | p50 | p95 | p99 | max | given up | answers that differ | a name looked up, ms | ${DAILY_ROWS.toLocaleString('en-AU')} changes, s |
|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|
${lines.join('\n')}
`;
}
