import { SCORE_BANDS } from '../schema/filters/score-bands.js';
import {
  AGE_BUCKET_STARTS,
  ageBucketOf,
  bandOf,
  cellOf,
  endOfBucket,
  RATE_CELLS,
  posteriorInterval,
  posteriorRate,
  posteriorTable,
  priorRate,
  priorTable,
} from './rate-table.js';

describe('the cells', () => {
  it('are buckets of age, each as long as a third or half of its beginning', () => {
    expect([-1, 0, 0.99, 1, 2, 3.9, 4, 5.9, 6, 1_023, 1_024, 9_999].map(ageBucketOf)).toEqual([
      0, 0, 0, 1, 2, 3, 4, 4, 5, 19, 20, 20,
    ]);
    expect(AGE_BUCKET_STARTS.map((_, bucket) => endOfBucket(bucket))).toEqual([
      ...AGE_BUCKET_STARTS.slice(1),
      Infinity,
    ]);
  });

  it('have the bands of discovery', () => {
    expect([0, 1, 9, 10, 99, 100, 999, 1_000, 9_999, 10_000, 2_000_000].map(bandOf)).toEqual([
      5, 4, 4, 3, 3, 2, 2, 1, 1, 0, 0,
    ]);
  });

  it('are each a number of their own', () => {
    const cells = SCORE_BANDS.flatMap((_, band) =>
      AGE_BUCKET_STARTS.map((__, bucket) => cellOf(bucket, band)),
    );
    expect(new Set(cells).size).toBe(RATE_CELLS);
    expect(Math.max(...cells)).toBe(RATE_CELLS - 1);
  });
});

describe('the prior', () => {
  it('says that 1 to 3 % of the drops in the middle of the ranking are taken on their first day', () => {
    expect(priorRate(0, bandOf(50))).toBeGreaterThan(0.01);
    expect(priorRate(0, bandOf(50))).toBeLessThan(0.03);
  });

  it('falls with the age and rises with the score', () => {
    const table = priorTable();
    for (const band of SCORE_BANDS.keys()) {
      for (const bucket of AGE_BUCKET_STARTS.keys()) {
        const rate = table[cellOf(bucket, band)] ?? 0;
        expect(rate).toBeGreaterThan(0);
        if (bucket > 0) expect(rate).toBeLessThan(table[cellOf(bucket - 1, band)] ?? 0);
        if (band > 0) expect(rate).toBeLessThan(table[cellOf(bucket, band - 1)] ?? 0);
      }
    }
  });
});

describe('the posterior', () => {
  it('is the prior while nothing was observed', () => {
    expect(posteriorRate(0.003, { exposureDays: 0, taken: 0 })).toBeCloseTo(0.003, 12);
  });

  it('is what was observed once that is much', () => {
    expect(posteriorRate(0.0001, { exposureDays: 1_000_000, taken: 10_000 })).toBeCloseTo(0.0098, 4);
    expect(posteriorRate(0.1, { exposureDays: 100_000, taken: 10 })).toBeCloseTo(0.00012, 5);
  });

  it.each([
    // Of chi-square tables: 4 and 24 degrees of freedom, halved.
    [0, 0.2422, 5.572],
    [10, 6.2, 19.68],
  ])('lies with 95 %% in an interval, after %d takings', (taken, low, high) => {
    // A prior and an exposure that come to one day.
    const interval = posteriorInterval(4, { exposureDays: 0.5, taken });
    expect(Math.abs(interval.low / low - 1)).toBeLessThan(0.08);
    expect(Math.abs(interval.high / high - 1)).toBeLessThan(0.01);
  });

  it('is never 0, so that a name of that cell is asked again one day', () => {
    expect(posteriorRate(0.01, { exposureDays: 1e7, taken: 0 })).toBeGreaterThan(0);
  });

  it('is taken cell by cell', () => {
    const exposureDays = new Float64Array(RATE_CELLS);
    exposureDays[7] = 1_000;
    const table = posteriorTable(priorTable(), exposureDays, new Float64Array(RATE_CELLS));
    expect(table[7]).toBeLessThan(priorTable()[7] ?? 0);
    expect(table[8]).toBeCloseTo(priorTable()[8] ?? 0, 12);
  });
});
