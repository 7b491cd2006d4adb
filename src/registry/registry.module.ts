import { Module } from '@nestjs/common';
import { Config } from '../config/config.js';
import { Clock } from '../db/database.js';
import { DomainsModule } from '../domains/domains.module.js';
import { Lifecycle } from '../domains/lifecycle/lifecycle.js';
import { parseDomainName } from '../domains/name/domain-name.js';
import { ReadDatabase } from '../db/replicas/read-database.js';
import { AvailabilityServiceLookup } from './availability-service.js';
import { Canaries } from './canaries.js';
import { GuardedLookup } from './guarded-lookup.js';
import { RegistryPace } from './pace/registry-pace.js';
import { TurnRepository } from './pace/turn.repository.js';
import { RdapBootstrap } from './rdap/rdap-bootstrap.js';
import { RdapLookup } from './rdap/rdap-lookup.js';
import { RegistryCache } from './registry-cache.js';
import { RegistryHealthRepository } from './registry-health.repository.js';
import { RegistryReadings } from './registry-readings.js';
import { Registry } from './registry.js';
import { RegistryRepository } from './registry.repository.js';
import { SiblingReader } from './siblings.js';

/** Needs ScheduleModule.forRoot() in the application: for the canaries, the purge of the cache and the daily look at IANA's list. */
@Module({
  imports: [DomainsModule],
  providers: [
    RdapBootstrap,
    RegistryRepository,
    RegistryHealthRepository,
    TurnRepository,
    RegistryPace,
    RegistryCache,
    SiblingReader,
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
      ],
      useFactory: createRegistry,
    },
  ],
  exports: [Registry, SiblingReader],
})
export class RegistryModule {}

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
): Registry {
  const { registry } = config;
  const { source, timeoutMs, notFoundWordings, availabilityService } = registry;
  const lookups = [
    new RdapLookup(source, () => bootstrap.baseUrl, timeoutMs, notFoundWordings),
    ...(availabilityService ? [new AvailabilityServiceLookup(availabilityService, timeoutMs)] : []),
  ];
  const services = lookups.map((lookup) => new GuardedLookup(lookup, pace, health, config));
  const canaries = new Canaries(
    registry.canaries.map((name) => parseDomainName(name)),
    health,
    registry,
  );
  return new Registry(services, canaries, cache, lifecycle, health, clock, registry.maxWaitMs, reads);
}
