import { truthOf } from './figures.js';

describe('truthOf', () => {
  it('says nothing where nothing was sampled', () => {
    const nothing = { sampled: 0, taken: 0, unknown: 0, share: null, low: null, high: null };
    const { offers, by_band, by_rank } = truthOf([], 30, [], []);
    expect(offers).toEqual(nothing);
    expect(by_band.map(({ score_from, score_to }) => [score_from, score_to])).toEqual([
      [10_000, null],
      [1_000, 9_999],
      [100, 999],
      [10, 99],
      [1, 9],
      [0, 0],
    ]);
    expect(by_rank).toEqual([100, 1_000, 10_000].map((top) => ({ top, ...nothing })));
  });

  it('counts the samples of the first ranks apart, and unknown ones in no share', () => {
    const { offers, by_band, by_rank } = truthOf(
      [
        { stratum: 'all', scoreFrom: 0, outcome: 'free', count: 90 },
        { stratum: 'all', scoreFrom: 100, outcome: 'free', count: 8 },
        { stratum: 'all', scoreFrom: 100, outcome: 'taken', count: 2 },
        { stratum: 'all', scoreFrom: 100, outcome: 'unknown', count: 5 },
        { stratum: 'top_100', scoreFrom: 10_000, outcome: 'taken', count: 1 },
      ],
      30,
      [],
      [],
    );
    expect(offers).toMatchObject({ sampled: 100, taken: 2, unknown: 5, share: 0.02 });
    expect(offers.low).toBeCloseTo(0.0055, 4);
    expect(offers.high).toBeCloseTo(0.07, 4);
    expect(by_band[2]).toMatchObject({ score_from: 100, sampled: 10, taken: 2, unknown: 5, share: 0.2 });
    expect(by_band[0]).toMatchObject({ sampled: 0, share: null });
    expect(by_rank[0]).toMatchObject({ top: 100, sampled: 1, taken: 1, share: 1 });
  });
});
