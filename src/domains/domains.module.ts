import { Module } from '@nestjs/common';
import { DiscoveryRepository } from './discovery/discovery.repository.js';
import { NameSampler } from './discovery/name-sampler.js';
import { DomainEventRepository } from './feed/domain-event.repository.js';
import { DomainRepository } from './domain.repository.js';

@Module({
  providers: [DomainRepository, DomainEventRepository, NameSampler, DiscoveryRepository],
  exports: [DomainRepository, DomainEventRepository, DiscoveryRepository],
})
export class DomainsModule {}
