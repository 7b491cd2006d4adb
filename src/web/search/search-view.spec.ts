import { toFacets } from '../../api/facets/facets.module.js';
import { chipsOf } from './search-form.js';
import { renderSearchPage } from './search-view.js';

const SITE = { baseUrl: 'https://bowerbird.example', hasAccounts: true, isSandbox: false };

function pageOf(isCounted: boolean): string {
  const found = {
    rows: [],
    from: 1,
    total: 0,
    isExact: false,
    timedOut: true,
    chips: chipsOf({ q: 'surf' }, toFacets([]), isCounted),
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
  };
  return renderSearchPage(SITE, { ...frame, freshness: [], samples: [], problem: null, found });
}

it('the page of a search has numbers, and says of what, only where there was time to count', () => {
  const numbers = 'the numbers are estimates';
  const count = /no hyphens\s*<b>/;
  expect([pageOf(true).includes(numbers), count.test(pageOf(true))]).toEqual([true, true]);
  expect([pageOf(false).includes(numbers), count.test(pageOf(false))]).toEqual([false, false]);
});
