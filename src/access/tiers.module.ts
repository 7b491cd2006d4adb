import { DynamicModule, Module } from '@nestjs/common';
import { type Tier, TIER_NAMES, type TierName, Tiers, type TierTable } from '../config/tiers.js';

/** What of the configuration decides about tiers. */
interface Configured {
  readonly tiers: TierTable;
  readonly webhooks: { readonly enabled: boolean };
  readonly exports: { readonly enabled: boolean };
}

/** The tier table in force. */
export function tiersOf(config: Configured): Tiers {
  return new Tiers(inForce(config));
}

/** Hands the tier table in force to every module. */
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

/** No tier has what is switched off: what is told of tiers is told from here. */
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
