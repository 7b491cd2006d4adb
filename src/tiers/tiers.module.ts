import { DynamicModule, Module } from '@nestjs/common';
import { type Config, ConfigError } from '../config/config.js';
import { overrideTiers } from './tier-overrides.js';
import { type Tier, TIER_NAMES, type TierName, TierTable } from './tiers.js';

/** Hands the tier table in force to every module. */
@Module({})
export class TiersModule {
  /** @throws {ConfigError} before anything is started, when the operator's changes make no sense */
  static with(config: Config): DynamicModule {
    return {
      module: TiersModule,
      global: true,
      providers: [{ provide: TierTable, useValue: inForce(tiersOf(config), config) }],
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

/** No tier has what is switched off: what is told of tiers is told from here. */
function inForce(tiers: TierTable, { webhooks }: Config): TierTable {
  if (webhooks.enabled) return tiers;
  const table: Record<TierName, Tier> = { ...tiers };
  for (const name of TIER_NAMES) table[name] = { ...tiers[name], webhooks: false };
  return table;
}
