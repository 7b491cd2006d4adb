import { DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import { ScheduleModule } from '@nestjs/schedule';
import { AccountsModule } from '../accounts/accounts.module.js';
import { AuditModule } from '../observe/audit.repository.js';
import { HttpDrain, ShutdownLogger } from './shutdown.js';
import { ObserveMaintenance } from './maintenance.js';
import { TracedRequests } from './tracing.js';
import { OperatorsPort } from './operators-port.js';
import { AuthGuard, RequirementsGuard } from '../access/requirements.js';
import { AuthModule } from '../access/auth.module.js';
import { CheckModule } from '../api/check/check.module.js';
import { type Config, ConfigModule } from '../config/config.js';
import { DatabaseModule } from '../db/open-database.js';
import { DroppedModule } from '../api/dropped/dropped.module.js';
import { DropsModule } from '../api/drops/drops.module.js';
import { ExportsModule } from '../exports/exports.module.js';
import { FacetsModule } from '../api/facets/facets.module.js';
import { HealthModule } from '../api/health/health.module.js';
import { JobsModule } from './jobs.module.js';
import { WorkModule } from '../work/work.module.js';
import { AccountToolsModule, McpModule } from '../mcp/mcp.module.js';
import { type ApiDocuments, McpContractModule } from '../mcp/mcp-contract.js';
import { OperatorsHttpModule } from '../ops/operators-http.js';
import { OperatorPagesModule } from '../ops/pages/pages.controller.js';
import { SiteErrorFilter } from '../web/layout/error-pages.js';
import { OrdersModule } from '../orders/orders.module.js';
import { PagesModule } from '../web/pages.module.js';
import { PaymentsModule } from '../accounts/payments.module.js';
import {
  AppPagesModule,
  OrderPagesModule,
  RefundPagesModule,
  ProfileModule,
} from '../web/profile/profile.module.js';
import { NetworkGate, NetworksModule } from '../access/network-rules.js';
import { RateLimitGuard } from '../access/rate-limit.guard.js';
import { RateLimitModule } from '../access/rate-limit.module.js';
import { RedisModule } from '../redis/redis.module.js';
import { ReplicasModule } from '../db/replicas/read-database.js';
import { ReportModule } from '../api/report/report.module.js';
import { SearchModule } from '../api/search/search.module.js';
import { ServiceLevelsModule } from '../observe/service-levels.module.js';
import { SiblingsModule } from '../api/siblings/siblings.module.js';
import { StatsModule } from '../api/stats/stats.module.js';
import { StatusModule } from '../api/status/status.module.js';
import { SuggestModule } from '../api/suggest/suggest.module.js';
import { TiersModule } from '../access/tiers.module.js';
import { UsageModule } from '../api/usage/usage.module.js';
import { WatchesModule } from '../notify/watches/watches.module.js';
import { WebhooksModule } from '../notify/webhooks/webhooks.module.js';

/** The whole wiring. Guards run in this order: who asks, whether they may ask now, and whether they may ask this. */
@Module({})
export class AppModule {
  /** @param documents asked for once the application is made */
  static with(config: Config, documents: () => ApiDocuments): DynamicModule {
    // Also with ORDERS=off: undecided orders are settled.
    const orders = config.auth.enabled ? OrdersModule.with(config) : null;
    const ordering = config.orders.enabled ? orders : null;
    const tools = McpModule.with(ordering);
    const webhooks = config.webhooks.enabled ? WebhooksModule.with(config) : null;
    return {
      module: AppModule,
      imports: [
        ConfigModule.with(config),
        DatabaseModule,
        WorkModule,
        RedisModule,
        ReplicasModule,
        TiersModule.with(config),
        ScheduleModule.forRoot(),
        AuthModule.with(config),
        NetworksModule,
        RateLimitModule,
        ServiceLevelsModule,
        AuditModule,
        HealthModule.with(config),
        StatsModule,
        StatusModule,
        // Before CheckModule, whose checks/{token} would take the siblings of the label "checks".
        SiblingsModule,
        CheckModule,
        SuggestModule,
        SearchModule,
        FacetsModule,
        DroppedModule,
        DropsModule,
        // Behind CheckModule, whose /api/v1/domains/check its address would take as well.
        ReportModule,
        PagesModule.with(ordering),
        McpContractModule.with(documents),
        tools,
        // Keys and accounts: nothing of them exists in demo mode.
        ...(config.auth.enabled
          ? [UsageModule, WatchesModule, AccountsModule, ProfileModule.with(webhooks)]
          : []),
        ...(config.auth.takesApps ? [AppPagesModule, AccountToolsModule.with(tools)] : []),
        ...(config.exports.enabled ? [ExportsModule] : []),
        ...(config.jobs.enabled ? [JobsModule] : []),
        ...(orders
          ? [
              orders,
              RefundPagesModule.with(orders),
              ...(config.orders.enabled ? [OrderPagesModule.with(orders, config)] : []),
            ]
          : []),
        ...(config.payments.secret !== undefined ? [PaymentsModule] : []),
        ...(config.operators.keys.length > 0 ? [OperatorsHttpModule, OperatorPagesModule] : []),
        ...(webhooks ? [webhooks] : []),
      ],
      providers: [
        HttpDrain,
        NetworkGate,
        ObserveMaintenance,
        ShutdownLogger,
        TracedRequests,
        OperatorsPort,
        { provide: APP_GUARD, useExisting: AuthGuard },
        { provide: APP_GUARD, useExisting: RateLimitGuard },
        { provide: APP_GUARD, useExisting: RequirementsGuard },
        { provide: APP_FILTER, useClass: SiteErrorFilter },
      ],
    };
  }
}
