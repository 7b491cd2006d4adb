import { type DynamicModule, type MiddlewareConsumer, Module, type NestModule } from '@nestjs/common';
import { RateLimitModule } from '../../access/rate-limit.module.js';
import { AccountsModule, AppsModule } from '../../accounts/accounts.module.js';
import { Config } from '../../config/config.js';
import { DomainsModule } from '../../domains/domains.module.js';
import { RegistryModule } from '../../registry/registry.module.js';
import { UsageModule } from '../../api/usage/usage.module.js';
import { WatchesModule } from '../../notify/watches/watches.module.js';
import { accountPageHeaders, withoutTracking } from '../layout/page-requests.js';
import { ApiKeysController } from './api-keys.controller.js';
import { ConnectController } from './apps.controller.js';
import { ShortlistRepository } from '../../accounts/shortlist.repository.js';
import { readForm } from './form-pages.js';
import { FormsInPlace } from './forms-in-place.js';
import { OrderFormController } from './order-form.controller.js';
import { RefundPageController } from './refund.controller.js';
import { RegistrantPagesController } from './registrants.controller.js';
import { TopUpPageController } from './top-up.controller.js';
import { MandatesController } from './mandates.controller.js';
import { ReceiptPagesController } from './receipts.controller.js';
import { OrderPagesController } from './orders.controller.js';
import { NameStatuses } from '../names/name-statuses.js';
import { withTabsOf } from './page.js';
import { ProfileController } from './profile.controller.js';
import { SecondFactorController, SecurityController, SessionsController } from './security.controller.js';
import {
  ConfirmIdentityController,
  PasswordController,
  SignInCodeController,
  SignInController,
  SignInPasskeyController,
  SignUpController,
} from './sign-in.controller.js';
import { ShortlistFormController } from './shortlist-form.controller.js';
import { UsageController } from './usage.controller.js';
import { WatchController, WatchLinksController } from './watch.controller.js';
import { NoWebhooksController, WebhooksPageController } from './webhooks.controller.js';

const PAGES = [
  SignUpController,
  SignInController,
  PasswordController,
  ProfileController,
  ApiKeysController,
  SecondFactorController,
  SignInCodeController,
  ConfirmIdentityController,
  SecurityController,
  SignInPasskeyController,
  WatchController,
  WatchLinksController,
  UsageController,
  SessionsController,
  ShortlistFormController,
];

@Module({})
export class ProfileModule implements NestModule {
  /** @param webhooks null while they are switched off */
  static with(webhooks: DynamicModule | null): DynamicModule {
    return {
      module: ProfileModule,
      imports: [
        ...[AccountsModule, DomainsModule, RateLimitModule, RegistryModule, UsageModule, WatchesModule],
        ...(webhooks ? [webhooks] : []),
      ],
      controllers: [...PAGES, webhooks ? WebhooksPageController : NoWebhooksController],
      providers: [FormsInPlace, NameStatuses, ShortlistRepository],
    };
  }

  constructor(private readonly config: Config) {}

  configure(consumer: MiddlewareConsumer): void {
    consumer
      .apply(accountPageHeaders, withoutTracking, readForm, withTabsOf(this.config))
      .forRoutes(...PAGES, WebhooksPageController, NoWebhooksController);
  }
}

/** The pages of connected apps, where apps can be connected. */
@Module({
  imports: [AccountsModule, AppsModule],
  controllers: [ConnectController],
  providers: [FormsInPlace],
})
export class AppPagesModule implements NestModule {
  constructor(private readonly config: Config) {}

  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(accountPageHeaders, readForm, withTabsOf(this.config)).forRoutes(ConnectController);
  }
}

/** The page of refunds, also where names cannot be ordered any more. */
@Module({})
export class RefundPagesModule implements NestModule {
  static with(orders: DynamicModule): DynamicModule {
    return {
      module: RefundPagesModule,
      imports: [AccountsModule, orders],
      controllers: [RefundPageController],
      providers: [FormsInPlace],
    };
  }

  constructor(private readonly config: Config) {}

  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(accountPageHeaders, readForm, withTabsOf(this.config)).forRoutes(RefundPageController);
  }
}

const ORDER_PAGES = [
  OrderPagesController,
  OrderFormController,
  MandatesController,
  ReceiptPagesController,
  RegistrantPagesController,
];

/** The pages of orders, where names can be ordered. */
@Module({})
export class OrderPagesModule implements NestModule {
  static with(orders: DynamicModule, { payments }: Config): DynamicModule {
    return {
      module: OrderPagesModule,
      imports: [AccountsModule, DomainsModule, RegistryModule, orders],
      controllers: [...ORDER_PAGES, ...(payments.cards ? [TopUpPageController] : [])],
      providers: [FormsInPlace],
    };
  }

  constructor(private readonly config: Config) {}

  configure(consumer: MiddlewareConsumer): void {
    consumer
      .apply(accountPageHeaders, withoutTracking, readForm, withTabsOf(this.config))
      .forRoutes(...ORDER_PAGES, TopUpPageController);
  }
}
