import { BY_RANK } from '../../domains/search/discovery-query.js';
import { SUFFIXES } from '../../domains/schema/domain.js';
import {
  type CursorPosition,
  MAX_CURSOR_LENGTH,
  positionIn,
  writeCursor,
  keptParameters,
} from '../../domains/schema/page-cursor.js';
import { SearchQuery } from './search.dto.js';
import { canonicalText, cursorBehind, placeOf, type Search } from './search.module.js';

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

  const row = { domain: 'coffee.com.au', wayback: 10, length: 6, firstSeen: '2026-11-20' };

  it('carries the count of the first page', () => {
    const counted = { total: 2_431, low: 2_100, high: 2_800, isExact: false };
    expect(placeOf(cursorBehind(row, search, { page: 2, counted }), search)).toEqual({
      page: 2,
      after: row,
      counted,
    });
  });

  it('goes on behind the row it was written for', () => {
    expect(placeOf(cursorBehind(row, search, { page: 2 }), search)).toEqual({ page: 2, after: row });
  });

  it('is no longer than any may be, with every filter as long as it can be', () => {
    const query: SearchQuery = {
      q: '咖'.repeat(100),
      match: 'words',
      mode: 'suffix',
      tld: [...SUFFIXES],
      min_length: 60,
      max_length: 63,
      min_digits: 62,
      max_digits: 63,
      hyphens: 'exclude',
      numbers: 'exclude',
      min_wayback: 2_147_483_646,
      max_wayback: 2_147_483_647,
      first_seen_from: '2026-11-01',
      first_seen_to: '2026-11-20',
      state: 'available',
      stale: 'include',
      confirmed_since: '2026-11-20T00:00:00.123456789+10:00',
      ...{ pattern: 'C-C-C-C-C-C-C-C-', starts_with_digit: false, dictionary: false },
      ...{ min_words: 19, max_words: 20, min_years: 59, max_years: 60 },
      sort: 'first_seen_desc',
      per_page: 100,
    };
    const counted = { total: 999_999_999, low: 999_999_998, high: 1_000_000_000, isExact: false };
    const longest = { ...row, domain: `${'a'.repeat(63)}.com.au`, wayback: 2_147_483_647, length: 63 };
    const cursor = cursorBehind(
      longest,
      search,
      { page: 1_000_000_000, counted },
      keptParameters(query, SearchQuery),
    );
    expect([cursor.length, positionIn(cursor)?.length]).toEqual([2_066, 10]);
    expect(cursor.length).toBeLessThan(MAX_CURSOR_LENGTH);
  });

  it.each<Partial<Search>>([
    { q: 'tea' },
    { mode: 'prefix' },
    { suffixes: ['com.au'] },
    { minWayback: 1 },
    { maxWayback: 9 },
    { minLength: 3 },
    { maxLength: 9 },
    { hyphens: 'only' },
    { numbers: 'only' },
    { firstSeenFrom: '2026-11-01' },
    { firstSeenTo: '2026-11-30' },
    { states: ['stale'] },
    { confirmedSince: '2026-11-20T00:00:00Z' },
    { glob: 'a*' },
    { without: ['a'] },
    { offeredUnder: ['au'] },
    { pattern: 'CV' },
    { startsWithDigit: true },
    { dictionary: true },
    { minWords: 2 },
    { maxWords: 2 },
    { minYears: 9 },
    { maxYears: 9 },
    { sort: { key: 'domain', direction: 'asc' } },
  ])('fits no other search, such as one with %j', (change) => {
    const cursor = cursorBehind(row, search, { page: 2 });
    expect(() => placeOf(cursor, { ...search, ...change })).toThrow(/^cursor must be the next_cursor/);
  });

  it('of one wording fits no search with another', () => {
    const cursor = cursorBehind(row, { ...search, glob: 'a*' }, { page: 2 });
    expect(placeOf(cursor, { ...search, glob: 'a*' }).page).toBe(2);
    expect(() => placeOf(cursor, { ...search, glob: 'b*' })).toThrow(/^cursor must be the next_cursor/);
    expect(() => placeOf(cursor, search)).toThrow(/^cursor must be the next_cursor/);
  });

  it('is read as earlier releases wrote it', () => {
    const former = [
      'search',
      'tea',
      'prefix',
      ['au'],
      1,
      9,
      3,
      8,
      'only',
      'allow',
      '2026-11-01',
      null,
      ['available'],
      null,
    ];
    const text = JSON.stringify([...former, BY_RANK]);
    const same: Search = {
      ...{
        q: 'tea',
        mode: 'prefix',
        suffixes: ['au'],
        minWayback: 1,
        maxWayback: 9,
        minLength: 3,
        maxLength: 8,
      },
      ...{
        hyphens: 'only',
        numbers: 'allow',
        firstSeenFrom: '2026-11-01',
        states: ['available'],
        sort: BY_RANK,
      },
    };
    expect(placeOf(writeCursor(text, [2, 'teas.au', 5, 4, '2026-11-20']), same).page).toBe(2);
  });

  it('fits the same suffixes in another order', () => {
    const cursor = cursorBehind(row, { ...search, suffixes: ['com.au', 'au'] }, { page: 2 });
    expect(placeOf(cursor, { ...search, suffixes: ['au', 'com.au'] }).page).toBe(2);
  });

  it.each<[number, number | string | null]>([
    [0, 1],
    [0, 1_000_000_000],
    [1, 'a'.repeat(255)],
    [2, 0],
    [2, 2_147_483_647],
    [3, 0],
    [3, 63],
    [4, null],
  ])('may hold at place %i what is just within its limits, %j', (at, value) => {
    expect(() => read(...good.with(at, value))).not.toThrow();
  });

  const good: CursorPosition = [2, 'coffee.com.au', 10, 6, '2026-11-20'];
  it.each([
    [0, [0, -1, 1.5, 1_000_000_001, 1e300, '2', null]],
    [1, ['', 'coffee\u0000.com.au', 'coffee\n.com.au', '\ud800', 'a'.repeat(256), 7, null]],
    [2, [-1, 0.5, 2_147_483_648, 1e300, '10', null]],
    [3, [-1, 0.5, 64, 40_000, 1e300, '6', null]],
    [4, ['', 'yesterday', '2026-02-30', '2026-13-01', '0000-01-01', '2026-11-20T00:00:00Z', 7]],
  ])('forged at place %i is refused', (at, values) => {
    for (const value of values)
      expect(() => read(...good.with(at, value))).toThrow(
        /^cursor must be the next_cursor of an earlier page of the same search, with/,
      );
    expect(() => read(...good.slice(0, at))).toThrow(/^cursor must be the next_cursor/);
  });
});
