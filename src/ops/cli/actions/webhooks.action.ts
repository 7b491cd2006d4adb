import type { Config } from '../../../config/config.js';
import type { Database } from '../../../db/database.js';
import { DeliveryRepository } from '../../../notify/webhooks/deliveries/delivery.repository.js';
import { tiersWithWebhooks } from '../../../notify/webhooks/webhook.js';
import { withDatabase } from '../with-database.js';

export function printBacklog(): Promise<void> {
  return withDatabase(describeBacklog);
}

async function describeBacklog(database: Database, config: Config): Promise<void> {
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
    [
      'deliveries held',
      `${backlog.held}, of accounts in a tier without webhooks, or to hosts that are not proven`,
    ],
    ['delivered within a day', backlog.deliveredToday],
    ['failed within a day', backlog.failedToday],
  ];
  for (const [name, value] of lines) process.stdout.write(`${String(name).padEnd(24)}${value}\n`);
}
