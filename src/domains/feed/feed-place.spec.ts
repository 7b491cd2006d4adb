import { feedCursorBehind, feedStartOf } from './feed-place.js';
import { writeCursor } from '../page-cursor.js';

describe('a cursor of the feed', () => {
  it('goes on behind its event', () => {
    expect(feedStartOf({ cursor: feedCursorBehind(40_213) })).toBe(40_213);
    expect(feedStartOf({ cursor: feedCursorBehind(0) })).toBe(0);
  });

  it.each([[[-1]], [[1.5]], [[1e300]], [[2 ** 53]], [['1']], [[null]], [[]]])(
    'forged, %j, is refused',
    (place) => {
      expect(() => feedStartOf({ cursor: writeCursor('dropped', place) })).toThrow(/^cursor must be/);
    },
  );
});
