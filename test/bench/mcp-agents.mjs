// 100 agents at once for 30 seconds against the compiled demo: connect, walk, leave, and again. No failure but a spent
// budget; and the second half leaves no more memory in use or handles open than the first. Linux only (reads /proc).
//   npm run bench:mcp [seconds]
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import assert from 'node:assert/strict';
import { fork, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const ROOT = resolve(fileURLToPath(import.meta.url), '../../..');
const AGENTS = 100;
const SECONDS = Number(process.argv[2] ?? 30);
const START_LIMIT_MS = 60_000;
const SETTLE_MS = 5_000;
const MAX_GROWTH_MB = 48;
const HEAP_MB = 128;

if (process.send)
  process.once(
    'message',
    (url) => void load(url).then((result) => process.send(result, () => process.exit())),
  );
else await measure();

async function measure() {
  const folder = await mkdtemp(join(tmpdir(), 'bowerbird-mcp-'));
  const service = await start(folder);
  try {
    // The first round also fills pools and caches; what the second adds would be a leak.
    const [first, second] = [await round(service), await round(service)];
    for (const { counts } of [first, second]) {
      const { ok, budget_exhausted: _spent, ...failures } = counts;
      assert.deepEqual(failures, {}, 'no failure but a spent budget');
      assert.ok(ok > 0, 'there were answers');
    }
    assert.ok(second.residentMb - first.residentMb < MAX_GROWTH_MB, 'memory does not grow with the calls');
    assert.ok(second.handles <= first.handles, 'no handle is left open');
  } finally {
    service.child.kill('SIGTERM');
    await service.ended;
    await rm(folder, { recursive: true, force: true });
  }
}

async function round({ url, child: { pid } }) {
  const { counts, times } = await inProcessOfItsOwn(url);
  const handles = await fewestHandles(pid);
  const residentMb = memoryMb(pid);
  times.sort((a, b) => a - b);
  const at = (share) => Math.round(times[Math.floor(times.length * share)] ?? 0);
  const rate = Math.round(times.length / (SECONDS / 2));
  console.log(`${times.length} tool calls, ${rate} a second; ms: median ${at(0.5)}, p99 ${at(0.99)}`, counts);
  console.log(`afterwards: ${residentMb} MB resident, ${handles} handles`);
  return { counts, residentMb, handles };
}

/** The agents run apart: when they end, so do their connections, and what stays open is the service's own. */
function inProcessOfItsOwn(url) {
  return new Promise((done, fail) => {
    const child = fork(fileURLToPath(import.meta.url), [String(SECONDS)]);
    child.once('message', done);
    child.once('exit', (code) => code && fail(new Error(`the agents ended with ${code}`)));
    child.send(url);
  });
}

async function load(url) {
  const counts = {};
  const times = [];
  const until = performance.now() + (SECONDS / 2) * 1000;
  await Promise.all(Array.from({ length: AGENTS }, (_, index) => live(url, index, until, counts, times)));
  return { counts, times };
}

/** One agent: half of them speak 2026-07-28, half the revision of 2025. Each has an address, so a budget, of its own. */
async function live(url, index, until, counts, times) {
  const requestInit = { headers: { 'X-Forwarded-For': `198.18.7.${index}` } };
  const mode = index % 2 ? { pin: '2026-07-28' } : 'legacy';
  while (performance.now() < until) {
    try {
      const client = new Client({ name: 'bench', version: '1' }, { versionNegotiation: { mode } });
      await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }));
      await client.listTools();
      for (const [name, given] of WALK) {
        const began = performance.now();
        const { isError, content } = await client.callTool({ name, arguments: given });
        times.push(performance.now() - began);
        count(counts, isError ? JSON.parse(content[0].text).code : 'ok');
      }
      await client.close();
    } catch (error) {
      count(counts, `${error.name}: ${error.message}`.slice(0, 120));
    }
  }
}

const WALK = [
  ['dataset_stats', {}],
  ['suggest_domains', { q: 'coffee', limit: 2 }],
  ['check_domain', { domain: 'sandbox-available.com.au' }],
  ['register_domain', { domain: 'sandbox-available.com.au' }],
];

function count(counts, outcome) {
  counts[outcome] = (counts[outcome] ?? 0) + 1;
}

function memoryMb(pid) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024);
}

/** Open handles of the service, once they do not get fewer any more. */
async function fewestHandles(pid) {
  const handles = () => readdirSync(`/proc/${pid}/fd`).length;
  let fewest = handles();
  for (let since = performance.now(); performance.now() - since < SETTLE_MS; await pause(200)) {
    const now = handles();
    if (now < fewest) since = performance.now();
    fewest = Math.min(fewest, now);
  }
  return fewest;
}

async function start(folder) {
  const tiers = { demo: { requestsPerMinute: 1_000_000_000 } };
  const child = spawn(process.execPath, ['dist/demo.js'], {
    cwd: ROOT,
    env: {
      ...process.env,
      ...{ PORT: '0', HOST: '127.0.0.1', DATA_DIR: join(folder, 'data'), LOG_LEVEL: 'error' },
      // A small heap: without it V8 takes what it can get, which looks like a leak from outside.
      NODE_OPTIONS: `--max-old-space-size=${HEAP_MB}`,
      ...{
        TRUST_PROXY: '1',
        TIERS: JSON.stringify(tiers),
        REGISTRY_RATE_PER_SECOND: '1000',
        REGISTRY_BURST: '1000',
      },
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise((done) => child.once('exit', done));
  const url = await new Promise((done, fail) => {
    const limit = setTimeout(() => fail(new Error('the service did not start in time')), START_LIMIT_MS);
    child.once('exit', (code) => fail(new Error(`the service ended with ${code}`)));
    let text = '';
    child.stdout.on('data', (chunk) => {
      text += chunk;
      const address = /http:\/\/127\.0\.0\.1:\d+/.exec(text)?.[0];
      if (!address) return;
      clearTimeout(limit);
      done(address);
    });
  });
  return { child, url, ended };
}
