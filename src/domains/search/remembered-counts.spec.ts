import type { OfferState } from './cube/offer-moves.js';
import type { NameFilter } from '../schema/filters/filters.js';
import { COUNTED_BEYOND } from './name-counter.js';
import { isRememberable, MAX_REMEMBERED, RememberedCounts } from './remembered-counts.js';

const MAX = 100;
const COFFEE: NameFilter = { q: 'coffee', mode: 'contains', suffixes: [], minWayback: 0 };
const state = (offersLeft: number, offersJoined: number, isCounted = true): OfferState => ({
  offersLeft,
  offersJoined,
  isCounted,
});

describe('RememberedCounts', () => {
  let counts: RememberedCounts;
  beforeEach(() => {
    counts = new RememberedCounts(MAX);
  });

  it('knows a count of all names until one leaves or joins', () => {
    counts.remember(COFFEE, MAX, state(5, 7));
    expect(counts.recall(COFFEE, state(5, 7))).toBe(MAX);
    for (const other of [state(6, 7), state(5, 8), state(4, 7), state(5, 6), state(6, 6)])
      expect(counts.recall(COFFEE, other)).toBeNull();
  });

  it('knows that there are more until as many have left as were counted beyond', () => {
    counts.remember(COFFEE, MAX + 1 + 10, state(5, 7));
    expect(counts.recall(COFFEE, state(5, 7))).toBe(111);
    expect(counts.recall(COFFEE, state(15, 7))).toBe(111);
    expect(counts.recall(COFFEE, state(15, 7_000))).toBe(111);
    expect(counts.recall(COFFEE, state(16, 7_000))).toBeNull();
    // A replica where those who joined are not there yet.
    expect(counts.recall(COFFEE, state(5, 6))).toBeNull();
    expect(counts.recall(COFFEE, state(4, 7))).toBeNull();
  });

  it('knows nothing while not all that write count', () => {
    counts.remember(COFFEE, 3, state(5, 7, false));
    expect(counts.recall(COFFEE, state(5, 7))).toBeNull();
    counts.remember(COFFEE, 3, state(5, 7));
    expect(counts.recall(COFFEE, state(5, 7, false))).toBeNull();
    expect(counts.recall(COFFEE, state(5, 7))).toBe(3);
  });

  it('forgets all', () => {
    counts.remember(COFFEE, 3, state(5, 7));
    counts.forget();
    expect(counts.mayKnow(COFFEE)).toBe(false);
    expect(counts.recall(COFFEE, state(5, 7))).toBeNull();
  });

  it('expects an exact count to hold for a minute, and that there are more for longer; it knows either as long as it does', () => {
    counts.remember(COFFEE, 3, state(5, 7), 1_000);
    expect(counts.mayKnow(COFFEE, 60_999)).toBe(true);
    expect(counts.mayKnow(COFFEE, 61_000)).toBe(false);
    expect(counts.has(COFFEE)).toBe(true);
    expect(counts.recall(COFFEE, state(5, 7))).toBe(3);
    counts.remember(COFFEE, MAX + 10, state(5, 7), 1_000);
    expect(counts.mayKnow(COFFEE, 10_000_000)).toBe(true);
  });

  it('expects no more of what it has seen change since', () => {
    expect(counts.mayKnow(COFFEE)).toBe(false);
    counts.remember(COFFEE, 3, state(5, 7));
    expect(counts.mayKnow(COFFEE)).toBe(true);
    counts.remember({ ...COFFEE, q: 'tea' }, 3, state(5, 8));
    expect(counts.mayKnow(COFFEE)).toBe(false);
    // One that is behind changes nothing of that, and does not take the place of what is newer.
    counts.remember({ ...COFFEE, q: 'tea' }, 2, state(5, 7));
    expect(counts.mayKnow(COFFEE)).toBe(false);
    expect(counts.recall({ ...COFFEE, q: 'tea' }, state(5, 8))).toBe(3);
  });

  it('takes a filter for the same however it is put, whatever page is asked for', () => {
    counts.remember({ ...COFFEE, suffixes: ['au', 'com.au'], hyphens: 'allow' }, 3, state(5, 7));
    const page = { limit: 10, offset: 20, sort: { key: 'length', direction: 'asc' } } as const;
    expect(counts.recall({ ...COFFEE, ...page, suffixes: ['com.au', 'au'] }, state(5, 7))).toBe(3);
  });

  it.each([
    { q: 'coffe' },
    { mode: 'prefix' },
    { suffixes: ['au'] },
    { minWayback: 1 },
    { maxWayback: 9 },
    { minLength: 9 },
    { maxLength: 9 },
    { hyphens: 'only' },
    { numbers: 'exclude' },
    { firstSeenFrom: '2026-11-01' },
    { firstSeenTo: '2026-11-30' },
    { glob: 'c*' },
    { without: ['shop'] },
  ] as const)('takes %j for another', (other) => {
    counts.remember(COFFEE, 3, state(5, 7));
    expect(counts.recall({ ...COFFEE, ...other }, state(5, 7))).toBeNull();
    counts.remember({ ...COFFEE, ...other }, 4, state(5, 7));
    expect(counts.recall(COFFEE, state(5, 7))).toBe(3);
  });

  it('forgets what was set longest ago when it is full', () => {
    counts = new RememberedCounts(MAX, 2);
    for (const q of ['one', 'two', 'three']) counts.remember({ ...COFFEE, q }, 3, state(5, 7));
    expect(['one', 'two', 'three'].map((q) => counts.mayKnow({ ...COFFEE, q }))).toEqual([false, true, true]);
  });

  it('has the bounds that the documents name', () => {
    expect({ MAX_REMEMBERED, COUNTED_BEYOND }).toEqual({ MAX_REMEMBERED: 5_000, COUNTED_BEYOND: 500 });
    const now = state(5, 7);
    counts = new RememberedCounts(MAX);
    for (let n = 0; n <= MAX_REMEMBERED; n += 1) counts.remember({ ...COFFEE, q: `q${n}` }, n, now);
    expect(counts.mayKnow({ ...COFFEE, q: 'q0' })).toBe(false);
    expect(counts.mayKnow({ ...COFFEE, q: 'q1' })).toBe(true);
  });
});

describe('isRememberable', () => {
  it.each([
    {},
    { minWayback: 10, maxWayback: 99, hyphens: 'only' },
    { firstSeenFrom: '2026-11-01', firstSeenTo: '2026-11-30' },
    { glob: '*fee', without: ['x'] },
  ] as const)('is so of what lies on cells beside its pattern: %j', (more) => {
    expect(isRememberable({ ...COFFEE, ...more })).toBe(true);
  });

  it.each([
    { minWayback: 11 },
    { maxWayback: 50 },
    { firstSeenFrom: '2026-11-02' },
    { confirmedSince: '2026-11-01T00:00:00Z' },
    { states: ['purged'] },
    { offeredUnder: ['au'] },
  ] as const)('is not so of what may change within a cell, or by another name: %j', (more) => {
    expect(isRememberable({ ...COFFEE, ...more })).toBe(false);
  });
});
