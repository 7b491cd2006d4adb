// Restarts two instances in turn with SIGTERM behind HAProxy under load, and counts what its callers lose. Reading requests are asked
// again by the balancer and would hide it, so half of them are POSTs, which never are.
// Usage: npm run test:stops [-- NOTICE_MS [ROUNDS]]
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../support/processes.js';
import { messageOf } from '../../src/validation/unknown-values.js';
import { ask, closeConnections, type Question } from './http.js';
import { balancerPart, instancePart } from './parts.js';
import { findPrograms } from './programs.js';

const CALLERS = 40;
/** HAProxy finds an instance well again within half a second. */
const BETWEEN_MS = 2_000;

const [noticeMs = '5000', rounds = '2'] = process.argv.slice(2);
const programs = findPrograms({ haproxy: 'haproxy' });
if (!programs) throw new Error('haproxy cannot be had');
const folder = await mkdtemp(join(tmpdir(), 'stops-'));
const environment = {
  ...{ DATA_DIR: folder, LOG_LEVEL: 'error', TRUST_PROXY: '1', SHUTDOWN_NOTICE_MS: noticeMs },
  ...{ DATASET_JOBS: 'off', ARCHIVE_CDX_URL: 'off', REGISTRY_BOOTSTRAP_URL: 'off' },
  TIERS: '{"demo":{"requestsPerMinute":1000000,"recordsPerMinute":1000000}}',
};
const [first, second] = [await freePort(), await freePort()];
const one = instancePart('instance one', first, environment);
const two = instancePart('instance two', second, environment);
const port = await freePort();
// The third place of its configuration stays empty.
const nobody = new URL(`http://127.0.0.1:${await freePort()}`);
const balancer = balancerPart(programs.haproxy, port, [one.url, two.url, nobody]);

const questions: readonly Question[] = [
  { path: '/v1/suggest?q=a' },
  {
    method: 'POST',
    path: '/api/v1/suggest',
    headers: { 'Content-Type': 'application/json' },
    body: '{"keywords":["coffee"]}',
  },
];
const outcomes = new Map<string, number>();
let isOver = false;

async function call(base: URL, place: number): Promise<void> {
  for (let count = place; !isOver; count += 1) {
    const question = questions[count % questions.length];
    if (!question) return;
    const outcome = await ask(base, question).then(
      ({ status }) => String(status),
      (error: unknown) => messageOf(error),
    );
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  }
}

try {
  await one.start();
  await two.start();
  await balancer.start();
  const base = new URL(`http://127.0.0.1:${port}`);
  const callers = Promise.all(Array.from({ length: CALLERS }, (_, place) => call(base, place)));
  for (let round = 0; round < Number(rounds); round += 1)
    for (const instance of [one, two]) {
      await pause(BETWEEN_MS);
      await instance.kill('SIGTERM');
      await instance.start();
    }
  isOver = true;
  await callers;
} finally {
  closeConnections();
  for (const part of [balancer, one, two]) await part.kill('SIGTERM');
  await rm(folder, { recursive: true, force: true });
}
process.stdout.write(`${noticeMs} ms of notice: ${JSON.stringify(Object.fromEntries(outcomes))}\n`);
