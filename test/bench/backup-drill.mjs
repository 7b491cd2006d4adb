/**
 * Backup and restore of many names, beside what COPY itself takes for the same rows in the same run:
 *
 *   node backup-drill.mjs [--rows 1000000] [--work FOLDER] [--keep]
 *
 * Every table of the restored database is compared with its origin, by rows and by a sum over their hashes, and a service that is started on it
 * answers as one on the origin does. Prints a table and writes results/backup.md.
 */
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { backUp } from '../../dist/src/db/backup/backup.js';
import { columnList, listTables, quoted } from '../../dist/src/db/backup/backup-file.js';
import { restore } from '../../dist/src/db/backup/restore.js';
import { createDataSource } from '../../dist/src/db/data-source.js';
import { Database } from '../../dist/src/db/database.js';
import { migrate } from '../../dist/src/db/migrate.js';
import { startSandboxRegistry } from '../../dist/src/demo/sandbox-registry.js';
import { runImport, VOUCHED } from './import-command.mjs';
import { describeMachine } from './machine.mjs';
import { makeNames } from './names.mjs';
import { startServer } from './server.mjs';
import { startService } from './service.mjs';

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '1000000' },
    work: { type: 'string', default: '/tmp/bowerbird-bench' },
    keep: { type: 'boolean', default: false },
  },
});
const rows = Number(values.rows);
const ORIGIN = `backup_${rows}`;
const [RESTORED, COPIED] = [`${ORIGIN}_restored`, `${ORIGIN}_copied`];
const QUESTION = '/v1/suggest?q=ca&limit=5';
const say = (step) => console.error(`${new Date().toISOString()}  ${step}`);

await mkdir(values.work, { recursive: true });
const names = await makeNames(join(values.work, `names-${rows}.csv`), rows);
const file = join(values.work, `${ORIGIN}.backup`);
const server = await startServer(values.work);
const registry = await startSandboxRegistry({ port: 0 });
const opened = [];
try {
  say('importing');
  if (!(await server.hasDatabase(ORIGIN)))
    await runImport(await server.createDatabase(ORIGIN), [...VOUCHED, names]);
  const origin = await open(ORIGIN);
  const tables = await listTables(origin);
  say('copying to nowhere');
  const bytes = { read: 0 };
  const copyOut = await timed(() => readAll(origin, tables, bytes));
  say('backing up');
  await rm(file, { force: true });
  const backup = await timed(() => backUp(origin, file, () => undefined));
  say('restoring');
  const restored = await openEmpty(RESTORED);
  const filling = await timed(() => restore(restored, file, () => undefined));
  say('copying from one to the other');
  const copied = await openEmpty(COPIED);
  const copyIn = await timed(() => copyAll(origin, copied, tables));
  say('comparing');
  const differing = [];
  for (const table of tables)
    if ((await sumOf(origin, table)) !== (await sumOf(restored, table))) differing.push(table.table);
  if (differing.length > 0) throw new Error(`these tables differ: ${differing.join(', ')}`);
  const [here, there] = [await answerOn(ORIGIN), await answerOn(RESTORED)];
  if (here !== there || !here.includes('"count":5')) throw new Error(`other answers: ${here} and ${there}`);
  const { size } = await stat(file);
  const megabytes = (count) => `${(count / 1e6).toFixed(0)} MB`;
  const report = `# Backup and restore of ${rows.toLocaleString('en')} names

${describeMachine()}; ${new Date().toISOString().slice(0, 10)}; \`node test/bench/backup-drill.mjs --rows ${rows}\`. Everything on one machine; others used it as well.

| | Seconds |
|---|---|
| COPY of every table, to nowhere (${megabytes(bytes.read)}) | ${copyOut.toFixed(1)} |
| \`backup\`: the same, with sums, packed to ${megabytes(size)} | ${backup.toFixed(1)} |
| COPY of the same rows into the empty schema, its indexes in place | ${copyIn.toFixed(1)} |
| \`restore\`: from the file, with sums, indexes built afterwards, and ANALYZE | ${filling.toFixed(1)} |

All ${tables.length} tables are equal (rows, and a sum of their hashes), and a service on the restored database answers as one on the origin.
`;
  await mkdir(new URL('results/', import.meta.url), { recursive: true });
  // The second half is that of disk-drill.mjs.
  const results = new URL('results/backup.md', import.meta.url);
  const [, second] = (await readFile(results, 'utf8').catch(() => '')).split('# A dead disk');
  await writeFile(results, second === undefined ? report : `${report}\n# A dead disk${second}`);
  console.log(report);
} finally {
  for (const { dataSource } of opened) await dataSource.destroy();
  for (const name of values.keep ? [] : [RESTORED, COPIED, ORIGIN])
    if (await server.hasDatabase(name)) await server.dropDatabase(name);
  await rm(file, { force: true });
  await registry.close();
  await server.close();
}

async function open(name) {
  const database = new Database(await createDataSource(server.urlOf(name), 2, () => undefined).initialize());
  opened.push(database);
  return database;
}

async function openEmpty(name) {
  await migrate(await server.createDatabase(name));
  return open(name);
}

async function timed(work) {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1_000;
}

function outOf(table) {
  return copyTo(`COPY ${quoted(table.table)} (${columnList(table)}) TO STDOUT`);
}

async function readAll(database, tables, bytes) {
  for (const table of tables) {
    const nowhere = new Writable({
      write(chunk, _, next) {
        bytes.read += chunk.length;
        next();
      },
    });
    await withClient(database, (client) => pipeline(client.query(outOf(table)), nowhere));
  }
}

async function copyAll(from, into, tables) {
  const list = tables.map(({ table }) => quoted(table)).join(', ');
  await withClient(into, async (client) => {
    await client.query(`BEGIN; TRUNCATE ${list}`);
    for (const table of tables) {
      const name = quoted(table.table);
      await client.query(`ALTER TABLE ${name} DISABLE TRIGGER USER`);
      const sink = client.query(copyFrom(`COPY ${name} (${columnList(table)}) FROM STDIN`));
      await withClient(from, (source) => pipeline(source.query(outOf(table)), sink));
      await client.query(`ALTER TABLE ${name} ENABLE TRIGGER USER`);
    }
    await client.query('COMMIT');
  });
}

async function sumOf(database, { table }) {
  const [row] = await database.query(
    `SELECT count(*)::text || ' ' || coalesce(sum(hashtextextended(one::text, 0)), 0)::text AS sum FROM ${quoted(table)} AS one`,
  );
  return row.sum;
}

async function answerOn(name) {
  const service = await startService({
    DATABASE_URL: server.urlOf(name),
    REGISTRY_RDAP_URL: registry.url,
    BASE_URL: 'http://localhost',
    DATASET_JOBS: 'off',
    ARCHIVE_CDX_URL: 'off',
  });
  try {
    const answer = await (await fetch(service.url + QUESTION)).json();
    return JSON.stringify({ count: answer.count, results: answer.results });
  } finally {
    await service.stop();
  }
}

async function withClient(database, work) {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
