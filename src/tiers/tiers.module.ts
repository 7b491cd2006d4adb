import { DynamicModule, Module } from '@nestjs/common';
import { type Config, ConfigError } from '../config/config.js';
import { overrideTiers } from './tier-overrides.js';
import { TierTable } from './tiers.js';

/** Hands the tier table in force to every module. */
@Module({})
export class TiersModule {
  /** @throws {ConfigError} before anything is started, when the operator's changes make no sense */
  static with(config: Config): DynamicModule {
    return {
      module: TiersModule,
      global: true,
      providers: [{ provide: TierTable, useValue: tiersOf(config) }],
      exports: [TierTable],
    };
  }
}

/** The tier table as the operator has it. @throws {ConfigError} */
export function tiersOf({ tierOverrides }: Config): TierTable {
  const { tiers, problems } = overrideTiers(tierOverrides);
  if (problems.length > 0) throw new ConfigError(problems);
  return tiers;
}
