import { Module } from '@nestjs/common';
import { DomainsModule } from '../../domains/domains.module.js';
import { RateLimitModule } from '../../access/rate-limit.module.js';
import { RegistryModule } from '../../registry/registry.module.js';
import { BulkCheckController } from './bulk/bulk-check.controller.js';
import { BulkCheckRepository } from './bulk/bulk-check.repository.js';
import { BulkCheckService } from './bulk/bulk-check.service.js';
import { BulkCheckWorker } from './bulk/bulk-check.worker.js';
import { CheckController } from './check.controller.js';
import { CheckService } from './check.service.js';

@Module({
  imports: [DomainsModule, RegistryModule, RateLimitModule],
  controllers: [CheckController, BulkCheckController],
  providers: [CheckService, BulkCheckRepository, BulkCheckWorker, BulkCheckService],
  exports: [CheckService, BulkCheckService],
})
export class CheckModule {}
