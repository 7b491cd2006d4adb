import { evidenceOf } from './evidence.js';
import { ageBucketOf, cellOf, RATE_CELLS, posteriorTable, priorTable } from './rate-table.js';

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
