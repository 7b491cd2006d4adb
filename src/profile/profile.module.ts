import { type DynamicModule, type MiddlewareConsumer, Module, type NestModule } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { readForm } from '../accounts/pages/form-body.js';
import { accountPageHeaders } from '../pages/layout/page-headers.js';
import { withoutTracking } from '../pages/without-tracking.js';
import { RateLimitModule } from '../rate-limit/rate-limit.module.js';
import { UsageModule } from '../usage/usage.module.js';
import { WatchesModule } from '../watches/watches.module.js';
import { AccountDataController } from './data/account-data.controller.js';
import { AccountDataRepository } from './data/account-data.repository.js';
import { SessionRepository } from './sessions/session.repository.js';
import { SessionsController } from './sessions/sessions.controller.js';
import { UsagePageController } from './usage/usage-page.controller.js';
import { WatchLinksController } from './watch/watch-links.controller.js';
import { WatchController } from './watch/watch.controller.js';
import { NoWebhooksController } from './webhooks/no-webhooks.controller.js';
import { WebhookPagesController } from './webhooks/webhook-pages.controller.js';

const PAGES = [
  WatchController,
  WatchLinksController,
  UsagePageController,
  SessionsController,
  AccountDataController,
];

/** Pages for who is signed in, beside those that accounts themselves need. */
@Module({})
export class ProfileModule implements NestModule {
  /** @param webhooks null where they are switched off */
  static with(webhooks: DynamicModule | null): DynamicModule {
    return {
      module: ProfileModule,
      imports: [AccountsModule, RateLimitModule, UsageModule, WatchesModule, ...(webhooks ? [webhooks] : [])],
      controllers: [...PAGES, webhooks ? WebhookPagesController : NoWebhooksController],
      providers: [SessionRepository, AccountDataRepository],
    };
  }

  configure(consumer: MiddlewareConsumer): void {
    consumer
      .apply(accountPageHeaders, withoutTracking, readForm)
      .forRoutes(...PAGES, WebhookPagesController, NoWebhooksController);
  }
}
