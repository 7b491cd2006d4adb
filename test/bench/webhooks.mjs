/**
 * Webhooks, from the commit of a drop to the receiver:
 *
 *   node webhooks.mjs [--work FOLDER] [--names 1000000]
 *
 * Imports by the command line, delivers by `bowerbird worker` and receives in this process; all of them and PostgreSQL share the
 * machine. Prints tables and writes them to results/webhooks.md. Memory is read on Linux only.
 */
import { randomUUID } from 'node:crypto';
import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { highWaterMb, runImport, VOUCHED } from './import-command.mjs';
import { describeMachine } from './machine.mjs';
import { makeNames, readLabels } from './names.mjs';
import { startServer } from './server.mjs';
import { ms, percentiles } from './tables.mjs';
import { addWebhooks, startWorker } from './webhook-worker.mjs';

const LOOK_EVERY_MS = 20;
const LIMIT_MS = 10 * 60_000;
const DATABASE = 'bowerbird_webhooks';
const DAILY_NAMES = 2_500;
const ROUNDS = 3;

const { values } = parseArgs({
  options: {
    work: { type: 'string', default: '/tmp/bowerbird-bench/webhooks' },
    names: { type: 'string', default: '1000000' },
  },
});
await mkdir(values.work, { recursive: true });
const server = await serverWithCommitTimes();
const receiver = await startReceiver();
const lines = [`${describeMachine()}; ${new Date().toISOString().slice(0, 10)}.`, ''];
let url;
let client;
let days = 0;
try {
  url = await server.createDatabase(DATABASE);
  const names = await makeNames(join(values.work, `names-${values.names}.csv`), Number(values.names));
  await runImport(url, [names, ...VOUCHED]);
  client = new pg.Client({ connectionString: url });
  await client.connect();
  const labels = await readLabels(names);
  await measureLatency();
  await measureRate();
  await measureFanOut(labels);
  await measureMemory();
} finally {
  await client?.end();
  await receiver.close();
  await server.dropDatabase(DATABASE);
  await server.close();
}
const text = `${lines.join('\n')}\n`;
process.stdout.write(text);
await writeFile(new URL('results/webhooks.md', import.meta.url), text);

/** One name at a time drops, and 100 webhooks want it. */
async function measureLatency() {
  const drops = 60;
  const warmUp = 10;
  await addWebhooks(
    client,
    Array.from({ length: 100 }, () => ({ url: receiver.url })),
  );
  const worker = await startWorker(url);
  const times = [];
  for (let drop = 0; drop < drops; drop += 1) {
    receiver.arrivals.length = 0;
    await runImport(url, ['-', ...VOUCHED], ['domain\n', `${randomUUID()}.com.au\n`]);
    await until(() => receiver.arrivals.length === 100);
    const { rows } = await client.query(
      `SELECT extract(epoch FROM pg_xact_commit_timestamp(xmin)) * 1000 AS at FROM domain_event ORDER BY number DESC LIMIT 1`,
    );
    if (drop >= warmUp) times.push(...receiver.arrivals.map((at) => at - Number(rows[0].at)));
  }
  await worker.stop();
  const { p50, p95, p99, max } = percentiles(times);
  lines.push(
    `Commit to receiver, ${drops - warmUp} drops of one name, 100 webhooks that want it, ms:`,
    '',
    '| p50 | p95 | p99 | max |',
    '|---:|---:|---:|---:|',
    `| ${[p50, p95, p99, max].map(ms).join(' | ')} |`,
    '',
  );
}

/** 100 webhooks, 500 names: 50,000 deliveries, by one worker and by two. */
async function measureRate() {
  const wanted = 50_000;
  lines.push(
    `Deliveries, ${wanted.toLocaleString('en-AU')} of them to 100 webhooks, one name each:`,
    '',
    '| workers | deliveries a second | most memory of a worker, MB |',
    '|---:|---:|---:|',
  );
  for (const count of [1, 2]) {
    const workers = await Promise.all(Array.from({ length: count }, () => startWorker(url)));
    receiver.arrivals.length = 0;
    await runImport(url, ['-', ...VOUCHED], namesOf(500));
    await until(() => receiver.arrivals.length >= wanted);
    const seconds = (receiver.arrivals.at(-1) - receiver.arrivals[0]) / 1000;
    const memory = await Promise.all(workers.map(({ pid }) => highWaterMb(pid)));
    await Promise.all(workers.map((worker) => worker.stop()));
    lines.push(`| ${count} | ${Math.round(wanted / seconds)} | ${Math.max(...memory)} |`);
  }
  lines.push('');
}

/** A daily file, and webhooks that each look for something else. */
async function measureFanOut(labels) {
  lines.push(
    `A daily file of ${DAILY_NAMES.toLocaleString('en-AU')} names into ${Number(values.names).toLocaleString('en-AU')}, webhooks with a filter each; median of ${ROUNDS}:`,
    '',
    '| webhooks | import, s | handed over after the commit, ms | deliveries | all delivered after, s |',
    '|---:|---:|---:|---:|---:|',
  );
  for (const count of [0, 100, 1_000, 10_000]) {
    await client.query('TRUNCATE webhook, webhook_delivery');
    await addWebhooks(
      client,
      Array.from({ length: count }, (_, place) => filterOf(labels, place)),
    );
    const worker = await startWorker(url);
    const rounds = [];
    for (let round = 0; round < ROUNDS; round += 1) rounds.push(await oneDay());
    await worker.stop();
    const median = (pick) => rounds.map(pick).toSorted((one, other) => one - other)[Math.floor(ROUNDS / 2)];
    const cells = [
      count.toLocaleString('en-AU'),
      median(({ seconds }) => seconds).toFixed(2),
      count ? Math.round(median(({ handedOver }) => handedOver)) : '',
      count ? median(({ made }) => made).toLocaleString('en-AU') : '',
      count ? median(({ delivered }) => delivered).toFixed(1) : '',
    ];
    lines.push(`| ${cells.join(' | ')} |`);
  }
  lines.push('');
}

async function oneDay() {
  await client.query('DELETE FROM webhook_delivery');
  days += 1;
  const file = await makeNames(join(values.work, 'more.csv'), 100_000);
  const text = (await readFile(file, 'utf8')).split('\n').slice(days * DAILY_NAMES, (days + 1) * DAILY_NAMES);
  const fresh = text.map((line) => `day${days}-${line.split(',')[0]}\n`);
  const importing = runImport(url, ['-', ...VOUCHED], ['domain\n', ...fresh]);
  const last = await newestEvent();
  await until(async () => (await newestEvent()) > last);
  const committed = performance.now();
  await until(
    async () =>
      (await count(
        'SELECT count(*) FROM webhook_outbox, dataset WHERE webhook_outbox.last_event < dataset.last_event',
      )) === 0,
  );
  const handedOver = performance.now() - committed;
  const made = await count('SELECT count(*) FROM webhook_delivery');
  await until(
    async () => (await count(`SELECT count(*) FROM webhook_delivery WHERE status = 'pending'`)) === 0,
  );
  const delivered = (performance.now() - committed) / 1000;
  return { seconds: (await importing).seconds, handedOver, made, delivered };
}

/** 100,000 deliveries wait for receivers that are away. */
async function measureMemory() {
  await client.query('TRUNCATE webhook, webhook_delivery');
  const idle = await startWorker(url);
  await pause(5_000);
  const before = await highWaterMb(idle.pid);
  await idle.stop();
  await addWebhooks(
    client,
    Array.from({ length: 40 }, () => ({ url: receiver.url })),
  );
  receiver.isAway = true;
  const worker = await startWorker(url);
  await runImport(url, ['-', ...VOUCHED], namesOf(DAILY_NAMES));
  await until(
    async () => (await count(`SELECT count(*) FROM webhook_delivery WHERE status = 'pending'`)) === 100_000,
  );
  await pause(30_000);
  const pending = await count(`SELECT count(*) FROM webhook_delivery WHERE status = 'pending'`);
  const tried = receiver.refusals;
  const after = await highWaterMb(worker.pid);
  await worker.stop();
  lines.push(
    `Memory of a worker: ${before} MB with nothing to do; ${after} MB at most with ${pending.toLocaleString('en-AU')} deliveries pending, of which it tried ${tried.toLocaleString('en-AU')} in 30 s at receivers that are away.`,
  );
}

function filterOf(labels, place) {
  const label = labels[(place * 37) % labels.length];
  const length = 4 + (place % 3);
  return {
    url: receiver.url,
    q: label.slice(0, length).padEnd(3, 'a'),
    suffixes: place % 4 === 0 ? ['com.au'] : [],
    maxLength: place % 5 === 0 ? 20 : null,
  };
}

function namesOf(count) {
  return ['domain\n', ...Array.from({ length: count }, () => `${randomUUID()}.com.au\n`)];
}

async function count(sql) {
  const { rows } = await client.query(sql);
  return Number(rows[0].count);
}

async function newestEvent() {
  const { rows } = await client.query('SELECT last_event FROM dataset');
  return Number(rows[0].last_event);
}

async function until(condition) {
  for (const end = performance.now() + LIMIT_MS; performance.now() < end;) {
    if (await condition()) return;
    await pause(LOOK_EVERY_MS);
  }
  throw new Error(`not within ${LIMIT_MS} ms: ${condition}`);
}

async function startReceiver() {
  const receiver = {
    url: '',
    /** Milliseconds of the wall clock, which is PostgreSQL's as well. */
    arrivals: [],
    isAway: false,
    refusals: 0,
    close: () => new Promise((closed) => listener.close(closed)),
  };
  const listener = createServer((request, response) => {
    request.resume().once('end', () => {
      if (receiver.isAway) receiver.refusals += 1;
      else receiver.arrivals.push(performance.timeOrigin + performance.now());
      response.writeHead(receiver.isAway ? 500 : 204).end();
    });
  });
  await new Promise((listening) => listener.listen(0, '127.0.0.1', listening));
  receiver.url = `http://127.0.0.1:${listener.address().port}/hook`;
  return receiver;
}

async function serverWithCommitTimes() {
  const first = await startServer(values.work);
  await first.close();
  const settings = join(values.work, 'server/postgres/data/postgresql.conf');
  await appendFile(settings, 'track_commit_timestamp = on\n');
  return startServer(values.work);
}
