import { TIER_NAMES, TIERS } from './tiers.js';
import { tierRows, toMarkdown } from './tier-table.js';

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
      '| list pages in ten minutes | 30 | 100 | 300 | 1,000 | 10,000 |',
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
