import { chanceOfDifference, compare, measureWindow, type PeriodCount } from './truth-windows.js';

const counts = (
  period: number,
  { free = 0, taken = 0, unknown = 0 }: { free?: number; taken?: number; unknown?: number },
): PeriodCount[] =>
  Object.entries({ free, taken, unknown }).map(([outcome, count]) => ({
    ...{ stratum: 'all' as const, period, ageFrom: 1, count },
    outcome: outcome as PeriodCount['outcome'],
  }));

describe('measureWindow', () => {
  it('lets each six hours weigh the same, however many samples they have', () => {
    const { offers, sampledHours } = measureWindow(
      [...counts(0, { free: 180, taken: 20 }), ...counts(1, { free: 100 })],
      24,
    );
    expect(offers).toMatchObject({ sampled: 300, taken: 20, share: expect.closeTo(0.05, 10) });
    expect(sampledHours).toBe(12);
  });

  it('tells what is true now, and the mean of a month beside it', () => {
    const weeks = Array.from({ length: 120 }, (_, period) =>
      counts(period, period < 28 ? { free: 198, taken: 2 } : { free: 193, taken: 7 }),
    ).flat();
    const [day, week, month] = [24, 168, 720].map((hours) => measureWindow(weeks, hours).offers.share);
    expect([day, week]).toEqual([expect.closeTo(0.01, 10), expect.closeTo(0.01, 10)]);
    expect(month).toBeCloseTo((28 * 0.01 + 92 * 0.035) / 120, 10);
  });

  it('lets one answer not speak for six hours', () => {
    const { offers } = measureWindow([...counts(0, { taken: 1 }), ...counts(1, { free: 199 })], 24);
    expect(offers.share).toBeCloseTo(1 / 25 / (1 / 25 + 1), 10);
  });

  it('is less sure where the weights differ', () => {
    const even = measureWindow(
      [0, 1, 2, 3].flatMap((period) => counts(period, { free: 97, taken: 3 })),
      24,
    );
    const uneven = measureWindow(
      [
        ...counts(0, { free: 291, taken: 9 }),
        ...[1, 2, 3].flatMap((period) => counts(period, { free: 32, taken: 1 })),
      ],
      24,
    );
    const widthOf = ({ low, high }: { low: number | null; high: number | null }) => (high ?? 0) - (low ?? 0);
    expect(uneven.offers.sampled).toBeGreaterThanOrEqual(even.offers.sampled - 1);
    expect(widthOf(uneven.offers)).toBeGreaterThan(1.2 * widthOf(even.offers));
  });

  it('counts nothing that is older than the window, and unknown answers in no share', () => {
    const { offers } = measureWindow(
      [...counts(3, { free: 60, unknown: 500 }), ...counts(4, { taken: 100 })],
      24,
    );
    expect(offers).toMatchObject({ sampled: 60, taken: 0, unknown: 500, share: 0, low: 0 });
  });

  it('tells no share of fewer than fifty', () => {
    const { offers } = measureWindow(counts(0, { free: 49 }), 24);
    expect(offers).toMatchObject({ sampled: 49, share: null, low: 0 });
    expect(measureWindow(counts(0, { free: 50 }), 24).offers.share).toBe(0);
    expect(measureWindow([], 24)).toMatchObject({ sampledHours: 0, offers: { share: null, high: null } });
  });
});

describe('chanceOfDifference', () => {
  it.each([
    // Fisher's tea: 1 and 16 of 70 cups.
    [{ sampled: 4, taken: 4 }, { sampled: 4, taken: 0 }, 2 / 70],
    [{ sampled: 4, taken: 3 }, { sampled: 4, taken: 1 }, (2 * 17) / 70],
    [{ sampled: 4, taken: 2 }, { sampled: 4, taken: 2 }, 1],
    [{ sampled: 700, taken: 0 }, { sampled: 21_000, taken: 0 }, 1],
  ])('of %j beside %j is exact', (one, other, chance) => {
    expect(chanceOfDifference(one, other)).toBeCloseTo(chance, 12);
    expect(chanceOfDifference(other, one)).toBeCloseTo(chance, 12);
  });

  it('is 0 and no overflow where all are taken at once', () => {
    expect(chanceOfDifference({ sampled: 20_000, taken: 20_000 }, { sampled: 60_000, taken: 0 })).toBe(0);
  });
});

describe('compare', () => {
  it.each([
    [35, 'rise'],
    [8, 'none'],
    [0, 'none'],
  ])('calls %d of 700 beside 1 %% before: %s', (taken, change) => {
    const before = { sampled: 21_000, taken: 210 };
    expect(compare({ sampled: 700, taken }, before)).toMatchObject({ change });
  });

  it('calls it a fall where far fewer are taken', () => {
    expect(compare({ sampled: 700, taken: 5 }, { sampled: 21_000, taken: 1_050 }).change).toBe('fall');
  });
});
