import { type DiscoveryPlan, nextPlan, planDiscovery, planGathering } from './planner.js';
import type { DiscoveryQuery } from './discovery-query.js';
import { joinedGrams } from './pattern-grams.js';
import type { KnownName } from '../schema/filters/filter.js';
import { sampleOf } from '../../../test/support/name-sample.js';
import type { NameSample } from './name-sample.js';
import { readWords } from '../schema/filters/reading-filter.js';
import { codeOfWord } from '../words/label-words.js';

const TOTAL = 10_000_000;

describe('planDiscovery over ten million names', () => {
  let sample: NameSample;
  beforeAll(async () => {
    // Every tenth name is a cafe, every thousandth a winery; half of them have no score.
    sample = await sampleOf(
      Array.from({ length: 10_000 }, (_, place) => nameAt(place)),
      TOTAL,
    );
  });

  it('reads in the order of rank when nothing is to match', () => {
    expect(plan({})).toMatchObject({ strategy: 'order' });
  });

  it('reads in the order of rank what many names have', () => {
    expect(plan({ q: 'cafe' })).toMatchObject({ strategy: 'order' });
  });

  it('looks up what few names have, by the grams that tell most', () => {
    expect(plan({ q: 'winery' })).toMatchObject({ strategy: 'bands', some: [] });
  });

  it('looks up by several grams what no name of the sample has, as many others may have one of them', () => {
    const found = plan({ q: 'xqzvkwbpj' });
    expect(found).toMatchObject({ strategy: 'bands', every: expect.arrayContaining(['xqzv']) });
  });

  it('leaves out a gram that nearly all names have', () => {
    expect(plan({ q: 'wineryname' })).toMatchObject({ every: expect.not.arrayContaining(['name']) });
  });

  it('looks up a rare suffix with the pattern, joined', () => {
    expect(plan({ q: 'winery', suffixes: ['asn.au'] })).toMatchObject({
      strategy: 'bands',
      every: expect.arrayContaining(joinedGrams('win', ['asn.au']) ?? []),
    });
  });

  it('looks up a pattern in one rare suffix or another', () => {
    expect(plan({ q: 'zq-x', suffixes: ['asn.au', 'id.au'] })).toMatchObject({
      ...{ strategy: 'bands', some: joinedGrams('zq-', ['asn.au', 'id.au']) },
    });
  });

  it('looks two characters up that few names have', () => {
    expect(plan({ q: 'zq' })).toMatchObject({ strategy: 'bands', every: ['zq'] });
  });

  it('does not take the names above a floor for the names that match', () => {
    // One name in a thousand has it: of the 250,000 names above the floor some 10,000 would be read for ten.
    expect(plan({ q: 'wi', minWayback: 100 })).toMatchObject({ strategy: 'bands' });
    expect(plan({ q: 'ca', minWayback: 100 })).toMatchObject({ strategy: 'order' });
  });

  it('looks grams up while it has no sample', () => {
    expect(planDiscovery({ ...QUERY, q: 'coffees' }, null).plan).toEqual({
      strategy: 'bands',
      every: ['coff', 'offe', 'ffee', 'fees'],
      some: [],
    });
    expect(planDiscovery({ ...QUERY, q: 'q' }, null).plan).toMatchObject({ strategy: 'order' });
  });

  describe('for a search', () => {
    it('reads in the order asked for what many names have', () => {
      expect(plan({ sort: { key: 'length', direction: 'asc' }, hyphens: 'only' })).toMatchObject({
        strategy: 'order',
      });
    });

    it('gathers the names of a short time, whatever the order', () => {
      expect(plan({ sort: { key: 'domain', direction: 'asc' }, firstSeenFrom: '2026-12-01' })).toMatchObject({
        ...{ strategy: 'range', key: 'first_seen' },
      });
    });

    it.each(['wayback', 'length', 'domain'] as const)(
      'gathers the names of a time without any, by %s',
      (key) => {
        const sort = { key, direction: 'asc' } as const;
        expect(plan({ sort, firstSeenFrom: '2027-01-01' })).toMatchObject({
          strategy: 'range',
          key: 'first_seen',
        });
      },
    );

    it('gathers the few names of a length that hardly any has', () => {
      expect(plan({ minLength: 60 })).toMatchObject({ strategy: 'range', key: 'length' });
    });

    it('gathers the names of a score that hardly any has', () => {
      expect(plan({ sort: { key: 'domain', direction: 'desc' }, minWayback: 10_000 })).toMatchObject({
        ...{ strategy: 'range', key: 'wayback' },
      });
    });

    it('looks a rare pattern up, whatever the order', () => {
      expect(
        plan({ q: 'winery', numbers: 'only', sort: { key: 'domain', direction: 'asc' }, limit: 300 }),
      ).toMatchObject({
        strategy: 'bands',
      });
    });

    it('gathers what few names have by its grams', () => {
      expect(planGathering({ ...QUERY, q: 'winery' }, sample)).toMatchObject({ strategy: 'bands' });
      expect(planGathering({ ...QUERY, states: ['purged'] }, sample)).toEqual({ strategy: 'states' });
    });

    it('reads an order only so far where grams would find the page as well', () => {
      expect(plan({ q: 'ca', minWayback: 100 })).toMatchObject({
        ...{ strategy: 'order', bound: 64_000, otherwise: { strategy: 'bands' } },
      });
      expect(plan({ hyphens: 'allow' })).toEqual({ strategy: 'order' });
    });

    it('reads beyond the plan what the next way costs, then asks in that, and then in the first to its end', () => {
      const { otherwise, ...first } = plan({ minLength: 60 });
      expect(first).toMatchObject({ strategy: 'range', bound: expect.any(Number) });
      expect(otherwise).toEqual({
        ...{ strategy: 'range', key: 'shape', bound: expect.any(Number) },
        otherwise: { strategy: 'range', key: 'length' },
      });
    });

    it('reads an order no further beyond its plan than what is asked next costs', async () => {
      // Every tenth name is a word, but hardly any of those at the end: to look these up takes 11 ms.
      const names = Array.from({ length: 10_000 }, (_, place) => ({
        ...nameAt(place),
        words: [0],
        ...(place % 10 === 3 && { name: place % 2000 === 3 ? 'zoo' : 'apple', words: [7] }),
      }));
      const sort = { key: 'domain', direction: 'desc' } as const;
      const { plan } = planDiscovery({ ...QUERY, dictionary: true, sort }, await sampleOf(names, TOTAL));
      expect(plan).toMatchObject({ strategy: 'order', otherwise: { head: { initials: ['z', 'z'] } } });
      expect(plan.bound).toBeLessThan(30_000);
    });

    it('needs no bound where a list has no more names, or no other way is cheaper', () => {
      expect(plan({ q: 'zqx', numbers: 'only' })).not.toHaveProperty('bound');
    });

    it('takes the next way where a part does not fill the page, or a way has reached its bound', () => {
      const otherwise = { strategy: 'range', key: 'shape' } as const;
      const order = { strategy: 'order', bound: 4_000, otherwise } as const;
      const next = (found: number, plan: DiscoveryPlan = order) => nextPlan(plan, { rows: Array(found) }, 51);
      expect(next(20)).toBe(otherwise);
      expect(next(51)).toBeUndefined();
      expect(next(20, otherwise)).toBeUndefined();
      expect(nextPlan({ ...otherwise, otherwise: order }, { rows: [], isTooBroad: true }, 51)).toBe(order);
    });

    it('knows the initials and the lengths of names by their words, which differ from those of all', async () => {
      // Every second name is one word that begins with a; a name that begins with z is none.
      const names = Array.from({ length: 4_000 }, (_, place) => ({
        ...nameAt(place),
        ...(place % 2 === 0 ? { name: 'apple', words: [7] } : { name: `z${place}`, words: [0] }),
      }));
      const sample = await sampleOf(names, TOTAL);
      const filter = { ...QUERY, dictionary: true };
      expect(sample.initialsOf(filter)('a')).toBeGreaterThan(0.99);
      expect(sample.initialsOf(filter)('z')).toBeLessThan(0.01);
      expect(sample.initialsOf(QUERY)('z')).toBeCloseTo(0.5);
      expect([...sample.lengthsOf({ ...QUERY, dictionary: false }).keys()].sort()).toEqual([2, 3, 4, 5]);
    });

    it('looks the keyword up beside the words of names, as few of those names have it', async () => {
      const names = Array.from({ length: 10_000 }, (_, place) => ({
        ...nameAt(place),
        ...(place % 100 === 5 ? { name: 'apple', words: [7] } : { words: [0] }),
      }));
      const asked = { ...QUERY, q: 'ca', dictionary: true, maxWords: 1 };
      expect(planGathering(asked, await sampleOf(names, TOTAL))).toMatchObject({
        ...{ strategy: 'bands', every: ['ca'], traits: [{ asks: { dictionary: true } }] },
      });
    });

    it('reads an order on where all else would take longer than a search may', () => {
      expect(plan({ dictionary: false, hyphens: 'only' })).toEqual({ strategy: 'order', isDirect: true });
    });

    it('reads rows as the index leads to them, but for an index that throws most names away', () => {
      const sort = { key: 'length', direction: 'asc' } as const;
      expect(plan({ dictionary: false, sort })).toMatchObject({ strategy: 'order', isDirect: true });
      const rare = plan({ dictionary: false, q: 'cafe', sort });
      expect(rare).toMatchObject({ strategy: 'order' });
      expect(rare).not.toHaveProperty('isDirect');
    });

    it.each([
      { often: 50, sample: 'many', expected: { strategy: 'order', bound: expect.any(Number) } },
      { often: 5_000, sample: 'few', expected: { strategy: 'bands', every: [], some: [] } },
    ])('looks words up that $sample names have, or an order does not bring', async ({ often, expected }) => {
      const words = [codeOfWord('coffee')];
      const cut = Array.from({ length: 10_000 }, (_, place) => ({
        ...nameAt(place),
        words: place % often === 0 ? words : [],
      }));
      const { plan } = planDiscovery(
        { ...QUERY, reading: readWords('coffee'), sort: { key: 'first_seen', direction: 'desc' } },
        await sampleOf(cut, TOTAL),
      );
      expect(plan).toMatchObject(expected);
      if (plan.strategy === 'order')
        expect(plan.otherwise).toMatchObject({
          head: { noneBeyond: '2026-12-31' },
          otherwise: { strategy: 'bands', every: [], some: [] },
        });
    });

    it('skips to no prefix without a keyword', () => {
      const costs = (mode: 'contains' | 'prefix') =>
        planDiscovery({ ...QUERY, dictionary: false, minWayback: 100, mode }, sample).names;
      expect(costs('prefix')).toBe(costs('contains'));
    });
  });

  function plan(more: Partial<DiscoveryQuery>) {
    return planDiscovery({ ...QUERY, ...more }, sample).plan;
  }
});

const QUERY: DiscoveryQuery = { mode: 'contains', suffixes: [], minWayback: 0, limit: 10 };

function nameAt(place: number): KnownName {
  const kind = place % 1000 === 0 ? 'winery' : place % 10 === 0 ? 'cafe' : 'shop';
  const highest = place % 20 === 7 ? 500 : 20;
  return {
    name: `${kind}-name-${place}`,
    tld: place % 2000 === 10 ? 'asn.au' : 'com.au',
    wayback: place % 2 === 0 ? 0 : highest,
    firstSeen: place % 5000 === 1 ? '2026-12-05' : '2026-11-01',
  };
}
