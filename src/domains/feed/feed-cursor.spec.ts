import { feedCursorBehind, feedStartOf } from './feed-cursor.js';
import { writeCursor } from '../schema/page-cursor.js';

describe('a cursor of the feed', () => {
  it('goes on behind its event', () => {
    for (const start of [
      { number: 40_213, seen: null },
      { number: 0, seen: null },
      { number: 40_213, seen: '16/B374D848' },
    ])
      expect(feedStartOf({ cursor: feedCursorBehind(start) })).toEqual(start);
  });

  it('has its number alone where there is no more to keep', () => {
    expect(feedCursorBehind({ number: 7, seen: null })).toBe(writeCursor('dropped', [7]));
    expect(feedCursorBehind({ number: 7, seen: null }, ['limit=5'])).toBe(
      writeCursor('dropped', [7, null, 'limit=5']),
    );
  });

  it.each([
    [[-1]],
    [[1.5]],
    [[1e300]],
    [[2 ** 53]],
    [['1']],
    [[null]],
    [[]],
    [[1, 2]],
    [[1, '16']],
    [[1, '16/x']],
  ])('forged, %j, is refused', (place) => {
    expect(() => feedStartOf({ cursor: writeCursor('dropped', place) })).toThrow(
      /^cursor must be the next_cursor of an earlier answer of this feed$/,
    );
  });

  it('that a reader has kept since an earlier release is as good as ever', () => {
    expect(feedStartOf({ cursor: 'bVBrM3RCXzE3TkZNWzQwMjEzXQ' })).toEqual({ number: 40_213, seen: null });
  });

  it('of another list is refused', () => {
    expect(() => feedStartOf({ cursor: writeCursor('search', [1]) })).toThrow(/^cursor must be/);
    expect(() => feedStartOf({ cursor: '' })).toThrow(/^cursor must be/);
  });
});

describe('a time to begin with', () => {
  it('is needed where there is no cursor, and excludes one', () => {
    expect(() => feedStartOf({})).toThrow(/^since or cursor is needed: since where you begin, such as/);
    expect(() =>
      feedStartOf({ since: '2026-11-18T00:00:00Z', cursor: feedCursorBehind({ number: 1, seen: null }) }),
    ).toThrow('since and cursor exclude each other: send one of them');
  });
});
