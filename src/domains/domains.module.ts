import { Module } from '@nestjs/common';
import { DiscoveryRepository } from './discovery/discovery.repository.js';
import { DomainRepository } from './domain.repository.js';

@Module({
  providers: [DomainRepository, DiscoveryRepository],
  exports: [DomainRepository, DiscoveryRepository],
})
export class DomainsModule {}
