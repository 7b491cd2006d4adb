import { TRUST_MS, VersionWatch } from './api-key-cache.js';

describe('VersionWatch', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  function watching(version = 7): VersionWatch {
    const watch = new VersionWatch(() => Promise.resolve(version));
    // Nothing but what a test observes: the loop that asks ends before it begins.
    watch.stop();
    return watch;
  }

  it('is relied on for less than a second, as the documents promise of a revocation', () => {
    expect(TRUST_MS).toBe(800);
  });

  it('trusts a version until TRUST_MS after it was asked for, and no longer', () => {
    const watch = watching();
    watch.observe(7, performance.now());
    jest.advanceTimersByTime(799);
    expect(watch.holds(7)).toBe(true);
    jest.advanceTimersByTime(1);
    expect(watch.holds(7)).toBe(false);
  });

  it('trusts no version but the newest', () => {
    const watch = watching();
    watch.observe(7, performance.now());
    watch.observe(8, performance.now());
    expect([watch.holds(7), watch.holds(8), watch.holds(9)]).toEqual([false, true, false]);
  });

  it('is not moved by an answer that is older than what it knows', () => {
    const watch = watching();
    const early = performance.now();
    jest.advanceTimersByTime(500);
    watch.observe(8, performance.now());
    watch.observe(7, performance.now());
    watch.observe(8, early);
    jest.advanceTimersByTime(400);
    expect([watch.holds(7), watch.holds(8)]).toEqual([false, true]);
  });

  it('trusts nothing before the first answer, and goes on trusting when asking fails', async () => {
    expect(watching().holds(-1)).toBe(false);
    const deaf = new VersionWatch(() => Promise.reject(new Error('away')));
    deaf.stop();
    deaf.observe(7, performance.now());
    await deaf.refresh();
    expect(deaf.holds(7)).toBe(true);
  });

  it('knows what it has looked for', async () => {
    const watch = watching(9);
    await watch.refresh();
    expect(watch.holds(9)).toBe(true);
  });
});
