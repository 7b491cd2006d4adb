import { Freshness } from './replica.js';

const MAX_LAG_MS = 1_000;

/** A replica that has been read from since 200; everything that was committed by 150 is there. */
function used(): Freshness {
  const freshness = new Freshness(MAX_LAG_MS, 0);
  expect([freshness.learn(0, false, 100), freshness.learn(150, false, 200)]).toEqual([null, 'back']);
  return freshness;
}

describe('the freshness of a replica', () => {
  it('is enough up to the longest lag, and not a millisecond beyond', () => {
    const freshness = used();
    expect([freshness.serves(150 + MAX_LAG_MS), freshness.serves(151 + MAX_LAG_MS)]).toEqual([true, false]);
  });

  it('is unknown until a later look shows what was committed after the first one', () => {
    const freshness = new Freshness(MAX_LAG_MS, 100);
    freshness.learn(50, false, 150);
    expect(freshness.learn(150, false, 200)).toBeNull();
    expect(freshness.serves(200)).toBe(false);
    expect(freshness.learn(151, false, 250)).toBe('back');
    expect(freshness.serves(250)).toBe(true);
  });

  it('is lost by a look that shows a longer lag, and comes back within half of it only', () => {
    const freshness = used();
    expect(freshness.learn(200, false, 200 + MAX_LAG_MS)).toBeNull();
    expect(freshness.learn(200, false, 201 + MAX_LAG_MS)).toBe('late');
    expect(freshness.serves(201 + MAX_LAG_MS)).toBe(false);
    // Everything from before it was late is there, but the look itself is more than half the lag old.
    expect(freshness.learn(1_300, false, 1_301 + MAX_LAG_MS / 2)).toBeNull();
    // From then on it must have everything that was committed by that look.
    expect(freshness.learn(1_700, false, 1_900)).toBeNull();
    expect(freshness.learn(1_850, false, 2_000)).toBe('back');
  });

  it('needs looks in a row, no two of them further apart than half the longest lag', () => {
    const freshness = new Freshness(MAX_LAG_MS, 0);
    freshness.learn(0, false, 100);
    expect(freshness.learn(600, false, 101 + MAX_LAG_MS / 2)).toBeNull();
    expect(freshness.learn(650, false, 102 + MAX_LAG_MS)).toBe(null);
    expect(freshness.learn(1_150, false, 1_200)).toBe('back');
  });

  it('never goes back in time: a look that shows less says nothing new', () => {
    const freshness = used();
    expect(freshness.learn(10, false, 300)).toBeNull();
    expect(freshness.lagMs(300)).toBe(150);
  });

  it('of a replica that is not in use: only one that surely lacks something is called late', () => {
    const freshness = new Freshness(MAX_LAG_MS, 0);
    expect(freshness.learn(-Infinity, false, 100)).toBeNull();
    expect(freshness.learn(-Infinity, true, 200)).toBe('late');
  });

  it('ends with a read that fails there, until it has everything that was committed by then', () => {
    const freshness = used();
    freshness.leave(300);
    expect(freshness.serves(300)).toBe(false);
    expect([freshness.learn(299, false, 350), freshness.learn(301, false, 400)]).toEqual([null, 'back']);
  });

  it('ends with its server, which may come back older than it was', () => {
    const freshness = used();
    freshness.lose(300);
    expect(freshness.lagMs(300)).toBe(Infinity);
    expect([freshness.learn(310, false, 350), freshness.serves(350)]).toEqual([null, false]);
    expect([freshness.learn(380, false, 400), freshness.serves(400)]).toEqual(['back', true]);
  });
});
