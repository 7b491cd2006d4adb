import { HashingSemaphore } from './attempt-limit.js';

/** Work that the test ends. */
function held(): { work: () => Promise<string>; end: () => void; isBegun: () => boolean } {
  let end: () => void = () => undefined;
  let isBegun = false;
  const ended = new Promise<string>((resolve) => (end = () => resolve('done')));
  return { work: () => ((isBegun = true), ended), end: () => end(), isBegun: () => isBegun };
}

describe('HashingSemaphore', () => {
  it('runs two at a time and the others in order, and rejects with a full queue', async () => {
    const hashing = new HashingSemaphore(2, 3);
    const works = Array.from({ length: 5 }, held);
    const results = works.map(({ work }) => hashing.run(work));
    await Promise.resolve();
    expect(works.map(({ isBegun }) => isBegun())).toEqual([true, true, false, false, false]);
    await expect(hashing.run(held().work)).rejects.toMatchObject({
      status: 503,
      headers: { 'Retry-After': '2' },
    });
    works[1]?.end();
    await results[1];
    expect(works.map(({ isBegun }) => isBegun())).toEqual([true, true, true, false, false]);
    for (const { end } of works) end();
    expect(await Promise.all(results)).toEqual(Array(5).fill('done'));
    expect(await hashing.run(() => Promise.resolve('free again'))).toBe('free again');
  });

  it('releases the slot of work that fails', async () => {
    const hashing = new HashingSemaphore(1, 0);
    await expect(hashing.run(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await hashing.run(() => Promise.resolve('done'))).toBe('done');
  });
});
