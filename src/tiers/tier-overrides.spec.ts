import { overrideTiers, readTiers, type TierOverrides } from './tier-overrides.js';
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

  it.each<TierOverrides>([
    { demo: { recordsPerMinute: 1 } },
    { demo: { recordsPerMinute: 1_000_000_000 } },
    { pro: { pageSize: 100, requestsPerMinute: 1 } },
    { pro: { quota: { period: 'hour', records: 1 } } },
    { pro: { quota: { period: 'month', records: 1_000_000_000 } } },
    { demo: { quota: { period: 'hour', records: 7 } } },
    { demo: { watchedNames: 0, savedSearches: 0 } },
  ])('takes %j', (overrides) => {
    expect(overrideTiers(overrides).problems).toEqual([]);
  });

  const QUOTA = 'quota must be null or {"period":"hour"|"month","records":N}';
  const FLOOD = 'requestsPerMinute must be an integer from 1 to 1000000000';
  it.each<[TierOverrides, string]>([
    [{ gold: {} }, 'TIERS names "gold", which is not one of demo, member, starter, pro, firehose'],
    [{ toString: {} }, 'TIERS names "toString", which is not one of demo, member, starter, pro, firehose'],
    [{ demo: { requestsPerMinute: 0 } }, `TIERS: demo.${FLOOD}`],
    [{ demo: { requestsPerMinute: 1_000_000_001 } }, `TIERS: demo.${FLOOD}`],
    [{ demo: { requestsPerMinute: 1.5 } }, `TIERS: demo.${FLOOD}`],
    [{ demo: { pageSize: '7' } }, 'TIERS: demo.pageSize must be an integer from 1 to 100'],
    [{ demo: { pageSize: 0 } }, 'TIERS: demo.pageSize must be an integer from 1 to 100'],
    [{ pro: { pageSize: 101 } }, 'TIERS: pro.pageSize must be an integer from 1 to 100'],
    [{ demo: { feed: 1 } }, 'TIERS: demo.feed must be true or false'],
    [{ pro: { quota: { period: 'week', records: 5 } } }, `TIERS: pro.${QUOTA}`],
    [{ pro: { quota: { period: 'hour', records: 0 } } }, `TIERS: pro.${QUOTA}`],
    [{ pro: { quota: { period: 'hour' } } }, `TIERS: pro.${QUOTA}`],
    [{ pro: { quota: { records: 5 } } }, `TIERS: pro.${QUOTA}`],
    [{ pro: { quota: 'hour' } }, `TIERS: pro.${QUOTA}`],
    [{ pro: { name: 'demo' } }, 'TIERS: pro.name cannot be set'],
    [{ pro: { keyRequired: false } }, 'TIERS: pro.keyRequired cannot be set'],
    [{ pro: { fields: 'restricted' } }, 'TIERS: pro.fields cannot be set'],
    [{ pro: { colour: 'red' } }, 'TIERS: pro.colour cannot be set'],
  ])('refuses %j', (overrides, problem) => {
    expect(overrideTiers(overrides).problems).toEqual([problem]);
  });

  it('names every problem at once, and goes on behind a tier that is none', () => {
    const { problems } = overrideTiers({ gold: { feed: 1 }, pro: { feed: 1, pageSize: 0 } });
    expect(problems).toHaveLength(3);
  });
});

describe('the TIERS variable', () => {
  const BROKEN = 'TIERS must be a JSON object of objects, such as {"demo":{"recordsPerMinute":10}}';

  it('changes nothing when it is not set', () => {
    expect(readTiers(undefined)).toEqual({ tiers: TIERS, problems: [] });
    expect(readTiers('{}')).toEqual({ tiers: TIERS, problems: [] });
  });

  it('is laid over the table', () => {
    const demo = { ...TIERS.demo, recordsPerMinute: 10 };
    expect(readTiers('{"demo":{"recordsPerMinute":10}}')).toEqual({
      tiers: { ...TIERS, demo },
      problems: [],
    });
  });

  it.each(['', 'demo', '{"demo":', 'null', '7', '"demo"', '[]', '[{"feed":true}]'])(
    'is refused when it is no object: %s',
    (text) => {
      expect(readTiers(text)).toEqual({ tiers: TIERS, problems: [BROKEN] });
    },
  );

  it.each(['7', 'null', '"feed"', '[]'])('is refused when a row is no object: %s', (row) => {
    expect(readTiers(`{"pro":{},"demo":${row}}`)).toEqual({ tiers: TIERS, problems: [BROKEN] });
  });
});
