import { HashingSemaphore } from './attempt-limit.js';

/** Work that the test ends. */
function held(): { work: () => Promise<string>; end: () => void; isBegun: () => boolean } {
  let end: () => void = () => undefined;
  let isBegun = false;
  const ended = new Promise<string>((resolve) => (end = () => resolve('done')));
  return { work: () => ((isBegun = true), ended), end: () => end(), isBegun: () => isBegun };
}

/** Until everybody who has a turn has taken it. */
const turns = () => new Promise((resolve) => setImmediate(resolve));

describe('HashingSemaphore', () => {
  it('runs two at a time and the others in order, and rejects with a full queue', async () => {
    const hashing = new HashingSemaphore('on', 2, 3);
    const works = Array.from({ length: 5 }, held);
    const results = works.map(({ work }) => hashing.run(work));
    await turns();
    expect(works.map(({ isBegun }) => isBegun())).toEqual([true, true, false, false, false]);
    await expect(hashing.run(held().work)).rejects.toMatchObject({
      status: 503,
      headers: { 'Retry-After': '2' },
    });
    works[1]?.end();
    await results[1];
    await turns();
    expect(works.map(({ isBegun }) => isBegun())).toEqual([true, true, true, false, false]);
    for (const { end } of works) end();
    expect(await Promise.all(results)).toEqual(Array(5).fill('done'));
    expect(await hashing.run(() => Promise.resolve('free again'))).toBe('free again');
  });

  it('releases the slot of work that fails', async () => {
    const hashing = new HashingSemaphore('on', 1, 0);
    await expect(hashing.run(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await hashing.run(() => Promise.resolve('done'))).toBe('done');
  });

  describe('beside strangers', () => {
    const stranger = (place: number) => ({ address: `2001:db8:${place.toString(16)}::1`, isKnown: false });
    const owner = { address: '203.0.113.7', isKnown: true };

    it('lets the owner go next, also where strangers of 200 networks fill every place', async () => {
      const hashing = new HashingSemaphore('on', 2, 8);
      const strangers = Array.from({ length: 200 }, (_, place) => {
        const one = held();
        const result = hashing.for(stranger(place), () => hashing.run(one.work)).catch(() => 'refused');
        return { ...one, result };
      });
      const own = held();
      const signedIn = hashing.for(owner, () => hashing.run(own.work));
      strangers[0]?.end();
      await strangers[0]?.result;
      await turns();
      expect(own.isBegun()).toBe(true);
      own.end();
      expect(await signedIn).toBe('done');
      for (const { end } of strangers) end();
      const results = await Promise.all(strangers.map(({ result }) => result));
      // The last stranger in the queue gave way.
      expect(results.filter((result) => result === 'done')).toHaveLength(9);
    });

    /** Hashes of strangers from these addresses. @returns how many are refused at once */
    const refusedOf = async (hashing: HashingSemaphore, addresses: readonly string[]) => {
      let refused = 0;
      for (const address of addresses)
        void hashing
          .for({ address, isKnown: false }, () => hashing.run(held().work))
          .catch(() => (refused += 1));
      await turns();
      return refused;
    };
    const five = Array<string>(5).fill('198.51.100.7');

    it('gives an address two places while others wait, a /56 eight and a /48 thirty-two', async () => {
      const hashing = new HashingSemaphore('on', 0, 1_000);
      expect(await refusedOf(hashing, ['192.0.2.1'])).toBe(0);
      expect(await refusedOf(hashing, five)).toBe(3);
      expect(await refusedOf(hashing, ['198.51.100.7:5678'])).toBe(1);
      const wide = Array.from({ length: 100 }, (_, place) => `2001:db8:7:${place.toString(16)}::1`);
      expect(await refusedOf(hashing, wide)).toBe(92);
      const wider = Array.from(
        { length: 100 },
        (_, place) => `2001:db8:7:${(place * 256 + 256).toString(16)}::1`,
      );
      expect(await refusedOf(hashing, wider)).toBe(100 - (32 - 8));
    });

    it('takes places back', async () => {
      const hashing = new HashingSemaphore('on', 3, 8);
      const works = [held(), held()];
      const address = '198.51.100.7';
      const results = works.map(({ work }) =>
        hashing.for({ address, isKnown: false }, () => hashing.run(work)),
      );
      expect(await refusedOf(hashing, ['192.0.2.1', '192.0.2.2', address])).toBe(1);
      for (const { end } of works) end();
      await Promise.all(results);
      expect(await refusedOf(hashing, [address])).toBe(0);
    });

    it('lets an office sign in together while nobody else waits, up to half of the queue', async () => {
      const hashing = new HashingSemaphore('on', 2, 8);
      expect(await refusedOf(hashing, five)).toBe(0);
      expect(await refusedOf(hashing, five)).toBe(4);
      expect(await refusedOf(hashing, ['203.0.113.9'])).toBe(0);
    });

    it.each(['off', 'observe'] as const)(
      'refuses nobody for a network with NETWORK_LIMITS=%s',
      async (mode) => {
        const hashing = new HashingSemaphore(mode, 0, 8);
        expect(await refusedOf(hashing, ['192.0.2.1', ...five])).toBe(0);
      },
    );
  });
});
