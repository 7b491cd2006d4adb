// Runs the compiled service once as a stranger would (`npm run demo`, on a port and a data folder of its own), asks it
// over HTTP, stops it with SIGTERM, and starts it again on the same data. Jest runs a rewritten form of the code; this runs
// what ships.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = resolve(fileURLToPath(import.meta.url), '../..');
// They end a run that hangs: a start has taken half a minute on a machine with a load of sixteen.
const START_LIMIT_MS = 180_000;
const STOP_LIMIT_MS = 60_000;
/** The demo brings what these need. */
const EVERYTHING = { AUTH: 'on', WEBHOOKS: 'on', EXPORTS: 'on', ORDERS: 'on' };

const folder = await mkdtemp(join(tmpdir(), 'bowerbird-dist-'));
// Root's server runs as another user; what that cannot enter it would put elsewhere, and leave there.
await chmod(folder, 0o755);
try {
  for (const round of ['first', 'second']) {
    const began = performance.now();
    const service = await start(round === 'first' ? {} : EVERYTHING);
    console.log(`${round} start: ready after ${Math.round(performance.now() - began)} ms`);
    try {
      await walk(service.url);
      if (round === 'first')
        assert.deepEqual(
          service.said().match(/^\{.*"level":[456]0.*$/gm),
          null,
          'a newcomer sees no warning',
        );
      await refuse('a port that is taken', { PORT: new URL(service.url).port });
      await refuse('a variable that makes no sense', { PORT: 'nonsense' });
    } finally {
      await stop(service.child);
    }
  }
  console.log('The compiled build works end to end.');
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function walk(url) {
  const get = async (path) => {
    const response = await fetch(url + path);
    return { status: response.status, headers: response.headers, body: await response.json() };
  };
  const stats = await get('/v1/stats');
  assert.equal(stats.status, 200);
  assert.ok(stats.body.available_records > 1000, 'the sample dataset is there');
  const suggest = await get('/v1/suggest?q=coffee&limit=2');
  assert.equal(suggest.status, 200);
  assert.equal(suggest.body.count, 2);
  assert.ok(suggest.body.results[0].wayback >= suggest.body.results[1].wayback);
  const check = await get('/v1/domains/check?domain=sandbox-available.com.au');
  assert.equal(check.status, 200);
  assert.deepEqual([check.body.available, check.body.registry.source], [true, 'sandbox']);
  assert.equal((await get('/v1/domains/check?domain=nonsense')).status, 400);
  assert.equal((await get('/v1/openapi.json')).body.openapi.slice(0, 3), '3.1');
  assert.equal((await get('/readyz')).status, 200);
  // What a bundle could lose: files that packages serve from where they lie, pages, and packages that are loaded when they are needed.
  for (const path of ['/', '/docs', '/v1/docs/swagger-ui.css', '/v1/docs/swagger-ui-bundle.js'])
    assert.equal((await fetch(url + path)).status, 200, path);
  // Sent as the text of a function, which must not lean on what a bundler writes beside it.
  assert.doesNotMatch(await (await fetch(`${url}/v1/docs/swagger-ui-init.js`)).text(), /__name/);
  const tools = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  });
  assert.match(await tools.text(), /"name":"suggest/);
}

/** A service that cannot start ends by itself, with exit code 1. */
async function refuse(reason, environment) {
  const child = run(environment, 'ignore');
  const limit = setTimeout(() => child.kill('SIGKILL'), START_LIMIT_MS);
  const code = await new Promise((ended) => child.once('exit', ended));
  clearTimeout(limit);
  assert.equal(code, 1, `${reason} ends the start`);
}

function run(environment, errors) {
  return spawn(process.execPath, ['dist/demo.js'], {
    cwd: ROOT,
    env: {
      ...process.env,
      PORT: '0',
      HOST: '127.0.0.1',
      DATA_DIR: join(folder, 'data'),
      // Both rounds spend from one minute's budget, which survives the restart as it should.
      TIERS: '{"demo":{"recordsPerMinute":100}}',
      // Refused without a key, where the demo would take it from the environment.
      BACKUP_DIR: join(folder, 'store'),
      ...environment,
    },
    stdio: ['ignore', 'pipe', errors],
  });
}

function start(environment) {
  const child = run(environment, 'inherit');
  return new Promise((resolveStart, reject) => {
    const limit = setTimeout(() => reject(new Error('the service did not start in time')), START_LIMIT_MS);
    let text = '';
    child.stdout.on('data', (chunk) => {
      text += chunk;
      const url = /answers at (http:\S+)\n/.exec(text)?.[1];
      if (!url) return;
      clearTimeout(limit);
      resolveStart({ child, url, said: () => text });
    });
    child.once('exit', (code) => reject(new Error(`the service ended with ${code}:\n${text}`)));
  });
}

function stop(child) {
  return new Promise((resolveStop, reject) => {
    const limit = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error('the service did not stop in time'));
    }, STOP_LIMIT_MS);
    child.once('exit', () => {
      clearTimeout(limit);
      resolveStop();
    });
    child.kill('SIGTERM');
  });
}
