import type { Command } from 'commander';
import { type OrderFlags, takesReason } from './order-flags.js';

/** `bowerbird jobs list`, `bowerbird jobs pause list-fetch --reason …` */
export function registerJobs(program: Command): void {
  const jobs = program
    .command('jobs')
    .description('Look at the jobs of the dataset, pause them, have one run now. Heard within a second.');
  jobs
    .command('list')
    .description('Print every job that has ever run: when it is due, how it went, whether it is paused.')
    .action(async () => (await import('./actions/jobs.action.js')).printJobs());
  const steering = [
    ['run', 'Have one batch of a job begun now, also of one that is paused.'],
    ['pause', 'Let a job rest, on whichever process, until it is resumed. A batch under way is finished.'],
    ['resume', 'Let a paused job go on.'],
  ] as const;
  for (const [word, description] of steering)
    takesReason(jobs.command(word).description(description).argument('<name>', 'the job')).action(
      async (name: string, flags: OrderFlags) =>
        (await import('./actions/jobs.action.js')).steerJob(word, name, flags),
    );
}
