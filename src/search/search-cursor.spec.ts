import { BY_RANK } from '../domains/discovery/discovery-query.js';
import { type CursorPosition, writeCursor } from '../domains/page-cursor.js';
import { placeOf, type Search, canonicalText } from './search-cursor.js';

const search: Search = { mode: 'contains', suffixes: [], minWayback: 0, sort: BY_RANK };
const read = (...place: CursorPosition) => placeOf(writeCursor(canonicalText(search), place), search);

describe('a cursor of a search', () => {
  it('says where it goes on', () => {
    expect(read(2, 'coffee.com.au', 10, 6, '2026-11-20')).toEqual({
      page: 2,
      after: { domain: 'coffee.com.au', wayback: 10, length: 6, firstSeen: '2026-11-20' },
    });
    expect(read(1_000, 'a1.au', 2_147_483_647, 63, null).after.firstSeen).toBeNull();
  });

  const good: CursorPosition = [2, 'coffee.com.au', 10, 6, '2026-11-20'];
  it.each([
    [0, [0, -1, 1.5, 1e300, '2', null]],
    [1, ['', 'coffee\u0000.com.au', 'coffee\n.com.au', '\ud800', 'a'.repeat(256), 7, null]],
    [2, [-1, 0.5, 2_147_483_648, 1e300, '10', null]],
    [3, [-1, 0.5, 64, 40_000, 1e300, '6', null]],
    [4, ['', 'yesterday', '2026-02-30', '2026-13-01', '0000-01-01', '2026-11-20T00:00:00Z', 7]],
  ])('forged at place %i is refused', (at, values) => {
    for (const value of values)
      expect(() => read(...good.with(at, value))).toThrow(/^cursor must be the next_cursor/);
    expect(() => read(...good.slice(0, at))).toThrow(/^cursor must be the next_cursor/);
  });
});
