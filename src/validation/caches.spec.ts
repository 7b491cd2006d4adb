import { BoundedMap, once, onceDone } from './caches.js';

describe('once', () => {
  it('works when it is first asked, and gives the same again', () => {
    const asked: number[] = [];
    const value = once(() => ({ number: asked.push(0) }));
    expect(asked).toEqual([]);
    const first = value();
    expect(value()).toBe(first);
    expect(asked).toEqual([0]);
  });

  it('tries again what failed', () => {
    let tries = 0;
    const value = once(() => {
      tries += 1;
      if (tries === 1) throw new Error('not yet');
      return 'there';
    });
    expect(value).toThrow('not yet');
    expect(value()).toBe('there');
  });
});

describe('once done', () => {
  it('works once for all who ask, and tries again what failed', async () => {
    let tries = 0;
    const value = onceDone(async () => {
      tries += 1;
      if (tries === 1) throw new Error('not yet');
      return { tries };
    });
    const first = await Promise.allSettled([value(), value()]);
    expect(first.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    const [one, other] = await Promise.all([value(), value()]);
    expect(one).toEqual({ tries: 2 });
    expect(other).toBe(one);
  });
});

const numbers = (count: number) => Array.from({ length: count }, (_, place) => place);

describe('BoundedMap', () => {
  it('forgets what was set longest ago when it is full', () => {
    const map = new BoundedMap<number, string>(3);
    for (const number of numbers(5)) map.set(number, `the ${number}.`);
    expect([...map]).toEqual([
      [2, 'the 2.'],
      [3, 'the 3.'],
      [4, 'the 4.'],
    ]);
    map.set(2, 'set anew').set(5, 'one more');
    expect([...map.keys()]).toEqual([4, 2, 5]);
  });

  it('keeps what is there when one of its own is set anew', () => {
    const map = new BoundedMap<number, number>(2).set(1, 1).set(2, 2).set(1, 3);
    expect([...map]).toEqual([
      [2, 2],
      [1, 3],
    ]);
  });

  it('has never more than there is room for, however many come', () => {
    const map = new BoundedMap<number, number>(10_000);
    for (const number of numbers(100_000)) map.set(number, number);
    expect([map.size, map.has(89_999), map.has(90_000)]).toEqual([10_000, false, true]);
  });
});
