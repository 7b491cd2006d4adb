import { BoundedMap } from './bounded-map.js';

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
