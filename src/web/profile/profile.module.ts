import { type DynamicModule, type MiddlewareConsumer, Module, type NestModule } from '@nestjs/common';
import { RateLimitModule } from '../../access/rate-limit.module.js';
import { AccountsModule, AppsModule } from '../../accounts/accounts.module.js';
import { UsageModule } from '../../api/usage/usage.module.js';
import { WatchesModule } from '../../notify/watches/watches.module.js';
import { accountPageHeaders } from '../layout/page-headers.js';
import { withoutTracking } from '../without-tracking.js';
import { AccountDataController } from './account-data.controller.js';
import { AccountDataRepository } from './account-data.repository.js';
import { ApiKeysController } from './api-keys.controller.js';
import { ConnectController } from './connect.controller.js';
import { readForm } from './form-body.js';
import { NoWebhooksController } from './no-webhooks.controller.js';
import { SecurityController, SignInPasskeyController } from './passkeys.controller.js';
import { PasswordController } from './password.controller.js';
import { ProfileController } from './profile.controller.js';
import { SecondFactorController, SignInCodeController } from './second-factor.controller.js';
import { SessionRepository } from './session.repository.js';
import { SessionsController } from './sessions.controller.js';
import { SignInController } from './sign-in.controller.js';
import { SignUpController } from './sign-up.controller.js';
import { UsagePageController } from './usage-page.controller.js';
import { WatchLinksController } from './watch-links.controller.js';
import { WatchController } from './watch.controller.js';
import { WebhookPagesController } from './webhook-pages.controller.js';

const PAGES = [
  SignUpController,
  SignInController,
  PasswordController,
  ProfileController,
  ApiKeysController,
  SecondFactorController,
  SignInCodeController,
  SecurityController,
  SignInPasskeyController,
  WatchController,
  WatchLinksController,
  UsagePageController,
  SessionsController,
  AccountDataController,
];

/** The pages of accounts. */
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

/** The pages of connected apps, where apps can be connected. */
@Module({ imports: [AccountsModule, AppsModule], controllers: [ConnectController] })
export class AppPagesModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(accountPageHeaders, readForm).forRoutes(ConnectController);
  }
}
