/**
 * Where the service's process spends the CPU time of a route: the ten largest entries of its flame graph, by their own time, beside
 * another checkout in the same run:
 *
 *   node profile.mjs [--route suggest] [--rows 200000] [--requests 10000] [--work FOLDER] [--beside CHECKOUT]
 *
 * Prints a table, writes it to results/profile.md, and leaves the profiles in the folder, for Chrome's developer tools. Linux only.
 */
import { execFileSync } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { fileURLToPath } from 'node:url';
import { startSandboxRegistry } from '../../dist/src/demo/sandbox-registry.js';
import { CONNECTIONS, load, Side } from './http-side.mjs';
import { describeMachine } from './machine.mjs';
import { makeNames, readLabels } from './names.mjs';
import { makeQueries } from './queries.mjs';
import { startServer } from './server.mjs';

const SHOWN = 10;
const WRITE_LIMIT_MS = 30_000;
const HERE = fileURLToPath(new URL('../..', import.meta.url));
const PROBE = new URL('profile-probe.mjs', import.meta.url).href;

const { values } = parseArgs({
  options: {
    route: { type: 'string', default: 'suggest' },
    rows: { type: 'string', default: '200000' },
    requests: { type: 'string', default: '10000' },
    work: { type: 'string', default: '/tmp/bowerbird-bench' },
    beside: { type: 'string' },
  },
});
await mkdir(values.work, { recursive: true });
const file = await makeNames(join(values.work, `names-${values.rows}.csv`), Number(values.rows));
const questions = makeQueries(await readLabels(file))
  .filter(({ limit }) => limit === 10)
  .map(({ q, mode, tld, minWayback, limit }) =>
    String(
      new URLSearchParams({ ...(q && { q }), mode, ...(tld && { tld }), min_wayback: minWayback, limit }),
    ),
  );
process.env.PROFILE_FOLDER = resolve(values.work);
process.env.NODE_OPTIONS = `--import ${PROBE}`;

const server = await startServer(values.work);
const registry = await startSandboxRegistry({ port: 0 });
try {
  const tables = [];
  for (const folder of [...(values.beside ? [resolve(values.beside)] : []), HERE])
    tables.push(await profileOf(folder));
  const text = [
    `${describeMachine()}; ${new Date().toISOString().slice(0, 10)}. \`/v1/${values.route}\`, ${Number(values.rows).toLocaleString('en-AU')} names, ${values.requests} requests through ${CONNECTIONS} connections; own time of each entry, in µs a request. Waiting is left out.`,
    ...tables,
  ].join('\n\n');
  process.stdout.write(`${text}\n`);
  await writeFile(new URL('results/profile.md', import.meta.url), `${text}\n`);
} finally {
  await registry.close();
  await server.close();
}

async function profileOf(folder) {
  const commit = execFileSync('git', ['-C', folder, 'rev-parse', '--short=7', 'HEAD'], {
    encoding: 'utf8',
  }).trim();
  const database = `http_${values.rows}${folder === HERE ? '' : `_${commit}`}`;
  const side = await Side.start({ folder, database, server, file, registryUrl: registry.url, questions });
  const route = side.routes[values.route];
  const { pid } = route;
  const path = join(values.work, `${pid}.cpuprofile`);
  try {
    await rm(path, { force: true });
    await load(route, Number(values.requests));
    process.kill(pid, 'SIGWINCH');
    const { total } = await load(route, Number(values.requests));
    process.kill(pid, 'SIGWINCH');
    return tableOf(folder === HERE ? 'now' : commit, JSON.parse(await writtenTo(path)), total);
  } finally {
    await side.stop();
  }
}

async function writtenTo(path) {
  for (const end = Date.now() + WRITE_LIMIT_MS; ; await pause(100)) {
    const text = await readFile(path, 'utf8').catch(() => null);
    if (text !== null) return text;
    if (Date.now() > end) throw new Error(`${path} was not written`);
  }
}

/** An entry is a function of the service, all of a package, or a part of Node and V8: what one would change, as one line. */
function entryOf({ functionName, url, lineNumber }) {
  const [, inPackage] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url) ?? [];
  if (inPackage) return `package ${inPackage}`;
  // A checkout's program is a bundle, also of packages.
  const [, own] = /\/dist\/(.*)\.js$/.exec(url) ?? [];
  if (own) return functionName || `${own}:${lineNumber}`;
  if (url.startsWith('node:')) return `Node, ${url.split('/').slice(0, 2).join('/')}`;
  return functionName.startsWith('(') ? functionName : `Node, native ${functionName || lineNumber}`;
}

function tableOf(name, { nodes, samples, timeDeltas }, requests) {
  const entries = new Map(nodes.map(({ id, callFrame }) => [id, entryOf(callFrame)]));
  const times = new Map();
  for (const [place, id] of samples.entries())
    times.set(entries.get(id), (times.get(entries.get(id)) ?? 0) + timeDeltas[place]);
  times.delete('(idle)');
  const all = [...times.values()].reduce((sum, time) => sum + time, 0);
  const lines = [...times]
    .toSorted(([, one], [, other]) => other - one)
    .slice(0, SHOWN)
    .map(
      ([entry, time]) =>
        `| ${entry} | ${Math.round(time / requests)} | ${Math.round((100 * time) / all)} % |`,
    );
  return [
    `| ${name}: ${Math.round(all / requests)} µs a request | own time, µs | share |`,
    '|---|---:|---:|',
    ...lines,
  ].join('\n');
}
