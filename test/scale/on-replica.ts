import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Pair, startPair } from '../support/streaming-replica.js';

// npm run test:replica [-- TESTS]: the tests as they are, with all reads that may go to a replica at one. Every commit waits until
// the replica shows it, so that what a test has written it also finds. Ends by saying how much the replica was asked.

const LOOK_EVERY_MS = 500;
const JEST = resolve('node_modules/jest/bin/jest.js');

const pair = await startPair();
try {
  await pair.keepInStep();
  const tests = spawn(process.execPath, [JEST, ...process.argv.slice(2)], {
    stdio: 'inherit',
    env: { ...process.env, TEST_SERVER_URL: pair.primaryUrl, TEST_REPLICA_URL: pair.replicaUrl },
  });
  const ended = once(tests, 'exit');
  const [[code], reads] = await Promise.all([ended, countReads(pair, ended)]);
  console.log(`The replica answered at least ${reads} transactions.`);
  process.exitCode = reads > 0 && code === 0 ? 0 : 1;
} finally {
  await pair.close();
}

/** The transactions of the tests' databases at the replica. What a database had is gone with it, so it is asked often. */
async function countReads(pair: Pair, ended: Promise<unknown>): Promise<number> {
  const most = new Map<string, number>();
  let isOver = false;
  void ended.then(() => (isOver = true));
  while (!isOver) {
    const rows = await pair.onReplica<{ name: string; done: number }>(
      `SELECT datname AS name, xact_commit::int AS done FROM pg_stat_database WHERE datname LIKE 'test\\_%'`,
    );
    for (const { name, done } of rows) most.set(name, done);
    await pause(LOOK_EVERY_MS);
  }
  return [...most.values()].reduce((sum, done) => sum + done, 0);
}
