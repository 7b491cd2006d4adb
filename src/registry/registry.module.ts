import { Module } from '@nestjs/common';
import { Config } from '../config/config.js';
import { Clock } from '../db/database.js';
import { DomainsModule } from '../domains/domains.module.js';
import { Lifecycle } from '../domains/lifecycle/lifecycle.js';
import { parseDomainName } from '../domains/name/domain-name.js';
import { ReadDatabase } from '../db/replicas/read-database.js';
import { ProgressWatch } from '../observe/readings.js';
import { maintenance, WorkKinds } from '../work/kind.js';
import { ProcessTimers } from '../work/process-timers.js';
import { AvailabilityServiceLookup } from './availability-service.js';
import { AnswerLogRepository } from './answer-log.repository.js';
import { AnswerLog } from './answer-log.js';
import { AnswerReplay } from './answer-replay.js';
import { Canaries, CANARY_WATCH_MS } from './canaries.js';
import { GuardedLookup } from './guarded-lookup.js';
import { LearnedWordings, WORDINGS_EVERY_MS } from './learned-wordings.repository.js';
import { RegistryPace } from './registry-pace.js';
import { TurnRepository } from './turn.repository.js';
import { RdapBootstrap, REFRESH_EVERY_MS } from './rdap-bootstrap.js';
import { rulesOf } from './rdap-answer.js';
import { RdapLookup } from './rdap-lookup.js';
import { RegistryCache } from './registry-cache.js';
import { RegistryHealthRepository } from './registry-health.repository.js';
import { RegistryProgress, RegistryReadings } from './registry-readings.js';
import { Registry } from './registry.js';
import { RegistryRepository } from './registry.repository.js';
import { SiblingReader } from './siblings.js';

const CACHE_PURGE_EVERY_MS = 10 * 60_000;
const ANSWER_PURGE_EVERY_MS = 24 * 3_600_000;

@Module({
  imports: [DomainsModule],
  providers: [
    RdapBootstrap,
    RegistryRepository,
    RegistryHealthRepository,
    TurnRepository,
    RegistryPace,
    RegistryCache,
    AnswerLogRepository,
    AnswerLog,
    AnswerReplay,
    LearnedWordings,
    SiblingReader,
    RegistryProgress,
    RegistryReadings,
    {
      provide: Registry,
      inject: [
        Config,
        RdapBootstrap,
        RegistryPace,
        RegistryCache,
        Lifecycle,
        RegistryHealthRepository,
        Clock,
        ReadDatabase,
        AnswerLog,
        LearnedWordings,
      ],
      useFactory: createRegistry,
    },
  ],
  exports: [Registry, SiblingReader, AnswerLogRepository, AnswerReplay, LearnedWordings],
})
export class RegistryModule {
  constructor(
    registry: Registry,
    bootstrap: RdapBootstrap,
    cache: RegistryCache,
    log: AnswerLog,
    wordings: LearnedWordings,
    kinds: WorkKinds,
    timers: ProcessTimers,
    progress: RegistryProgress,
    watch: ProgressWatch,
  ) {
    watch.add((now) => progress.findStalls(now));
    // Each process sees for itself that a registry can be believed, and where it is.
    timers.every(CANARY_WATCH_MS, () => registry.watchCanaries());
    timers.every(WORDINGS_EVERY_MS, () => wordings.refresh());
    timers.every(REFRESH_EVERY_MS, () => bootstrap.refresh());
    kinds.add(
      maintenance('registry-cache-purge', CACHE_PURGE_EVERY_MS, () => cache.purgeExpired()),
      maintenance('registry-answer-purge', ANSWER_PURGE_EVERY_MS, (now) => log.purge(now)),
    );
  }
}

/** RDAP first; the availability service, where it is configured, is the second opinion. */
export function createRegistry(
  config: Config,
  bootstrap: RdapBootstrap,
  pace: RegistryPace,
  cache: RegistryCache,
  lifecycle: Lifecycle,
  health: RegistryHealthRepository,
  clock: Clock,
  reads: ReadDatabase,
  log: AnswerLog,
  wordings: LearnedWordings,
): Registry {
  const { registry } = config;
  const { source, timeoutMs, availabilityService, parser } = registry;
  const lookups = [
    new RdapLookup(
      source,
      () => bootstrap.baseUrl,
      timeoutMs,
      () => rulesOf(parser, wordings.all),
    ),
    ...(availabilityService ? [new AvailabilityServiceLookup(availabilityService, timeoutMs)] : []),
  ];
  const services = lookups.map((lookup) => new GuardedLookup(lookup, pace, health, config));
  const canaries = new Canaries(
    registry.canaries.map((name) => parseDomainName(name)),
    health,
    log,
    registry,
  );
  return new Registry(services, canaries, cache, lifecycle, log, health, clock, registry.maxWaitMs, reads);
}
