import { MemoryCounter } from './memory-counter.js';

describe('MemoryCounter', () => {
  const options = { keyPrefix: 'test', points: 1_000, duration: 60 };
  const countOf = async (counter: MemoryCounter, key: string) =>
    (await counter.get(key))?.consumedPoints ?? 0;

  it('counts as many keys as it has room for, and forgets the one that was counted longest ago', async () => {
    const counter = new MemoryCounter(options, 3);
    for (const key of ['a', 'b', 'c', 'a', 'd']) await counter.penalty(key, 1);
    expect(await Promise.all(['a', 'b', 'c', 'd'].map((key) => countOf(counter, key)))).toEqual([2, 0, 1, 1]);
  });

  it('holds no more than its bound, however many come', async () => {
    const counter = new MemoryCounter(options);
    for (let key = 0; key < 50_100; key += 1) await counter.penalty(`key ${key}`, 1);
    const { length } = counter.dump().storage;
    expect([length <= 50_000, length > 45_000]).toEqual([true, true]);
    expect([await countOf(counter, 'key 99'), await countOf(counter, 'key 5000')]).toEqual([0, 1]);
  });
});
