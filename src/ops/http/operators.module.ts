import { Module } from '@nestjs/common';
import { AccountRepository } from '../../accounts/account.repository.js';
import { AuditModule } from '../../observe/audit/audit.module.js';
import { ApiKeyRepository } from '../../access/api-key.repository.js';
import { DomainsModule } from '../../domains/domains.module.js';
import { JobStateRepository } from '../../work/job-state.repository.js';
import { RateLimitModule } from '../../access/rate-limit.module.js';
import { StatusModule } from '../../api/status/status.module.js';
import { DeliveryRepository } from '../../notify/webhooks/deliveries/delivery.repository.js';
import { OperatorAccounts } from './accounts/operator-accounts.js';
import { OperatorsAccountRepository } from './accounts/operators-account.repository.js';
import { EvidenceRepository } from './dataset/evidence.repository.js';
import { OperatorDataset } from './dataset/operator-dataset.js';
import { OperatorImportRepository } from './imports/operator-import.repository.js';
import { OperatorImports } from './imports/operator-imports.js';
import { OperatorJobs } from './jobs/operator-jobs.js';
import { OperatorRecords } from './records/operator-records.js';
import { OperatorStatus } from './status/operator-status.js';
import { OperatorUsage } from './usage/operator-usage.js';
import { OperatorUsageRepository } from './usage/operator-usage.repository.js';

const SERVICES = [
  OperatorStatus,
  OperatorJobs,
  OperatorDataset,
  OperatorAccounts,
  OperatorImports,
  OperatorRecords,
  OperatorUsage,
];

/** What operators do, at whichever door: the command line, and /ops/v1. */
@Module({
  imports: [AuditModule, DomainsModule, RateLimitModule, StatusModule],
  providers: [
    ...SERVICES,
    // They keep nothing, so that one of our own is as good as that of their module, which may be off.
    AccountRepository,
    ApiKeyRepository,
    DeliveryRepository,
    EvidenceRepository,
    JobStateRepository,
    OperatorImportRepository,
    OperatorsAccountRepository,
    OperatorUsageRepository,
  ],
  exports: SERVICES,
})
export class OperatorsModule {}
