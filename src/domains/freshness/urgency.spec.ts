import { ageBucketOf, bandOf, cellOf, RATE_CELLS, priorTable, type RateTable } from './rate-table.js';
import { SHOW_WEIGHTS, showWeight, daysUntilAsked, MAX_DAYS_UNASKED, urgency } from './urgency.js';

const LOWEST = bandOf(0);
const sameEverywhere = (rate: number): RateTable => new Float64Array(RATE_CELLS).fill(rate);
const closedForm = (rate: number, days: number) => 1 / rate - (days + 1 / rate) * Math.exp(-rate * days);

describe('urgency', () => {
  it.each([
    [0.5, 0, 3],
    [0.02, 0, 10],
    [0.02, 5.5, 100],
    [0.001, 200, 700],
  ])('is U(t) where all cells have one rate: %d a day, age %d, %d days', (rate, age, days) => {
    expect(urgency(sameEverywhere(rate), LOWEST, age, days)).toBeCloseTo(closedForm(rate, days), 8);
  });

  it('keeps its digits at rates so small that the closed form has lost them', () => {
    const [rate, days] = [1e-9, 2];
    expect(urgency(sameEverywhere(rate), LOWEST, 40, days) / ((rate * days * days) / 2)).toBeCloseTo(1, 6);
  });

  it('is the sum of s times the chance to be taken at s, over rates that change with the age', () => {
    const rates = priorTable();
    const [age, days, steps] = [1.5, 12, 200_000];
    let sum = 0;
    let survival = 1;
    for (let step = 0; step < steps; step += 1) {
      const at = ((step + 0.5) * days) / steps;
      const rate = rates[cellOf(ageBucketOf(age + at), LOWEST)] ?? 0;
      sum += (at * survival * rate * days) / steps;
      survival *= Math.exp((-rate * days) / steps);
    }
    expect(urgency(rates, LOWEST, age, days)).toBeCloseTo(sum, 6);
  });

  it('never falls while a name grows older', () => {
    for (const band of SHOW_WEIGHTS.keys()) {
      let before = 0;
      for (let days = 0.1; days < 600; days *= 1.3) {
        const now = urgency(priorTable(), band, 3, days);
        expect(now).toBeGreaterThan(before);
        before = now;
      }
    }
  });

  it('counts a name as often as it is shown', () => {
    const rates = sameEverywhere(0.01);
    expect(urgency(rates, 0, 2, 9) / urgency(rates, LOWEST, 2, 9)).toBeCloseTo(600);
    expect(SHOW_WEIGHTS).toEqual([600, 150, 40, 10, 3, 1]);
    expect(showWeight(LOWEST)).toBe(1);
  });
});

describe('daysUntilAsked', () => {
  it('is when the urgency reaches the threshold', () => {
    for (const band of SHOW_WEIGHTS.keys()) {
      for (const age of [0, 0.3, 7.9, 31, 400, 3_000]) {
        for (const threshold of [1e-4, 0.01, 0.5]) {
          const days = daysUntilAsked(priorTable(), band, age, threshold);
          if (days === MAX_DAYS_UNASKED) continue;
          const second = 1 / 86_400;
          expect(urgency(priorTable(), band, age, days)).toBeGreaterThanOrEqual(threshold * (1 - 1e-9));
          expect(urgency(priorTable(), band, age, days - 3 * second)).toBeLessThan(threshold);
        }
      }
    }
  });

  it('is sooner for the younger, the better and the lower threshold', () => {
    const days = (band: number, age: number, threshold: number) =>
      daysUntilAsked(priorTable(), band, age, threshold);
    expect(days(2, 1, 0.01)).toBeLessThan(days(2, 30, 0.01));
    expect(days(1, 30, 0.01)).toBeLessThan(days(2, 30, 0.01));
    expect(days(2, 30, 0.005)).toBeLessThan(days(2, 30, 0.01));
  });

  it('ends where no question would ever be worth the threshold', () => {
    expect(daysUntilAsked(priorTable(), LOWEST, 0, 1e9)).toBe(MAX_DAYS_UNASKED);
  });

  it('takes a name that was answered before its drop for a new one', () => {
    expect(daysUntilAsked(priorTable(), 3, -2, 0.01)).toBe(daysUntilAsked(priorTable(), 3, 0, 0.01));
  });
});
