import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { Clock } from '../../db/database.js';
import { type Reading, ReadingSource, secondsBetween } from '../../observe/metrics/readings.js';
import { DeliveryRepository } from './delivery.repository.js';
import { tiersWithWebhooks } from './webhook.js';

const GAUGES = {
  webhook_events_waiting: { help: 'Events that no webhook has been given yet.' },
  webhook_deliveries_pending: { help: 'Deliveries to be made or to be tried again.' },
  webhook_oldest_seconds: { help: 'How long the oldest event or delivery has waited.' },
  webhook_deliveries_today: { help: 'Deliveries within a day, by outcome.', label: 'outcome' },
} as const;

/** How far behind deliveries are, of the whole installation. */
@Injectable()
export class WebhookReadings extends ReadingSource<keyof typeof GAUGES> {
  readonly group = 'webhooks';
  readonly gauges = GAUGES;

  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly deliveries: DeliveryRepository,
  ) {
    super();
  }

  async read(): Promise<Reading<keyof typeof GAUGES>[]> {
    const now = await this.clock.now();
    const backlog = await this.deliveries.readBacklog(tiersWithWebhooks(this.config.tiers));
    const { oldestWaiting: oldest } = backlog;
    return [
      { gauge: 'webhook_events_waiting', value: backlog.waitingEvents },
      { gauge: 'webhook_deliveries_pending', value: backlog.pending },
      { gauge: 'webhook_oldest_seconds', value: oldest ? secondsBetween(oldest, now) : 0 },
      { gauge: 'webhook_deliveries_today', label: 'delivered', value: backlog.deliveredToday },
      { gauge: 'webhook_deliveries_today', label: 'failed', value: backlog.failedToday },
    ];
  }
}
