import { type DynamicModule, Module, Injectable, Logger } from '@nestjs/common';
import { AuditModule } from '../../observe/audit.repository.js';
import { Config } from '../../config/config.js';
import { DomainsModule } from '../../domains/domains.module.js';
import { MailModule } from '../../accounts/mailer.js';
import { RateLimitModule } from '../../access/rate-limit.module.js';
import { DeliveriesService } from './deliveries.service.js';
import { DeliveryRepository } from './delivery.repository.js';
import { DeliveryCleanupRepository } from './delivery-cleanup.repository.js';
import { WebhookWorker } from './webhook-worker.js';
import { WebhookLanes } from './webhook-lanes.js';
import { WebhookDeliverer, WebhookNotices } from './webhook-deliverer.js';
import { WebhookLeaseRepository } from './webhook-lease.repository.js';
import { WebhookMessages } from './webhook-message.js';
import { WebhookOutbox } from './webhook-outbox.repository.js';
import { WebhookProofRepository } from './webhook-proof.repository.js';
import { WebhookProofsService } from './webhook-proofs.service.js';
import { WebhookRepository } from './webhook.repository.js';
import { WebhooksController } from './webhooks.controller.js';
import { WebhooksService } from './webhooks.service.js';
import { maintenance, WorkKinds } from '../../work/kind.js';
import { Tiers } from '../../config/tiers.js';
import { tiersWithWebhooks } from './webhook.js';
import { Clock } from '../../db/database.js';
import { type Reading, ReadingSource, secondsBetween } from '../../observe/readings.js';

const GAUGES = {
  webhook_events_waiting: { help: 'Events that no webhook has been given yet.' },
  webhook_deliveries_pending: { help: 'Deliveries to be made or to be tried again.' },
  webhook_oldest_seconds: { help: 'How long the oldest event or delivery has waited.' },
  webhook_deliveries_today: { help: 'Deliveries within a day, by outcome.', label: 'outcome' },
} as const;

@Injectable()
class WebhookReadings extends ReadingSource<keyof typeof GAUGES> {
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

const HOUR_MS = 3_600_000;

@Injectable()
export class WebhookPurge {
  private readonly logger = new Logger('Webhooks');

  constructor(
    private readonly webhooks: WebhookRepository,
    private readonly deliveries: DeliveryCleanupRepository,
    private readonly leases: WebhookLeaseRepository,
    private readonly proofs: WebhookProofRepository,
    private readonly notices: WebhookNotices,
    private readonly tiers: Tiers,
    kinds: WorkKinds,
  ) {
    kinds.add(maintenance('webhook-purge', HOUR_MS, () => this.run()));
  }

  async run(): Promise<void> {
    await this.deliveries.cancelWhereOff();
    await this.notices.tellTheRest();
    // By the tiers as they are set now. The grace period is counted in days, so an hour of it does not matter.
    await this.leases.forgetFailuresOfOthers(tiersWithWebhooks(this.tiers.table));
    await this.webhooks.forgetEndedSecrets();
    await this.proofs.forgetOldTurns();
    const old = await this.deliveries.deleteOld();
    const removed = await this.deliveries.deleteOfRemovedWebhooks();
    if (old + removed > 0)
      this.logger.log(`Removed ${old} old deliveries, and ${removed} of removed webhooks`);
  }
}

const PARTS = [
  WebhookRepository,
  WebhookProofRepository,
  DeliveryRepository,
  DeliveryCleanupRepository,
  WebhookLanes,
  WebhookLeaseRepository,
  WebhookOutbox,
];

/** Everything of webhooks; with the flag off none of it is there. */
@Module({})
export class WebhooksModule {
  static with({ webhooks }: Config): DynamicModule {
    return {
      module: WebhooksModule,
      imports: [
        AuditModule,
        DomainsModule,
        RateLimitModule,
        ...(webhooks.delivers ? [WebhookWorkerModule] : []),
      ],
      controllers: [WebhooksController],
      providers: [
        ...(webhooks.delivers ? [] : PARTS),
        WebhookReadings,
        WebhooksService,
        WebhookProofsService,
        DeliveriesService,
      ],
      exports: [WebhooksService, WebhookProofsService, DeliveriesService],
    };
  }
}

/** What delivers: in the service, or alone as a process of its own. */
@Module({
  imports: [DomainsModule, MailModule],
  providers: [...PARTS, WebhookMessages, WebhookNotices, WebhookDeliverer, WebhookPurge, WebhookWorker],
  exports: PARTS,
})
export class WebhookWorkerModule {}
