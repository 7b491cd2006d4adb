import { Module } from '@nestjs/common';
import { DiscoveryRepository } from './discovery/discovery.repository.js';
import { NameSampler } from './discovery/name-sampler.js';
import { DomainRepository } from './domain.repository.js';

@Module({
  providers: [DomainRepository, NameSampler, DiscoveryRepository],
  exports: [DomainRepository, DiscoveryRepository],
})
export class DomainsModule {}
