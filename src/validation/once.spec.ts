import { once } from './once.js';

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
