import { type MiddlewareConsumer, Module, type NestModule } from '@nestjs/common';
import { text } from 'express';
import { MAX_BODY_BYTES } from '../errors/requests/body-limit.js';
import { AccountsModule } from './accounts.module.js';
import { AppPurge } from './app-purge.js';
import { AppRepository } from './app.repository.js';
import { AuthorizationServerController } from './authorization-server.controller.js';
import { ConnectedApps } from './connected-apps.js';

// As it came: the library reads it again.
const readFormText = text({ type: 'application/x-www-form-urlencoded', limit: MAX_BODY_BYTES });

/** Apps that accounts connect to the tool server. The page that asks for consent lies in web/profile. */
@Module({
  imports: [AccountsModule],
  controllers: [AuthorizationServerController],
  providers: [ConnectedApps, AppRepository, AppPurge],
  exports: [ConnectedApps],
})
export class AppsModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(readFormText).forRoutes('oauth2/token', 'oauth2/revoke');
  }
}
