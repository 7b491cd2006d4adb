import { SCORE_BANDS } from '../schema/filters/score-bands.js';
import {
  AGE_BUCKET_STARTS,
  ageBucketOf,
  bandOf,
  cellOf,
  endOfBucket,
  evidenceOf,
  RATE_CELLS,
  posteriorInterval,
  posteriorRate,
  posteriorTable,
  priorRate,
  priorTable,
} from './rate-table.js';

describe('the cells', () => {
  it('are buckets of age, each as long as a third or half of its beginning', () => {
    expect([-1, 0, 0.99, 1, 2, 3.9, 4, 5.9, 6, 1_023, 1_024, 9_999].map((age) => ageBucketOf(age))).toEqual([
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

const BAND = 3;
const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);

describe('evidenceOf', () => {
  it('of a name that is still free is its days in each cell', () => {
    const shares = evidenceOf(priorTable(), BAND, 1.5, 4, false);
    expect(shares.map(({ cell }) => cell)).toEqual([1, 2, 3, 4].map((bucket) => cellOf(bucket, BAND)));
    expect(shares.map(({ exposureDays }) => exposureDays)).toEqual([0.5, 1, 1, 1.5]);
    expect(shares.map(({ taken }) => taken)).toEqual([0, 0, 0, 0]);
  });

  it('of a name that was taken is one taking, most of it where the rate is highest', () => {
    const shares = evidenceOf(priorTable(), BAND, 0, 100, true);
    expect(sum(shares.map(({ taken }) => taken))).toBeCloseTo(1, 10);
    expect(shares[0]?.taken).toBeGreaterThan(shares[9]?.taken ?? 1);
    expect(sum(shares.map(({ exposureDays }) => exposureDays))).toBeLessThan(50);
  });

  it('of a name that was taken within one cell leaves half of the days, when the rate is low', () => {
    const [share] = evidenceOf(priorTable(), BAND, 300, 10, true);
    expect(share?.exposureDays).toBeCloseTo(5, 1);
  });

  // Of a time that is exponentially distributed, and known to be less than so many days.
  it.each([1e-15, 1e-12, 1e-9, 1e-4, 0.02, 0.5])(
    'of a name that was taken at a rate of %d is shared out as that rate has it',
    (rate) => {
      const [ageDays, daysUnasked] = [1.5, 40];
      const table = new Float64Array(RATE_CELLS).fill(rate);
      const shares = evidenceOf(table, BAND, ageDays, daysUnasked, true);
      const ends = [...[2, 3, 4, 6, 8, 12, 16, 24, 32].map((age) => age - ageDays), daysUnasked];
      const chanceBy = (days: number) => -Math.expm1(-rate * days);
      const chances = ends.map((end, place) => chanceBy(end) - chanceBy(ends[place - 1] ?? 0));
      shares.forEach(({ taken }, place) =>
        expect(taken).toBeCloseTo((chances[place] ?? NaN) / chanceBy(daysUnasked), 6),
      );
      const mean =
        rate * daysUnasked < 1e-6 ? daysUnasked / 2 : 1 / rate - daysUnasked / Math.expm1(rate * daysUnasked);
      expect(sum(shares.map(({ exposureDays }) => exposureDays))).toBeCloseTo(mean, 3);
    },
  );

  it('of a name that was taken where none is ever taken is shared out evenly', () => {
    const shares = evidenceOf(new Float64Array(RATE_CELLS), BAND, 0, 4, true);
    expect(shares.map(({ taken }) => taken)).toEqual([0.25, 0.25, 0.25, 0.25]);
  });

  it('lets the rates be found out from answers, from a prior that is far off', () => {
    const [exposureDays, taken] = [new Float64Array(RATE_CELLS), new Float64Array(RATE_CELLS)];
    const prior = priorTable().map((rate) => rate * 5);
    const truth = 0.002;
    let rates = prior;
    // Ten thousand names of one age, asked again after 30 days, of which the true rate takes some.
    const found = Math.round(10_000 * -Math.expm1(-truth * 30));
    for (let round = 0; round < 20; round += 1) {
      exposureDays.fill(0);
      taken.fill(0);
      for (let name = 0; name < 10_000; name += 1) {
        for (const share of evidenceOf(rates, BAND, 130, 30, name < found)) {
          exposureDays[share.cell] = (exposureDays[share.cell] ?? 0) + share.exposureDays;
          taken[share.cell] = (taken[share.cell] ?? 0) + share.taken;
        }
      }
      rates = posteriorTable(prior, exposureDays, taken);
    }
    expect(rates[cellOf(ageBucketOf(130), BAND)]).toBeCloseTo(truth, 4);
  });
});
