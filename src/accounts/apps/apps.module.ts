import { type MiddlewareConsumer, Module, type NestModule } from '@nestjs/common';
import { text } from 'express';
import { MAX_BODY_BYTES } from '../../errors/requests/body-limit.js';
import { McpModule } from '../../mcp/mcp.module.js';
import { accountPageHeaders } from '../../pages/layout/page-headers.js';
import { AccountsModule } from '../accounts.module.js';
import { readForm } from '../pages/form-body.js';
import { AccountToolsController } from './account-tools.controller.js';
import { AppPurge } from './app-purge.js';
import { AppRepository } from './app.repository.js';
import { AuthorizationServerController } from './authorization-server.controller.js';
import { ConnectController } from './connect.controller.js';
import { ConnectedApps } from './connected-apps.js';

// As it came: the library reads it again.
const readFormText = text({ type: 'application/x-www-form-urlencoded', limit: MAX_BODY_BYTES });

/** Apps that accounts connect to the tool server. */
@Module({
  imports: [AccountsModule, McpModule],
  controllers: [AuthorizationServerController, ConnectController, AccountToolsController],
  providers: [ConnectedApps, AppRepository, AppPurge],
})
export class AppsModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(accountPageHeaders, readForm).forRoutes(ConnectController);
    consumer.apply(readFormText).forRoutes('oauth2/token', 'oauth2/revoke');
  }
}
