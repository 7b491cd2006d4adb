import { IdempotentRequestRepository } from '../access/idempotent-request.repository.js';
import { IdempotentRequests } from '../access/idempotent-requests.js';
import { Injectable, Module } from '@nestjs/common';
import { Config } from '../config/config.js';
import { Database } from '../db/database.js';
import { AccountRepository } from '../accounts/account.repository.js';
import { ApiKeyRepository } from '../access/api-key.repository.js';
import { NetworksModule } from '../access/network-rules.js';
import { RateLimitModule } from '../access/rate-limit.module.js';
import { StatusModule } from '../api/status/status.module.js';
import { FormerSiteModule } from '../archive/former-site/former-sites.js';
import { DomainsModule } from '../domains/domains.module.js';
import { ListsModule } from '../ingest/lists/list-fetcher.js';
import { RegistryModule } from '../registry/registry.module.js';
import { JobStateRepository } from '../work/job-state.repository.js';
import { DeliveryRepository } from '../notify/webhooks/delivery.repository.js';
import { AuditModule } from '../observe/audit.repository.js';
import { IncidentRepository } from '../observe/incident.repository.js';
import { Doctor } from './doctor.js';
import { OperatorAccounts } from './accounts.service.js';
import { OperatorDataset } from './dataset.service.js';
import { OperatorIncidents } from './incidents.js';
import { OperatorImports } from './imports.service.js';
import { OperatorJobs } from './jobs.service.js';
import { OperatorLists } from './lists.service.js';
import { OperatorNetworks } from './networks.service.js';
import { OperatorImportRepository, OperatorsRepository } from './operators.repository.js';
import { Ledger } from '../orders/ledger/ledger.repository.js';
import { OrderingStops } from '../orders/ledger/ordering-stops.repository.js';
import { OrderNoticeRepository } from '../orders/order/order-notice.repository.js';
import { LateSales } from '../orders/order/late-sales.js';
import { RenewalRepository } from '../orders/order/renewal.repository.js';
import { CardLedger } from '../orders/topup/card-ledger.js';
import { CardPayments } from '../orders/topup/card-payments.js';
import { TopUps } from '../orders/topup/top-ups.js';
import { OrderEnds } from '../orders/order/order-ends.js';
import { OrderRepository } from '../orders/order/order.repository.js';
import { RegistrarHealthReader } from '../orders/registrar/registrar-health.js';
import { ReconcileRepository } from '../orders/order/reconcile.repository.js';
import { RegistrarStateRepository } from '../orders/registrar/registrar-state.repository.js';
import { ExchangeEvidenceRepository } from '../orders/registrar/exchange-evidence.repository.js';
import { SealedRows } from '../orders/order/sealed-rows.repository.js';
import { TopUpRepository } from '../orders/topup/top-up.repository.js';
import { OperatorOrders } from './orders.service.js';
import { OperatorOrdersRepository } from './orders.repository.js';
import { OperatorRecords, OperatorUsage } from './records.service.js';
import { OperatorRegistry } from './registry.service.js';

/** What the commands of operators run, at the command line and at /ops/v1. */
@Injectable()
export class OperatorServices {
  constructor(
    readonly accounts: OperatorAccounts,
    readonly dataset: OperatorDataset,
    readonly doctor: Doctor,
    readonly incidents: OperatorIncidents,
    readonly imports: OperatorImports,
    readonly jobs: OperatorJobs,
    readonly lists: OperatorLists,
    readonly orders: OperatorOrders,
    readonly networks: OperatorNetworks,
    readonly records: OperatorRecords,
    readonly registry: OperatorRegistry,
    readonly usage: OperatorUsage,
  ) {}
}

@Module({
  imports: [
    FormerSiteModule,
    AuditModule,
    DomainsModule,
    ListsModule,
    NetworksModule,
    RateLimitModule,
    RegistryModule,
    StatusModule,
  ],
  providers: [
    OperatorServices,
    {
      provide: Doctor,
      inject: [Config, Database],
      useFactory: (config: Config, database: Database) => new Doctor(config, database),
    },
    OperatorAccounts,
    OperatorDataset,
    OperatorIncidents,
    OperatorImports,
    OperatorJobs,
    OperatorLists,
    OperatorOrders,
    OperatorNetworks,
    OperatorRecords,
    OperatorRegistry,
    OperatorUsage,
    // Repositories have no state; the modules that provide these may be switched off.
    AccountRepository,
    IdempotentRequestRepository,
    IdempotentRequests,
    ApiKeyRepository,
    DeliveryRepository,
    IncidentRepository,
    JobStateRepository,
    OperatorImportRepository,
    OperatorsRepository,
    OperatorOrdersRepository,
    ExchangeEvidenceRepository,
    Ledger,
    LateSales,
    OrderEnds,
    OrderNoticeRepository,
    OrderRepository,
    OrderingStops,
    ReconcileRepository,
    RegistrarHealthReader,
    RegistrarStateRepository,
    SealedRows,
    CardLedger,
    CardPayments,
    RenewalRepository,
    TopUpRepository,
    TopUps,
  ],
  exports: [OperatorServices],
})
export class OperatorsModule {}
