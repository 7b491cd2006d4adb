/**
 * What the first search takes after PostgreSQL was restarted below a running service, beside the same one when all is warm:
 *
 *   node restart.mjs [--rows 10000000] [--work FOLDER] [--rounds 5]
 *
 * Needs the names that discovery.mjs has loaded, and nobody else on their server. Each round stops the server, starts it again, waits until the
 * service says that it is ready and for as long as a deploy script would look once more, and asks for a keyword of its own over HTTP. Prints a
 * table and writes results/restart.md.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { setTimeout as pause } from 'node:timers/promises';
import { describeMachine } from './machine.mjs';
import { startServer } from './server.mjs';
import { startService } from './service.mjs';
import { ms } from './tables.mjs';

/** A keyword a round, of which many, some and few names are. */
const KEYWORDS = ['kangaroo', 'solar', 'ballina', 'tioning', 'melbourne', 'plumb', 'xqz'];
const LOOK_AGAIN_MS = 1_000;
const WARM_ASKINGS = 9;
const RESULTS = new URL('results/', import.meta.url);

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '10000000' },
    work: { type: 'string', default: '/tmp/bowerbird-bench' },
    rounds: { type: 'string', default: '5' },
  },
});
let server = await startServer(values.work);
const demo = { recordsPerMinute: 1e9, requestsPerMinute: 1e9 };
const service = await startService({
  TIERS: JSON.stringify({ demo }),
  DATABASE_URL: server.urlOf(`bowerbird_${values.rows}`),
  DATASET_JOBS: 'off',
});
const lines = [];
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
} finally {
  await service.stop();
  await server.close();
}
const table = `${describeMachine()}; ${new Date().toISOString().slice(0, 10)}. ${Number(values.rows).toLocaleString('en-AU')} names, ms; PostgreSQL restarted below the service.

| keyword | ready again after | first answer | warm | difference |
|---|---:|---:|---:|---:|
${lines.join('\n')}
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
