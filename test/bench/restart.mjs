/**
 * What the first search takes after PostgreSQL was restarted below a running service, beside the same one when all is warm:
 *
 *   node restart.mjs [--rows 10000000] [--work FOLDER] [--rounds 5] [--seed N]
 *
 * Needs the names that discovery.mjs has loaded, and nobody else on their server. Each round stops the server, starts it again, waits until the
 * service says that it is ready and for as long as a deploy script would look once more, and asks for a keyword of its own over HTTP.
 * Then the first minute of a cold server: PostgreSQL ends, the kernel forgets the files (as root; else the table says so), both start, and
 * drawn questions are asked five times a second, by turns of suggest and of search with filters. Prints tables, writes results/restart.md.
 */
import { execFileSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describeMachine } from './machine.mjs';
import { makeNames, readNames } from './names.mjs';
import { drawer, generator } from './questions.mjs';
import { startServer } from './server.mjs';
import { startService } from './service.mjs';
import { ms, percentiles } from './tables.mjs';

/** A keyword a round, of which many, some and few names are. */
const KEYWORDS = ['kangaroo', 'solar', 'ballina', 'tioning', 'melbourne', 'plumb', 'xqz'];
const LOOK_AGAIN_MS = 1_000;
const WARM_ASKINGS = 9;
const COLD_QUESTIONS = 300;
const EVERY_MS = 200;
/** Slower than this in the first minute is a fault. */
const COLD_LIMIT_MS = 100;
const RESULTS = new URL('results/', import.meta.url);

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '10000000' },
    work: { type: 'string', default: '/tmp/bowerbird-bench' },
    rounds: { type: 'string', default: '5' },
    seed: { type: 'string', default: String(randomInt(1_000_000)) },
  },
});
let server = await startServer(values.work);
const demo = { recordsPerMinute: 1e9, requestsPerMinute: 1e9, pageSize: 100, paging: true };
const database = `bowerbird_${values.rows}`;
const settings = {
  TIERS: JSON.stringify({ demo }),
  DATABASE_URL: server.urlOf(database),
  DATASET_JOBS: 'off',
};
let service = await startService(settings);
const lines = [];
let cold = '';
try {
  for (const keyword of KEYWORDS.slice(0, Number(values.rounds))) {
    await server.close();
    server = await startServer(values.work);
    const ready = await untilReady();
    await pause(LOOK_AGAIN_MS);
    const first = await ask(keyword);
    const warm = [];
    for (let asked = 0; asked < WARM_ASKINGS; asked += 1) warm.push(await ask(keyword));
    const median = warm.toSorted((one, other) => one - other)[WARM_ASKINGS >> 1];
    lines.push(`| ${[`\`${keyword}\``, ms(ready), ms(first), ms(median), ms(first - median)].join(' | ')} |`);
  }
  cold = await firstMinute();
} finally {
  await service.stop();
  await server.close();
}
const table = `${describeMachine()}; ${new Date().toISOString().slice(0, 10)}. ${Number(values.rows).toLocaleString('en-AU')} names, ms; PostgreSQL restarted below the service.

| keyword | ready again after | first answer | warm | difference |
|---|---:|---:|---:|---:|
${lines.join('\n')}

${cold}
`;
await mkdir(RESULTS, { recursive: true });
await writeFile(new URL('restart.md', RESULTS), table);
process.stdout.write(table);

async function untilReady() {
  const start = performance.now();
  while ((await fetch(`${service.url}/readyz`)).status !== 200) await pause(20);
  return performance.now() - start;
}

async function ask(keyword) {
  const start = performance.now();
  const response = await fetch(`${service.url}/v1/suggest?limit=1&q=${keyword}`);
  await response.json();
  if (response.status !== 200) throw new Error(`${keyword}: ${response.status}`);
  return performance.now() - start;
}

async function firstMinute() {
  const labels = (
    await readNames(
      await makeNames(join(values.work, `names-${values.rows}.csv`), Number(values.rows)),
      50_000,
    )
  ).map((name) => name.split('.')[0]);
  const draw = drawer(labels, generator(Number(values.seed)));
  await service.stop();
  await server.close();
  const forgot = forgetFiles();
  server = await startServer(values.work);
  service = await startService(settings);
  await untilReady();
  const times = [];
  const slow = [];
  let timedOut = 0;
  for (let place = 0; place < COLD_QUESTIONS; place += 1) {
    const due = pause(EVERY_MS);
    const path = place % 2 === 0 ? suggestOf(draw.ranked()) : searchOf(draw.filtered());
    const start = performance.now();
    const response = await fetch(`${service.url}${path}`);
    const text = await response.text();
    const took = performance.now() - start;
    if (response.status !== 200) throw new Error(`${path}: ${response.status} ${text.slice(0, 300)}`);
    times.push(took);
    if (JSON.parse(text).timed_out) timedOut += 1;
    if (took > COLD_LIMIT_MS) slow.push(`- ${took.toFixed(0)} ms: \`${path}\``);
    await due;
  }
  const { p50, p95, p99, max } = percentiles(times);
  return `First minute after a cold start (seed ${values.seed}; ${forgot}), ${COLD_QUESTIONS} drawn questions over HTTP, ms: p50 ${ms(p50)}, p95 ${ms(p95)}, p99 ${ms(p99)}, max ${ms(max)}; over ${COLD_LIMIT_MS}: ${slow.length}; timed out: ${timedOut}.

${slow.join('\n')}`;
}

function forgetFiles() {
  try {
    execFileSync('sh', ['-c', 'sync && echo 3 > /proc/sys/vm/drop_caches'], { stdio: 'ignore' });
    return 'the kernel had forgotten the files';
  } catch {
    return 'the kernel still had the files';
  }
}

function suggestOf({ q, mode, suffixes, minWayback, limit }) {
  return `/v1/suggest?${parametersOf({ q, mode, tld: suffixes[0], min_wayback: minWayback, limit })}`;
}

function searchOf({
  q,
  mode,
  suffixes,
  minWayback,
  maxWayback,
  minLength,
  maxLength,
  hyphens,
  numbers,
  ...rest
}) {
  const scores = { min_wayback: minWayback, max_wayback: maxWayback };
  const lengths = { min_length: minLength, max_length: maxLength };
  const days = { first_seen_from: rest.firstSeenFrom, first_seen_to: rest.firstSeenTo };
  const order = { sort: `${rest.sort.key}_${rest.sort.direction}`, per_page: 50 };
  return `/api/v1/search?${parametersOf({ q, mode, tld: suffixes.join(), ...scores, ...lengths, hyphens, numbers, ...days, ...order })}`;
}

function parametersOf(parameters) {
  return new URLSearchParams(
    Object.entries(parameters).filter(([, value]) => value !== undefined && value !== '' && value !== 0),
  ).toString();
}
