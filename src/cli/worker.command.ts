import type { Command } from 'commander';
import type { Config } from '../config/config.js';
import type { Database } from '../database/database.js';
import { DeliveryRepository } from '../webhooks/deliveries/delivery.repository.js';
import { tiersWithWebhooks } from '../webhooks/webhook.js';
import { readOperatorConfig } from './operator-config.js';
import { withDatabase } from './with-database.js';

/** `bowerbird worker`, `bowerbird webhooks` */
export function registerWorker(program: Command): void {
  program
    .command('worker')
    .description(
      'Do the jobs of the dataset and deliver webhooks, beside services that run with DATASET_JOBS=off and WEBHOOK_WORKER=off. Stops at SIGTERM.',
    )
    .action(async () => {
      // Loaded only here: the whole service takes as long again to load as any other command needs (0.7 s of CPU time).
      const { runWorker } = await import('../app.worker.js');
      await runWorker(await readOperatorConfig());
    });
  program
    .command('webhooks')
    .description('Print how webhooks are doing: counts, what waits, and since when.')
    .action(() => withDatabase(printBacklog));
}

async function printBacklog(database: Database, config: Config): Promise<void> {
  const tiers = tiersWithWebhooks(config.tiers);
  const backlog = await new DeliveryRepository(database).readBacklog(tiers);
  const oldest = backlog.oldestWaiting
    ? `${Math.round((Date.now() - backlog.oldestWaiting.getTime()) / 1000)} s old`
    : 'nothing waits';
  const lines = [
    ['webhooks', `${backlog.webhooks}, ${backlog.enabled} of them on`],
    ['events not handed over', backlog.waitingEvents],
    ['deliveries pending', backlog.pending],
    ['the oldest of them', oldest],
    ['deliveries held', `${backlog.held}, of accounts in a tier without webhooks`],
    ['delivered within a day', backlog.deliveredToday],
    ['failed within a day', backlog.failedToday],
  ];
  for (const [name, value] of lines) process.stdout.write(`${String(name).padEnd(24)}${value}\n`);
}
