import { Module } from '@nestjs/common';
import { DiscoveryRepository } from './discovery/discovery.repository.js';
import { NameSampler } from './discovery/name-sampler.js';
import { DomainEventRepository } from './feed/domain-event.repository.js';
import { ListFetchRepository } from './lists/list-fetch.repository.js';
import { DomainRepository } from './domain.repository.js';

@Module({
  providers: [DomainRepository, DomainEventRepository, NameSampler, DiscoveryRepository, ListFetchRepository],
  exports: [DomainRepository, DomainEventRepository, DiscoveryRepository, ListFetchRepository],
})
export class DomainsModule {}
