import { toAllowance, toPublishedTier } from './tier.dto.js';
import { TIERS } from '../config/tiers.js';

describe('a tier as it is published', () => {
  it('says what it includes', () => {
    expect(toAllowance(TIERS.starter)).toEqual({
      requests_per_minute: 300,
      page_size: 25,
      paging: true,
      fields: 'full',
      feed: true,
      webhooks: false,
      export: false,
    });
  });

  it('has its budgets first', () => {
    expect(Object.entries(toPublishedTier(TIERS.member)).slice(0, 4)).toEqual([
      ['key_required', true],
      ['records_per_minute', 100],
      ['quota', { period: 'hour', records: 100 }],
      ['requests_per_minute', 120],
    ]);
  });
});
