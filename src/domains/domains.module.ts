import { Module } from '@nestjs/common';
import { Config } from '../config/config.js';
import { Database } from '../db/database.js';
import { CubeCheck } from './search/cube/cube.repository.js';
import { DiscoveryRepository } from './search/discovery.repository.js';
import { NameSampler } from './search/name-sampler.js';
import { DiscoveryWarmUp } from './search-warm-up.js';
import { DayEventRepository } from './feed/day-event.repository.js';
import { UpcomingDropRepository } from './feed/upcoming-drop.repository.js';
import { DomainEventRepository } from './feed/domain-event.repository.js';
import { Freshness } from './freshness/freshness.js';
import { FreshnessRepository } from './freshness/freshness.repository.js';
import { QuestionPlanner } from './freshness/question-planner.js';
import { QueueLengthRepository } from './freshness/queue-length.repository.js';
import { RegistryQueues } from './freshness/registry-queues.js';
import { TurnQueueRepository } from './freshness/turn-queue.repository.js';
import { FormerTitles } from './words/former-titles.repository.js';
import { DomainRepository } from './domain.repository.js';
import { FirstOffers } from './first-offers.js';
import { Lifecycle, RecheckSchedule } from './lifecycle/lifecycle.js';
import { NameHoldRepository } from './name/name-hold.repository.js';
import { HOLDS_EVERY_MS, NameHolds } from './name/name-holds.js';
import { JobStateRepository } from '../work/job-state.repository.js';
import { ProcessTimers } from '../work/process-timers.js';
import { QuestionQueue } from './lifecycle/question-queue.repository.js';
import { WordSearch } from './words/word-fill.job.js';
import { WordFillRepository } from './words/word-fill.repository.js';
import { OfferSampler, TruthSampleRepository } from './truth/truth-sample.repository.js';

@Module({
  providers: [
    DomainRepository,
    DomainEventRepository,
    CubeCheck,
    NameSampler,
    DiscoveryRepository,
    DiscoveryWarmUp,
    WordFillRepository,
    WordSearch,
    FormerTitles,
    DayEventRepository,
    UpcomingDropRepository,
    QuestionQueue,
    NameHoldRepository,
    NameHolds,
    QuestionPlanner,
    QueueLengthRepository,
    RegistryQueues,
    TurnQueueRepository,
    FirstOffers,
    Freshness,
    FreshnessRepository,
    OfferSampler,
    TruthSampleRepository,
    { provide: RecheckSchedule, useExisting: Freshness },
    {
      provide: Lifecycle,
      inject: [Database, Config, RecheckSchedule],
      useFactory: (database: Database, { lifecycle }: Config, schedule: RecheckSchedule) =>
        new Lifecycle(database, lifecycle, schedule),
    },
  ],
  exports: [
    DomainEventRepository,
    DomainRepository,
    FirstOffers,
    CubeCheck,
    Lifecycle,
    NameHoldRepository,
    NameHolds,
    QuestionQueue,
    QuestionPlanner,
    RegistryQueues,
    Freshness,
    FreshnessRepository,
    OfferSampler,
    TruthSampleRepository,
    WordFillRepository,
  ],
})
export class DomainsModule {
  constructor(holds: NameHolds, timers: ProcessTimers) {
    timers.every(HOLDS_EVERY_MS, () => holds.refresh());
  }
}

/** The lifecycle as the module has it, for commands. */
export function createLifecycle(database: Database, config: Config): Lifecycle {
  const freshness = new Freshness(new FreshnessRepository(database), config);
  return new Lifecycle(database, config.lifecycle, freshness);
}

/** The queues as the module has them, for commands. */
export function createRegistryQueues(database: Database, config: Config): RegistryQueues {
  const freshness = new Freshness(new FreshnessRepository(database), config);
  const planner = new QuestionPlanner(
    config,
    new QuestionQueue(database),
    new TurnQueueRepository(database),
    freshness,
  );
  return new RegistryQueues(
    config,
    new QueueLengthRepository(database),
    planner,
    new JobStateRepository(database),
  );
}
