import { type MiddlewareConsumer, Module, type NestModule } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { readForm } from '../accounts/pages/form-body.js';
import { accountPageHeaders } from '../pages/layout/page-headers.js';
import { WatchesModule } from '../watches/watches.module.js';
import { WatchLinksController } from './watch/watch-links.controller.js';
import { WatchController } from './watch/watch.controller.js';

const PAGES = [WatchController, WatchLinksController];

/** Pages for who is signed in, beside those that accounts themselves need. */
@Module({
  imports: [AccountsModule, WatchesModule],
  controllers: PAGES,
})
export class ProfileModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(accountPageHeaders, readForm).forRoutes(...PAGES);
  }
}
