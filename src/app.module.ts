import { DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import { ScheduleModule } from '@nestjs/schedule';
import { AccountsModule } from './accounts/accounts.module.js';
import { AppsModule } from './accounts/apps/apps.module.js';
import { AgentsModule } from './agents/agents.module.js';
import { AuditModule } from './audit/audit.module.js';
import { HttpDrain } from './app.drain.js';
import { TracedRequests } from './app.tracing.js';
import { LifeLog } from './app.life.js';
import { OperatorsPort } from './app.operators.js';
import { AuthGuard } from './auth/auth.guard.js';
import { AuthModule } from './auth/auth.module.js';
import { RequirementsGuard } from './auth/requirements.js';
import { CheckModule } from './check/check.module.js';
import { type Config, hasMetrics } from './config/config.js';
import { ConfigModule } from './config/config.module.js';
import { DatabaseModule } from './database/database.module.js';
import { DroppedModule } from './dropped/dropped.module.js';
import { DropsModule } from './drops/drops.module.js';
import { ExportsModule } from './exports/exports.module.js';
import { FacetsModule } from './facets/facets.module.js';
import { HealthModule } from './health/health.module.js';
import { JobsModule } from './jobs/jobs.module.js';
import { MetricsModule } from './metrics/metrics.module.js';
import { McpModule } from './mcp/mcp.module.js';
import type { ApiDocuments } from './mcp/schemas/mcp-contract.js';
import { McpContractModule } from './mcp/schemas/mcp-contract.module.js';
import { OperatorsHttpModule } from './operators/operators-http.module.js';
import { SiteErrorFilter } from './pages/errors/site-error.filter.js';
import { PagesModule } from './pages/pages.module.js';
import { PaymentsModule } from './payments/payments.module.js';
import { ProfileModule } from './profile/profile.module.js';
import { RateLimitGuard } from './rate-limit/rate-limit.guard.js';
import { RateLimitModule } from './rate-limit/rate-limit.module.js';
import { RedisModule } from './redis/redis.module.js';
import { ReplicasModule } from './replicas/replicas.module.js';
import { ReportModule } from './report/report.module.js';
import { SearchModule } from './search/search.module.js';
import { ServiceLevelsModule } from './service-levels/service-levels.module.js';
import { SiblingsModule } from './siblings/siblings.module.js';
import { StatsModule } from './stats/stats.module.js';
import { StatusModule } from './status/status.module.js';
import { SuggestModule } from './suggest/suggest.module.js';
import { TiersModule } from './tiers/tiers.module.js';
import { UsageModule } from './usage/usage.module.js';
import { WatchesModule } from './watches/watches.module.js';
import { WebhooksModule } from './webhooks/webhooks.module.js';

/** The whole wiring. Guards run in this order: who asks, whether they may ask now, and whether they may ask this. */
@Module({})
export class AppModule {
  /** @param documents null in a preview, which makes nothing */
  static with(config: Config, documents: ApiDocuments | null): DynamicModule {
    const webhooks = config.webhooks.enabled ? WebhooksModule.with(config) : null;
    return {
      module: AppModule,
      imports: [
        ConfigModule.with(config),
        DatabaseModule,
        RedisModule,
        ReplicasModule,
        TiersModule.with(config),
        ScheduleModule.forRoot(),
        AuthModule.with(config),
        RateLimitModule,
        ServiceLevelsModule,
        AuditModule,
        HealthModule,
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
        PagesModule,
        McpContractModule.with(documents),
        McpModule,
        AgentsModule,
        // Keys and accounts: nothing of them exists in demo mode.
        ...(config.auth.enabled
          ? [UsageModule, WatchesModule, AccountsModule, ProfileModule.with(webhooks)]
          : []),
        ...(config.auth.takesApps ? [AppsModule] : []),
        ...(config.exports.enabled ? [ExportsModule] : []),
        ...(hasMetrics(config) ? [MetricsModule.with(config)] : []),
        ...(config.jobs.enabled ? [JobsModule] : []),
        ...(config.payments.secret !== undefined ? [PaymentsModule] : []),
        ...(config.operators.keys.length > 0 ? [OperatorsHttpModule] : []),
        ...(webhooks ? [webhooks] : []),
      ],
      providers: [
        HttpDrain,
        LifeLog,
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
