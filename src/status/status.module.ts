import { Module } from '@nestjs/common';
import { ArchiveModule } from '../archive/archive.module.js';
import { DomainsModule } from '../domains/domains.module.js';
import { RegistryModule } from '../registry/registry.module.js';
import { StatusController } from './status.controller.js';
import { StatusRepository } from './status.repository.js';
import { StatusService } from './status.service.js';

@Module({
  imports: [ArchiveModule, DomainsModule, RegistryModule],
  controllers: [StatusController],
  providers: [StatusRepository, StatusService],
  exports: [StatusService],
})
export class StatusModule {}
