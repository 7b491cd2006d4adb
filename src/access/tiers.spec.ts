import {
  overrideTiers,
  readTiers,
  TIER_NAMES,
  type TierOverrides,
  tierRows,
  TIERS,
} from '../config/tiers.js';
import { toMarkdown } from '../validation/formats.js';
import { tiersOf } from './tiers.module.js';

describe('the tier table', () => {
  it('is the published one', () => {
    expect(toMarkdown(tierRows(TIERS)).split('\n')).toEqual([
      '| tier | demo | member | starter | pro | firehose |',
      '|---|---|---|---|---|---|',
      '| key | no | yes | yes | yes | yes |',
      '| records a minute | 5 | 100 | 120 | 600 | 6,000 |',
      '| records a longer period | no cap | 100 an hour | 100,000 a month | 1,000,000 a month | no cap |',
      '| requests a minute | 60 | 120 | 300 | 1,200 | 12,000 |',
      '| records a page | 1 | 10 | 25 | 100 | 100 |',
      '| further pages | no | no | yes | yes | yes |',
      '| rows of a list on web pages | 100 | 1,000 | 10,000 | 100,000 | 1,000,000 |',
      '| list pages in ten minutes | 100 | 200 | 300 | 1,000 | 10,000 |',
      '| watched names | 0 | 10 | 100 | 1,000 | 10,000 |',
      '| saved searches | 0 | 10 | 100 | 1,000 | 10,000 |',
      '| fields | restricted | restricted | full | full | full |',
      '| feed of drops | no | no | yes | yes | yes |',
      '| webhooks | no | no | no | yes | yes |',
      '| bulk export, daily diffs | no | no | no | no | yes |',
    ]);
  });

  it('has export in the largest tier only', () => {
    expect(TIER_NAMES.filter((name) => TIERS[name].export)).toEqual(['firehose']);
  });

  // A flood limit below the records of a minute would make a tier's budget out of reach by single checks.
  it.each(TIER_NAMES)('lets %s spend its minute one record a request', (name) => {
    expect(TIERS[name].requestsPerMinute).toBeGreaterThanOrEqual(TIERS[name].recordsPerMinute);
  });
});

it('a table without rows is its head alone', () => {
  expect(toMarkdown([])).toBe('|  |\n||');
});

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
