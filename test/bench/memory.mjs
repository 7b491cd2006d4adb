/**
 * What requests leave in memory: 27,000 of each kind, each kind to a demo service of its own, through 20 connections from as many addresses as
 * there are requests in a minute.
 *
 *   node memory.mjs [--requests 27000] [--kinds answers,pages,documents,checks,tools]
 *
 * Needs a build (`npm run build`). Prints resident memory before, at its highest and half a minute after.
 */
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';

const CONNECTIONS = 20;
const LIMIT_MS = 180_000;
const REST_MS = 30_000;
const DEMO = new URL('../../dist/demo.js', import.meta.url).pathname;
const HTML = { accept: 'text/html', 'accept-encoding': 'br, gzip' };
const TOOL = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const CALL = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'dataset_stats', arguments: {} },
});
const KINDS = {
  answers: (n) => ({ path: `/v1/suggest?q=${'abcdefghijklmnopqrstuvwxyz'[n % 26]}&limit=5` }),
  pages: (n) => ({ path: ['/', '/drops', '/pricing', '/status'][n % 4], headers: HTML }),
  documents: () => ({ path: '/v1/openapi.json', headers: HTML }),
  checks: (n) => ({ path: `/v1/domains/check?domain=sandbox-memory-${n}.com.au` }),
  tools: () => ({ method: 'POST', path: '/mcp', headers: TOOL, body: CALL }),
};
const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '27000' },
    kinds: { type: 'string', default: Object.keys(KINDS).join(',') },
    port: { type: 'string', default: '3977' },
    node: { type: 'string', default: '' },
  },
});
const total = Number(values.requests);
const port = Number(values.port);

for (const kind of values.kinds.split(',')) {
  const folder = await mkdtemp(join(tmpdir(), 'memory-'));
  const service = spawn(process.execPath, [...values.node.split(' ').filter(Boolean), DEMO], {
    env: {
      PATH: process.env.PATH,
      PORT: String(port),
      DATA_DIR: folder,
      TRUST_PROXY: '1',
      LOG_LEVEL: 'error',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    await new Promise((resolve) => service.stdout.once('data', resolve));
    await pause(3_000);
    console.log(kind, JSON.stringify(await measure(service.pid, KINDS[kind])));
  } finally {
    service.kill('SIGTERM');
    await new Promise((resolve) => service.once('exit', resolve));
    await rm(folder, { recursive: true, force: true });
  }
}

async function measure(pid, questionOf) {
  const before = await residentMb(pid);
  let highest = before;
  let isOver = false;
  const watch = (async () => {
    while (!isOver) {
      highest = Math.max(highest, await residentMb(pid));
      await pause(200);
    }
  })();
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const statuses = {};
  const began = performance.now();
  let next = 0;
  const send = async () => {
    while (next < total && performance.now() - began < LIMIT_MS) {
      const status = await ask(agent, questionOf(next), next++);
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, send));
  const seconds = Math.round((performance.now() - began) / 1000);
  agent.destroy();
  await pause(REST_MS);
  isOver = true;
  await watch;
  return { before, highest, after: await residentMb(pid), seconds, statuses };
}

function ask(agent, { method = 'GET', path, headers = {}, body }, n) {
  const from = `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`;
  return new Promise((resolve, reject) => {
    const sent = request(
      { agent, port, host: '127.0.0.1', method, path, headers: { ...headers, 'x-forwarded-for': from } },
      (answer) => answer.resume().once('end', () => resolve(answer.statusCode)),
    );
    sent.once('error', reject).end(body);
  });
}

async function residentMb(pid) {
  const [, kb] = /VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kb) / 1024);
}
