import { Module } from '@nestjs/common';
import { Config } from '../config/config.js';
import { Clock } from '../database/clock.js';
import { DomainsModule } from '../domains/domains.module.js';
import { Lifecycle } from '../domains/lifecycle/lifecycle.js';
import { AvailabilityServiceLookup } from './availability/availability-service-lookup.js';
import { GuardedLookup } from './guarded-lookup.js';
import { RdapBootstrap } from './rdap/rdap-bootstrap.js';
import { RdapLookup } from './rdap/rdap-lookup.js';
import { RegistryCache } from './registry-cache.js';
import { RegistryPace } from './registry-pace.js';
import { Registry } from './registry.js';
import { RegistryRepository } from './registry.repository.js';

/** Needs ScheduleModule.forRoot() in the application: for the purge of the cache and the daily look at IANA's list. */
@Module({
  imports: [DomainsModule],
  providers: [
    RdapBootstrap,
    RegistryRepository,
    RegistryPace,
    RegistryCache,
    {
      provide: Registry,
      inject: [Config, RdapBootstrap, RegistryPace, RegistryCache, Lifecycle, Clock],
      useFactory: createRegistry,
    },
  ],
  exports: [Registry],
})
export class RegistryModule {}

/** RDAP first; the availability service, where it is configured, is the second opinion. */
export function createRegistry(
  { registry }: Config,
  bootstrap: RdapBootstrap,
  pace: RegistryPace,
  cache: RegistryCache,
  lifecycle: Lifecycle,
  clock: Clock,
): Registry {
  const lookups = [new RdapLookup(registry.source, () => bootstrap.baseUrl, registry.timeoutMs)];
  const second = registry.availabilityService;
  const all = second ? [...lookups, new AvailabilityServiceLookup(second, registry.timeoutMs)] : lookups;
  const services = all.map((lookup) => new GuardedLookup(lookup, pace, registry));
  return new Registry(services, cache, lifecycle, clock, registry.maxWaitMs);
}
