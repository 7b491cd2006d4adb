import { DynamicModule, Module } from '@nestjs/common';
import { type Tier, TIER_NAMES, type TierName, Tiers, type TierTable } from '../config/tiers.js';

/** The settings that decide about tiers. */
interface Configured {
  readonly tiers: TierTable;
  readonly webhooks: { readonly enabled: boolean };
  readonly exports: { readonly enabled: boolean };
}

/** The tier table after switches. */
export function tiersOf(config: Configured): Tiers {
  return new Tiers(inForce(config));
}

/** Provides the tier table to every module. */
@Module({})
export class TiersModule {
  static with(config: Configured): DynamicModule {
    return {
      module: TiersModule,
      global: true,
      providers: [{ provide: Tiers, useValue: tiersOf(config) }],
      exports: [Tiers],
    };
  }
}

/** No tier includes a feature that is switched off. Everything said about tiers comes from this table. */
function inForce({ tiers, webhooks, exports }: Configured): TierTable {
  const table: Record<TierName, Tier> = { ...tiers };
  for (const name of TIER_NAMES) {
    const tier = tiers[name];
    table[name] = {
      ...tier,
      webhooks: webhooks.enabled && tier.webhooks,
      export: exports.enabled && tier.export,
    };
  }
  return table;
}
