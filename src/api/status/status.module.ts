import { Module } from '@nestjs/common';
import { ArchiveModule } from '../../archive/archive.module.js';
import { DomainsModule } from '../../domains/domains.module.js';
import { ListsModule } from '../../ingest/lists/list-fetcher.js';
import { RegistryModule } from '../../registry/registry.module.js';
import { ServiceLevelsModule } from '../../observe/service-levels/service-levels.module.js';
import { ServiceReportController } from './service-report.controller.js';
import { ServiceReportService } from './service-report.service.js';
import { StatusController } from './status.controller.js';
import { StatusReadings } from './status-readings.js';
import { StatusRepository } from './status.repository.js';
import { StatusService } from './status.service.js';

@Module({
  imports: [ArchiveModule, DomainsModule, ListsModule, RegistryModule, ServiceLevelsModule],
  controllers: [StatusController, ServiceReportController],
  providers: [ServiceReportService, StatusReadings, StatusRepository, StatusService],
  exports: [StatusService],
})
export class StatusModule {}
