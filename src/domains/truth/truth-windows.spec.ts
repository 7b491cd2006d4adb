import {
  agesByNeed,
  chanceOfDifference,
  compare,
  compareLastDay,
  measureWindow,
  type PeriodCount,
} from './truth-windows.js';

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

  it('counts offers of an age that were drawn on their own in the share of that age alone', () => {
    const own = counts(0, { free: 45, taken: 5 }).map((one) => ({ ...one, stratum: 'age' as const }));
    const { offers, byAge } = measureWindow([...counts(0, { free: 100 }), ...own], 24);
    expect(offers).toMatchObject({ sampled: 100, taken: 0 });
    expect(byAge[1]).toMatchObject({ from: 1, sampled: 150, taken: 5, share: expect.closeTo(1 / 30, 10) });
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

const ONE_PERCENT = { sampled: 21_000, taken: 210 };

describe('chanceOfDifference', () => {
  it.each([
    // Fisher's tea: 1 and 16 of 70 cups.
    [{ sampled: 4, taken: 4 }, { sampled: 4, taken: 0 }, 2 / 70],
    [{ sampled: 4, taken: 3 }, { sampled: 4, taken: 1 }, (2 * 17) / 70],
    [{ sampled: 4, taken: 2 }, { sampled: 4, taken: 2 }, 1],
    [{ sampled: 700, taken: 0 }, { sampled: 21_000, taken: 0 }, 1],
  ])('of %j beside %j is exact', (day, before, chance) => {
    expect(chanceOfDifference([{ day, before }])).toBeCloseTo(chance, 12);
    expect(chanceOfDifference([{ day: before, before: day }])).toBeCloseTo(chance, 12);
  });

  it('of two strata is that of their sum, each compared with itself', () => {
    const tea = { day: { sampled: 4, taken: 4 }, before: { sampled: 4, taken: 0 } };
    expect(chanceOfDifference([tea, tea])).toBeCloseTo((2 * 1) / 70 ** 2, 14);
    // A stratum with a larger share, of which more were drawn, is no rise.
    const small = { day: { sampled: 500, taken: 5 }, before: { sampled: 20_000, taken: 200 } };
    const large = { day: { sampled: 500, taken: 50 }, before: { sampled: 1_000, taken: 100 } };
    expect(chanceOfDifference([small, large])).toBeGreaterThan(0.5);
    expect(chanceOfDifference([small, { day: { sampled: 0, taken: 0 }, before: ONE_PERCENT }])).toBeCloseTo(
      chanceOfDifference([small]),
      12,
    );
  });

  it('is 0 and no overflow where all are taken at once', () => {
    const [day, before] = [
      { sampled: 20_000, taken: 20_000 },
      { sampled: 60_000, taken: 0 },
    ];
    expect(chanceOfDifference([{ day, before }])).toBe(0);
  });
});

describe('compare', () => {
  it.each([
    [35, 'rise'],
    [8, 'none'],
    [0, 'none'],
  ])('calls %d of 700 beside 1 %% before: %s', (taken, change) => {
    expect(compare([{ day: { sampled: 700, taken }, before: ONE_PERCENT }])).toMatchObject({ change });
  });

  it('calls it a fall where far fewer are taken', () => {
    const before = { sampled: 21_000, taken: 1_050 };
    expect(compare([{ day: { sampled: 700, taken: 5 }, before }]).change).toBe('fall');
  });

  it('finds in several strata what none of them shows alone', () => {
    const stratum = { day: { sampled: 250, taken: 9 }, before: { sampled: 7_500, taken: 75 } };
    expect(compare([stratum]).change).toBe('none');
    expect(compare([stratum, stratum, stratum])).toMatchObject({
      change: 'rise',
      day: { sampled: 750, taken: 27 },
    });
  });
});

describe('compareLastDay', () => {
  const of = (stratum: PeriodCount['stratum'], period: number, taken: number): PeriodCount[] =>
    counts(period, { free: 100 - taken, taken }).map((one) => ({ ...one, stratum }));

  it('compares the first shown by their own sample, and all offers by all others', () => {
    const all = [
      ...of('all', 0, 3),
      ...of('age', 1, 4),
      ...of('top_100', 2, 5),
      ...of('all', 4, 1),
      ...of('age', 123, 1),
      ...of('all', 124, 50),
    ];
    expect(compareLastDay(all, 'offers')).toMatchObject({
      day: { sampled: 200, taken: 7 },
      before: { sampled: 200, taken: 2 },
    });
    expect(compareLastDay(all, 'first_100')).toMatchObject({ day: { taken: 5 }, change: 'too_few' });
  });
});

describe('agesByNeed', () => {
  it('names the age first that the last day sampled the least', () => {
    const of = (ageFrom: number, count: number, period = 0): PeriodCount => ({
      ...{ stratum: 'all', period, ageFrom, outcome: 'free', count },
    });
    const counts = [of(0, 20), of(1, 30), of(7, 40), of(30, 300), of(365, 3), of(365, 90, 4)];
    expect(agesByNeed(counts, 10_000).map(({ from }) => from)).toEqual([365, 0, 1, 7, 30]);
    // Of 1,000 offers about 190 are that old; of 300, 57 in the old group and 12 in the youngest.
    expect(agesByNeed(counts, 300).map(({ from }) => from)).toEqual([365]);
    expect(agesByNeed([], 1_000)).toEqual([]);
  });
});
