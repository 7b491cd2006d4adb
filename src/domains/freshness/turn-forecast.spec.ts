import { type ForecastTerms, type QueueLengths, secondsUntilEmpty } from './turn-forecast.js';

const NONE: QueueLengths = { drops: 0, repeat: 0, retry: 0, recheck: 0, backlog: 0 };
const HOUR = 3_600;

const forecast = (lengths: Partial<QueueLengths>, more: Partial<ForecastTerms> = {}) =>
  secondsUntilEmpty({
    ...{ lengths: { ...NONE, ...lengths }, perSecond: 0.5, sinceDropSeconds: 0, dropsPerDay: 2_000 },
    ...more,
  });

describe('when a queue is expected to be empty', () => {
  it('is at once where none waits', () => {
    expect(forecast({})).toEqual(NONE);
  });

  it("leaves the day's drops all turns but a few for repeats and retries", () => {
    expect((forecast({ drops: 2_000 }).drops ?? 0) / 60).toBeCloseTo(70.103, 2);
    expect((forecast({ drops: 2_000 }, { perSecond: 0.35 }).drops ?? 0) / 60).toBeCloseTo(100.147, 2);
  });

  it('is later where drops of half a day leave the others their shares', () => {
    const drops = 1_000;
    const early = forecast({ drops }).drops ?? 0;
    const late = forecast({ drops }, { sinceDropSeconds: 12 * HOUR }).drops ?? 0;
    expect(late).toBeCloseTo((early * 0.97) / 0.75, 6);
    expect(forecast({ drops, backlog: 1 }, { sinceDropSeconds: 13 * HOUR }).drops).toBeCloseTo(
      (early * 0.97) / 0.65,
      6,
    );
    // The first of them are done within the half day.
    const across = forecast({ drops: 1_000 }, { sinceDropSeconds: 12 * HOUR - 600 }).drops ?? 0;
    expect(across).toBeGreaterThan(early);
    expect(across).toBeLessThan(late);
  });

  it("gives a backlog half of what each day's drops leave", () => {
    expect((forecast({ backlog: 100_000 }).backlog ?? 0) / (24 * HOUR)).toBeCloseTo(4.86, 2);
    expect(forecast({ backlog: 100_000 }, { dropsPerDay: 43_000 }).backlog).toBeNull();
  });

  it('lets a small backlog and re-checks wait for the end of the drops', () => {
    const { drops, backlog, recheck } = forecast({ drops: 2_000, backlog: 10, recheck: 3 });
    expect((backlog ?? 0) - (drops ?? 0)).toBeCloseTo(40, 6);
    expect((recheck ?? 0) - (drops ?? 0)).toBeCloseTo(120, 6);
    expect(forecast({ recheck: 3 }).recheck).toBeCloseTo(20, 6);
  });

  it('gives retries a tenth, and repeats little until the drops are done', () => {
    expect(forecast({ retry: 6 }).retry).toBeCloseTo(120, 6);
    expect(forecast({ repeat: 7 }).repeat).toBeCloseTo(20, 6);
    const { drops, repeat } = forecast({ drops: 970, repeat: 65.6 });
    expect(drops).toBeCloseTo(2_040, 6);
    expect(repeat).toBeCloseTo(2_040 + 100, 6);
    expect(forecast({ drops: 970, repeat: 3 }).repeat).toBeCloseTo(200, 6);
  });
});
