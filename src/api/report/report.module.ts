import { Module } from '@nestjs/common';
import { ArchiveModule } from '../../archive/archive.module.js';
import { DomainsModule } from '../../domains/domains.module.js';
import { RateLimitModule } from '../../access/rate-limit.module.js';
import { RegistryModule } from '../../registry/registry.module.js';
import { ReportController } from './report.controller.js';
import { ReportService } from './report.service.js';

@Module({
  imports: [ArchiveModule, DomainsModule, RegistryModule, RateLimitModule],
  controllers: [ReportController],
  providers: [ReportService],
  exports: [ReportService],
})
export class ReportModule {}
