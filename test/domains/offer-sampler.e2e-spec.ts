import { OfferSampler, type Random } from '../../src/domains/truth/truth-sample.repository.js';
import type { AgeGroup } from '../../src/domains/truth/truth-windows.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { addDomains, type DomainSeed, VOUCHED_AT } from '../support/domains.js';

/** The same lots on every run (mulberry32). */
function seeded(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

describe('drawing offers by lot', () => {
  let test: TestDatabase;
  let sampler: OfferSampler;
  beforeEach(async () => {
    test = await createTestDatabase();
    sampler = new OfferSampler(test.database);
  });
  afterEach(() => test.close());

  const add = (count: number, seed: Partial<DomainSeed> & { prefix: string }) => {
    const { prefix, ...rest } = seed;
    return addDomains(
      test.database,
      Array.from({ length: count }, (_, place) => ({
        domain: `${prefix}-${place}.com.au`,
        wayback: place,
        first_seen: null,
        available: true,
        hidden: false,
        ...rest,
      })),
    );
  };
  const draw = async (times: number, one: (random: Random) => Promise<{ domain: string } | null>) => {
    const random = seeded(7);
    const counts = new Map<string, number>();
    for (let turn = 0; turn < times; turn += 1) {
      const domain = (await one(random))?.domain ?? 'none';
      counts.set(domain, (counts.get(domain) ?? 0) + 1);
    }
    return counts;
  };

  it('draws nothing where nothing is offered', async () => {
    expect(await sampler.drawFromAll(seeded(1))).toBeNull();
    expect(await sampler.drawFromTop(100, seeded(1))).toBeNull();
    await add(3, { prefix: 'taken', available: false });
    expect(await sampler.drawFromAll(seeded(1))).toBeNull();
  });

  it('draws every offer as often as the other, wherever its row lies, and nothing else', async () => {
    // Pages that are full, pages with gaps, and rows that have moved within and out of theirs.
    await add(150, { prefix: 'gone' });
    await add(20, { prefix: 'offer' });
    await add(40, { prefix: 'hidden', hidden: true });
    await add(40, { prefix: 'taken', available: false });
    await test.database.query(`DELETE FROM domain WHERE domain LIKE 'gone-%'`);
    await test.database.query(`UPDATE domain SET checked_at = checked_at WHERE domain LIKE 'offer-1%'`);
    await test.database.query(
      `UPDATE domain SET wayback = wayback + 1, archive_status = 'ok' WHERE domain LIKE 'offer-2%'`,
    );
    const times = 400;
    const counts = await draw(times, (random) => sampler.drawFromAll(random));
    expect([...counts.keys()].every((domain) => domain.startsWith('offer-'))).toBe(true);
    expect(counts.size).toBe(20);
    const expected = times / 20;
    const chiSquare = [...counts.values()].reduce(
      (sum, count) => sum + (count - expected) ** 2 / expected,
      0,
    );
    // 19 degrees of freedom: beyond 43.8 once in a thousand.
    expect(chiSquare).toBeLessThan(43.8);
  });

  it('finds the one offer among many names that are none', async () => {
    await add(2_000, { prefix: 'taken', available: false });
    await add(1, { prefix: 'offer' });
    expect(await draw(2, (random) => sampler.drawFromAll(random))).toEqual(new Map([['offer-0.com.au', 2]]));
  });

  it('draws from the first ranks, across the suffixes', async () => {
    await add(50, { prefix: 'offer' });
    await addDomains(test.database, [
      { domain: 'best.org.au', wayback: 9_000, first_seen: null, available: true, hidden: false },
      { domain: 'better.au', wayback: 20_000, first_seen: null, available: true, hidden: true },
    ]);
    const counts = await draw(90, (random) => sampler.drawFromTop(3, random));
    expect([...counts.keys()].sort()).toEqual(['best.org.au', 'offer-48.com.au', 'offer-49.com.au']);
    expect(Math.min(...counts.values())).toBeGreaterThan(15);
  });

  it('draws from those that there are where they are fewer than the ranks', async () => {
    await add(2, { prefix: 'offer' });
    expect((await draw(40, (random) => sampler.drawFromTop(10_000, random))).size).toBe(2);
  });

  const DAY = { from: 0, to: 1 } as const;
  const now = new Date('2026-11-20T05:00:00Z');
  const droppedAt = (at: string, like: string) =>
    test.database.query('UPDATE domain SET dropped_at = $1 WHERE domain LIKE $2', [at, like]);

  it('draws from the offers of an age', async () => {
    await add(30, { prefix: 'offer' });
    await add(5, { prefix: 'taken', available: false });
    await droppedAt('2026-11-01T00:00:00Z', '%');
    await droppedAt('2026-11-20T03:00:00Z', '%-1.com.au');
    await droppedAt('2026-11-19T05:00:00Z', '%-2.com.au');
    await droppedAt('2026-11-18T03:00:00Z', '%-3.com.au');
    const of = (group: AgeGroup) => draw(20, (random) => sampler.drawFromAge(group, now, random));
    expect([...(await of(DAY)).keys()]).toEqual(['offer-1.com.au']);
    expect([...(await of({ from: 1, to: 7 })).keys()].sort()).toEqual(['offer-2.com.au', 'offer-3.com.au']);
    expect((await of({ from: 7, to: 30 })).size).toBeGreaterThan(10);
    expect(await of({ from: 365, to: null })).toEqual(new Map([['none', 20]]));
  });

  it('finds the one offer of the day among many others', async () => {
    await add(3_000, { prefix: 'offer', first_seen: '2026-10-01' });
    await add(1, { prefix: 'young', first_seen: '2026-11-20' });
    await droppedAt('2026-10-01T00:00:00Z', '%');
    await droppedAt('2026-11-20T03:00:00Z', 'young-%');
    expect(await draw(2, (random) => sampler.drawFromAge(DAY, now, random))).toEqual(
      new Map([['young-0.com.au', 2]]),
    );
  });

  it('says what was known of the offer', async () => {
    await add(1, { prefix: 'offer', wayback: 12 });
    expect(await sampler.drawFromAll(seeded(3))).toMatchObject({
      domain: 'offer-0.com.au',
      wayback: 12,
      offeredSince: VOUCHED_AT,
    });
    expect(await sampler.find('offer-0.com.au')).toMatchObject({ wayback: 12 });
    expect(await sampler.find('other.com.au')).toBeNull();
  });
});
