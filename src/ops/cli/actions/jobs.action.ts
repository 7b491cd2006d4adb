import { OperatorJobs } from '../../http/jobs/operator-jobs.js';
import type { OrderFlags } from '../order-flags.js';
import { orderOf, print, withOperators } from './operators.action.js';

export async function printJobs(): Promise<void> {
  print(await withOperators(OperatorJobs, (jobs) => jobs.list()));
}

export async function steerJob(
  word: 'run' | 'pause' | 'resume',
  name: string,
  flags: OrderFlags,
): Promise<void> {
  const order = orderOf(flags);
  await withOperators(OperatorJobs, (jobs) => {
    if (word === 'run') return jobs.runNow(name, order);
    return word === 'pause' ? jobs.pause(name, order) : jobs.resume(name, order);
  });
  const did = { run: 'is wanted now', pause: 'is paused', resume: 'goes on' }[word];
  process.stdout.write(`${name} ${did}\n`);
}
