import { once, onceDone } from './caches.js';

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
