import type { Offer } from '../../domains/schema/domain.js';
import { mergeRanked } from './explained-suggest.service.js';

const offer = (domain: string, wayback: number): Offer => ({
  ...{ domain, wayback, tld: 'au', length: 2, firstSeen: null, available: true },
  ...{ checkedAt: null, confirmedBy: null },
});
const part = (timedOut: boolean, ...rows: [string, number][]) => ({
  domains: rows.map((row) => offer(...row)),
  timedOut,
});
const namesOf = (merged: { domains: Offer[] }) => merged.domains.map(({ domain }) => domain);

describe('mergeRanked', () => {
  it('ranks all parts together, has each name once, and cuts the list', () => {
    const merged = mergeRanked(
      [part(false, ['b.au', 9], ['a.au', 5], ['d.au', 1]), part(false, ['b.au', 9], ['c.au', 9])],
      3,
    );
    expect(namesOf(merged)).toEqual(['b.au', 'c.au', 'a.au']);
    expect(merged.timedOut).toBe(false);
  });

  it('ends where the head of a part ends that was cut short', () => {
    const merged = mergeRanked(
      [part(true, ['b.au', 9], ['c.au', 5]), part(false, ['a.au', 7], ['d.au', 4])],
      9,
    );
    expect(namesOf(merged)).toEqual(['b.au', 'a.au', 'c.au']);
    expect(merged.timedOut).toBe(true);
  });

  it('knows nothing where a part has nothing yet', () => {
    const merged = mergeRanked([part(true), part(false, ['a.au', 7])], 9);
    expect(merged).toEqual({ domains: [], timedOut: true });
  });

  it('is whole when enough rank before that', () => {
    expect(mergeRanked([part(true, ['b.au', 9], ['c.au', 5])], 2).timedOut).toBe(false);
  });
});
