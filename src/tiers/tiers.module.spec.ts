import { TIER_NAMES, TIERS } from './tiers.js';
import { tiersOf } from './tiers.module.js';

describe('the tiers in force', () => {
  it('are the configured ones', () => {
    expect(tiersOf({ tiers: TIERS, webhooks: { enabled: true } }).table).toEqual(TIERS);
  });

  it('have no webhooks where those are switched off, and all else', () => {
    const { table } = tiersOf({ tiers: TIERS, webhooks: { enabled: false } });
    for (const name of TIER_NAMES) expect(table[name]).toEqual({ ...TIERS[name], webhooks: false });
  });
});
