/**
 * The CPU time of a delivery to a webhook, of the worker's process and of PostgreSQL's, beside another checkout in one run:
 *
 *   node webhook-cpu.mjs [--work FOLDER] [--webhooks 32] [--deliveries 8000] [--rounds 5] [--beside CHECKOUT]
 *
 * The deliveries of a round are inserted at once and made by `bowerbird worker`; this process receives them and is not counted. The
 * sides take turns, and a worker runs only in its turn. Prints a table and writes results/webhook-cpu.md. Linux only.
 */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { cpuMsOf, cpuMsOfServer, findPostmaster } from './cpu-time.mjs';
import { describeMachine } from './machine.mjs';
import { startServer } from './server.mjs';

const HERE = resolve(import.meta.dirname, '../..');
const NAMES = 100;
const WARM_UP = 1_000;
const LOOK_EVERY_MS = 50;
const LIMIT_MS = 5 * 60_000;
/** What a start leaves to do. */
const SETTLE_MS = 2_000;

const { values } = parseArgs({
  options: {
    work: { type: 'string', default: '/tmp/bowerbird-bench/webhooks' },
    webhooks: { type: 'string', default: '32' },
    deliveries: { type: 'string', default: '8000' },
    rounds: { type: 'string', default: '5' },
    beside: { type: 'string' },
  },
});
await mkdir(values.work, { recursive: true });
const server = await startServer(values.work);
const receiver = createServer((request, response) => {
  request.resume().once('end', () => response.writeHead(204).end());
});
receiver.listen(0, '127.0.0.1');
await once(receiver, 'listening');
const address = `http://127.0.0.1:${receiver.address().port}/hook`;
const sides = [];
try {
  for (const folder of [HERE, ...(values.beside ? [resolve(values.beside)] : [])])
    sides.push(await openSide(folder));
  const postmaster = await findPostmaster(server.url);
  for (let round = 0; round < Number(values.rounds); round += 1)
    for (const side of sides) side.costs.push(await oneRound(side, postmaster));
  const text = toTable();
  process.stdout.write(text);
  await writeFile(new URL('results/webhook-cpu.md', import.meta.url), text);
} finally {
  for (const { client } of sides) await client.end();
  receiver.closeAllConnections();
  receiver.close();
  for (const { database } of sides) await server.dropDatabase(database);
  await server.close();
}

async function openSide(folder) {
  const load = (file) => import(pathToFileURL(join(folder, 'test/bench', file)).href);
  const { runImport, VOUCHED } = await load('import-command.mjs');
  const { addWebhooks, startWorker } = await load('webhook-worker.mjs');
  const commit = execFileSync('git', ['-C', folder, 'rev-parse', '--short=7', 'HEAD'], {
    encoding: 'utf8',
  }).trim();
  const database = `webhook_cpu_${sides.length}`;
  const url = await server.createDatabase(database);
  const names = Array.from({ length: NAMES }, (_, place) => `name-${place}.com.au\n`);
  await runImport(url, ['-', ...VOUCHED], ['domain\n', ...names]);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await addWebhooks(
    client,
    Array.from({ length: Number(values.webhooks) }, () => ({ url: address })),
  );
  return { commit, database, url, client, startWorker, costs: [] };
}

async function oneRound({ client, url, startWorker }, postmaster) {
  const worker = await startWorker(url);
  try {
    await deliver(client, WARM_UP);
    await pause(SETTLE_MS);
    const before = [await cpuMsOf(worker.pid), await cpuMsOfServer(postmaster)];
    await deliver(client, Number(values.deliveries));
    const after = [await cpuMsOf(worker.pid), await cpuMsOfServer(postmaster)];
    return after.map((ms, place) => (ms - before[place]) / Number(values.deliveries));
  } finally {
    await worker.stop();
  }
}

async function deliver(client, count) {
  await client.query('TRUNCATE webhook_delivery');
  await client.query(
    `INSERT INTO webhook_delivery (webhook_id, type, events)
     SELECT webhook.id, 'domain.dropped', ARRAY[(SELECT min(number) FROM domain_event) + made / $2::int % ${NAMES}]
       FROM (SELECT id, row_number() OVER (ORDER BY id) - 1 AS place FROM webhook) AS webhook
            JOIN generate_series(0, $1::int - 1) AS made ON made % $2 = webhook.place`,
    [count, Number(values.webhooks)],
  );
  for (const end = performance.now() + LIMIT_MS; performance.now() < end; await pause(LOOK_EVERY_MS)) {
    const { rows } = await client.query(
      `SELECT EXISTS (SELECT FROM webhook_delivery WHERE status = 'pending') AS waits,
              EXISTS (SELECT FROM webhook_delivery WHERE status = 'failed' OR attempts > 1) AS failed`,
    );
    if (rows[0].failed) throw new Error('a delivery failed');
    if (!rows[0].waits) return;
  }
  throw new Error('the deliveries were not made in time');
}

function toTable() {
  const median = (numbers) => numbers.toSorted((one, other) => one - other)[numbers.length >> 1];
  const rows = sides.map(({ commit, costs }) => {
    const both = costs.map(([node, postgres]) => node + postgres);
    const cells = [0, 1].map((place) => median(costs.map((cost) => cost[place])));
    return `| ${commit} | ${[...cells, median(both)].map((ms) => ms.toFixed(3)).join(' | ')} |`;
  });
  return [
    `${describeMachine()}; ${new Date().toISOString().slice(0, 10)}. ${values.deliveries} deliveries to ${values.webhooks} webhooks, one event each; the median of ${values.rounds} rounds. CPU time in ms a delivery.`,
    '',
    '| checkout | node | PostgreSQL | both |',
    '|---|---:|---:|---:|',
    ...rows,
    '',
  ].join('\n');
}
