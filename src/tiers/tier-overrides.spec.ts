import { overrideTiers } from './tier-overrides.js';
import { TIERS } from './tiers.js';

describe('overrideTiers', () => {
  it('changes what is named and nothing else', () => {
    const { tiers, problems } = overrideTiers({
      demo: { recordsPerMinute: 50 },
      member: { quota: null, feed: true },
    });
    expect(problems).toEqual([]);
    expect(tiers).toEqual({
      ...TIERS,
      demo: { ...TIERS.demo, recordsPerMinute: 50 },
      member: { ...TIERS.member, quota: null, feed: true },
    });
  });

  it.each([
    [{ gold: {} }, 'TIERS names "gold"'],
    [{ demo: { recordsPerMinute: 0 } }, 'demo.recordsPerMinute must be an integer'],
    [{ demo: { pageSize: '7' } }, 'demo.pageSize must be an integer'],
    [{ pro: { pageSize: 101 } }, 'pro.pageSize must be an integer from 1 to 100'],
    [{ demo: { feed: 1 } }, 'demo.feed must be true or false'],
    [{ pro: { quota: { period: 'week', records: 5 } } }, 'pro.quota must be null or'],
    [{ pro: { name: 'demo' } }, 'pro.name cannot be set'],
    [{ pro: { colour: 'red' } }, 'pro.colour cannot be set'],
  ])('refuses %j', (overrides, problem) => {
    expect(overrideTiers(overrides as never).problems.join()).toContain(problem);
  });
});
