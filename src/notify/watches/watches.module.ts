import { Module } from '@nestjs/common';
import { AuditModule } from '../../observe/audit.repository.js';
import { DomainsModule } from '../../domains/domains.module.js';
import { MailModule } from '../../accounts/mailer.js';
import { DeliveryRepository } from '../webhooks/delivery.repository.js';
import { WebhookLanes } from '../webhooks/webhook-lanes.js';
import { WebhookLeaseRepository } from '../webhooks/webhook-lease.repository.js';
import { WatchedWebhooks } from '../webhooks/webhook-outbox.repository.js';
import { MailDispatcher } from './mail-dispatcher.js';
import { MailboxRepository } from './mailbox.repository.js';
import { NotificationMatcher, WatchWorker } from './notification-matcher.js';
import { NoticeRepository } from './notice.repository.js';
import { WatchLinks } from './watch-links.js';
import { WatchRepository } from './watch.repository.js';
import { WatchesController } from './watches.controller.js';
import { WatchesService } from './watches.service.js';

@Module({
  imports: [AuditModule, DomainsModule, MailModule],
  controllers: [WatchesController],
  providers: [
    DeliveryRepository,
    WatchedWebhooks,
    WebhookLanes,
    WebhookLeaseRepository,
    WatchRepository,
    NoticeRepository,
    MailboxRepository,
    NotificationMatcher,
    MailDispatcher,
    WatchLinks,
    WatchWorker,
    WatchesService,
  ],
  exports: [WatchesService],
})
export class WatchesModule {}
