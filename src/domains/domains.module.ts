import { Module } from '@nestjs/common';
import { Config } from '../config/config.js';
import { Database } from '../database/database.js';
import { DiscoveryRepository } from './discovery/discovery.repository.js';
import { NameSampler } from './discovery/name-sampler.js';
import { UpcomingDropRepository } from './drops/upcoming-drop.repository.js';
import { DomainEventRepository } from './feed/domain-event.repository.js';
import { ListFetchRepository } from './lists/list-fetch.repository.js';
import { DomainRepository } from './domain.repository.js';
import { Lifecycle } from './lifecycle/lifecycle.js';
import { QuestionQueue } from './lifecycle/question-queue.repository.js';
import { RecheckSchedule } from './lifecycle/recheck-schedule.js';

@Module({
  providers: [
    DomainRepository,
    DomainEventRepository,
    NameSampler,
    DiscoveryRepository,
    ListFetchRepository,
    UpcomingDropRepository,
    QuestionQueue,
    RecheckSchedule,
    {
      provide: Lifecycle,
      inject: [Database, Config, RecheckSchedule],
      useFactory: (database: Database, { lifecycle }: Config, schedule: RecheckSchedule) =>
        new Lifecycle(database, lifecycle, schedule),
    },
  ],
  exports: [
    DomainRepository,
    DomainEventRepository,
    DiscoveryRepository,
    ListFetchRepository,
    UpcomingDropRepository,
    Lifecycle,
    QuestionQueue,
  ],
})
export class DomainsModule {}
