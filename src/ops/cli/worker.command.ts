import type { Command } from 'commander';

/** `bowerbird worker`, `bowerbird webhooks` */
export function registerWorker(program: Command): void {
  program
    .command('worker')
    .description(
      'Do the jobs of the dataset and deliver webhooks, beside services that run with DATASET_JOBS=off and WEBHOOK_WORKER=off. Stops at SIGTERM.',
    )
    .action(async () => {
      const { runWorker } = await import('../../app/worker.js');
      const { readOperatorConfig } = await import('./operator-config.js');
      await runWorker(await readOperatorConfig());
    });
  program
    .command('webhooks')
    .description('Print how webhooks are doing: counts, what waits, and since when.')
    .action(async () => (await import('./actions/webhooks.action.js')).printBacklog());
}
