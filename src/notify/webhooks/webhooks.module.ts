import { type DynamicModule, Module } from '@nestjs/common';
import { AuditModule } from '../../observe/audit/account-audit-log.js';
import type { Config } from '../../config/config.js';
import { DomainsModule } from '../../domains/domains.module.js';
import { MailModule } from '../../accounts/mailer.js';
import { RateLimitModule } from '../../access/rate-limit.module.js';
import { DeliveriesService } from './deliveries.service.js';
import { DeliveryRepository } from './delivery.repository.js';
import { DeliveryCleanupRepository } from './delivery-cleanup.repository.js';
import { WebhookLanes } from './webhook-lanes.js';
import { WebhookDeliverer } from './webhook-deliverer.js';
import { WebhookLeaseRepository } from './webhook-lease.repository.js';
import { WebhookMessages } from './webhook-message.js';
import { WebhookNotices } from './webhook-notices.js';
import { WebhookPurge } from './webhook-purge.js';
import { WebhookOutbox } from './webhook-outbox.repository.js';
import { WebhookProofRepository } from './webhook-proof.repository.js';
import { WebhookProofsService } from './webhook-proofs.service.js';
import { WebhookReadings } from './webhook-readings.js';
import { WebhookRepository } from './webhook.repository.js';
import { WebhooksController } from './webhooks.controller.js';
import { WebhooksService } from './webhooks.service.js';
import { WebhookWorker } from './webhook-worker.js';

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
