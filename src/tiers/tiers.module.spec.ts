import { TIER_NAMES, TIERS } from './tiers.js';
import { tiersOf } from './tiers.module.js';

const ON = { enabled: true };
const OFF = { enabled: false };

describe('the tiers in force', () => {
  it('are the configured ones', () => {
    expect(tiersOf({ tiers: TIERS, webhooks: ON, exports: ON }).table).toEqual(TIERS);
  });

  it('have no webhooks and no exports where those are switched off, and all else', () => {
    const { table } = tiersOf({ tiers: TIERS, webhooks: OFF, exports: OFF });
    for (const name of TIER_NAMES)
      expect(table[name]).toEqual({ ...TIERS[name], webhooks: false, export: false });
  });
});
