import { Global, Module } from '@nestjs/common';
import { Config, ConfigError } from '../config/config.js';
import { overrideTiers } from './tier-overrides.js';
import type { TierTable } from './tiers.js';

/** Injection token of the tier table in force: the one in tiers.ts with the operator's changes. */
export const TIER_TABLE = Symbol('TierTable');

@Global()
@Module({
  providers: [{ provide: TIER_TABLE, inject: [Config], useFactory: tableInForce }],
  exports: [TIER_TABLE],
})
export class TiersModule {}

function tableInForce(config: Config): TierTable {
  const { tiers, problems } = overrideTiers(config.tierOverrides);
  if (problems.length > 0) throw new ConfigError(problems);
  return tiers;
}
