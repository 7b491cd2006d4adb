import { toFacets } from '../../api/facets/facets.module.js';
import type { Status } from '../../api/status/status.dto.js';
import { NO_HINTS, partsOf } from './search-hints.js';
import { freshnessOf, renderSearchPage } from './search-view.js';
import { readWords } from '../../domains/schema/filters/reading-filter.js';

const SITE = { baseUrl: 'https://bowerbird.example', hasAccounts: true, isSandbox: false };

function pageOf(isCounted: boolean): string {
  const found = {
    rows: [],
    near: [],
    hints: NO_HINTS,
    from: 1,
    total: 0,
    isExact: false,
    timedOut: true,
    facets: isCounted ? { ...toFacets([]), wayback: [{ min_wayback: 0, max_wayback: 9, count: 5 }] } : null,
    next: null,
    endsAt: null,
  };
  const frame = {
    typed: 'surf',
    named: null,
    filled: { q: 'surf' },
    signedIn: false,
    available: 1,
    wait: null,
    hasTitles: false,
  };
  const now = new Date('2026-11-20T03:04:05Z');
  return renderSearchPage(SITE, {
    ...frame,
    freshness: [],
    samples: [],
    problem: null,
    faults: [],
    found,
    now,
  });
}

it('the page of a search has numbers, and says of what, only where there was time to count', () => {
  const numbers = 'the numbers are estimates';
  const count = /score 0 to 9 <b>/;
  expect([pageOf(true).includes(numbers), count.test(pageOf(true))]).toEqual([true, true]);
  expect([pageOf(false).includes(numbers), count.test(pageOf(false))]).toEqual([false, false]);
});

describe('how true and new the names are', () => {
  const now = new Date('2026-11-20T03:04:05Z');
  const minutesAgo = (minutes: number) => new Date(now.getTime() - minutes * 60_000).toISOString();
  const wordsOn = (...registries: Partial<Status['registries'][number]>[]) => {
    const none = { sampled: 0, taken: 0, unknown: 0, share: null, low: null, high: null };
    const status = {
      truth: { days: 30, offers: none },
      lists: [],
      registries: registries.map((registry) => ({ ...REACHED, ...registry })),
      writes_stopped: null,
    } as unknown as Status;
    return freshnessOf(status, null, now).at(-1);
  };
  const REACHED = {
    source: 'rdap',
    breaker: 'closed',
    canary: 'ok',
    last_answered_at: minutesAgo(2),
  } as const;

  it('says when a registry answered, and of one that cannot be reached never that it answers', () => {
    expect(wordsOn({})).toBe('Registry answered 2 min ago');
    expect(wordsOn({ last_answered_at: null })).toBe('The registry has not answered yet');
    for (const breaker of ['open', 'probing'] as const)
      for (const last_answered_at of [null, minutesAgo(2)])
        expect(wordsOn({ breaker, last_answered_at })).toBe('Registry not answering');
    expect(wordsOn({ canary: 'failed' })).toBe('Registry not answering');
    expect(wordsOn({ breaker: 'open' }, { source: 'availability_service' })).toBe(
      'Registry answered 2 min ago',
    );
    expect(wordsOn({ breaker: 'open' }, { last_answered_at: null })).toBe(
      'The registry has not answered yet',
    );
  });
});

it.each([
  ['coffee', []],
  ['coffee shop', ['coffee', 'shop']],
  ['coffee shop hobart', ['coffee shop', 'coffee hobart', 'shop hobart', 'coffee', 'shop', 'hobart']],
  ['kayakxqzvwk', ['kayak']],
])('the parts of “%s” to search for instead', (typed, parts) => {
  expect(partsOf(readWords(typed))).toEqual(parts);
});
