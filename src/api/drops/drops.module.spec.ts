import type { UpcomingFilter } from '../../domains/feed/upcoming-drop.repository.js';
import { type CursorPosition, writeCursor } from '../../domains/schema/page-cursor.js';
import { canonicalText, cursorBehind, positionOf } from './drops.module.js';

const filter: UpcomingFilter = {
  day: '2026-11-20',
  suffixes: ['com.au', 'net.au'],
  kind: 'deleted',
  q: 'coffee',
  minWayback: 1,
};
const read = (...position: CursorPosition) =>
  positionOf(writeCursor(canonicalText(filter), position), filter);
const REFUSAL =
  /^cursor must be the next_cursor of an earlier page with the same filters; leave it out to start again$/;

describe('a cursor of what is about to be purged', () => {
  it.each([
    ['2026-11-20T03:00:00.000Z', 7, 'coffee.com.au'],
    ['2026-11-20T19:59:59.999Z', 2_147_483_647, 'a.au'],
    ['2028-02-29T23:59:59.000Z', 0, `${'a'.repeat(252)}.au`],
  ])('says where it goes on: %s, %i, %s', (purgeAt, wayback, domain) => {
    const position = { purgeAt: new Date(purgeAt), wayback, domain };
    expect(positionOf(cursorBehind(position, filter), filter)).toEqual(position);
  });

  const good: CursorPosition = ['2026-11-20T03:00:00.000Z', 7, 'coffee.com.au'];
  it.each([
    [
      0,
      [
        ...['', 'yesterday', '2026-11-20', '2026-02-30T03:00:00.000Z', '2026-13-01T03:00:00.000Z'],
        ...['2026-11-20T24:00:00.000Z', '2026-11-20T30:00:00.000Z', '2026-11-20T03:60:00.000Z'],
        ...['2026-11-20T03:00:60.000Z', '2026-11-20T03:00:00.00Z', '2026-11-20T03:00:00.000'],
        ...['x2026-11-20T03:00:00.000Z', '2026-11-20T03:00:00.000Zx', '+026-11-20T03:00:00.000Z'],
        ...[7, null],
      ],
    ],
    [1, [-1, 0.5, 2_147_483_648, 1e300, '7', null]],
    [2, ['', 'Coffee.com.au', 'coffee.com.au\n', '\u0000', 'a'.repeat(256), 7, null]],
  ])('forged at place %i is refused', (at, values) => {
    for (const value of values) expect(() => read(...good.with(at, value))).toThrow(REFUSAL);
    expect(() => read(...good.slice(0, at))).toThrow(REFUSAL);
  });

  it.each<Partial<UpcomingFilter>>([
    { day: '2026-11-21' },
    { day: undefined },
    { suffixes: ['com.au'] },
    { kind: 'expired' },
    { q: 'tea' },
    { minWayback: 2 },
  ])('fits no other filter, such as one with %j', (change) => {
    const cursor = cursorBehind({ purgeAt: new Date(), wayback: 7, domain: 'coffee.com.au' }, filter);
    expect(() => positionOf(cursor, { ...filter, ...change })).toThrow(REFUSAL);
  });

  it('fits the same suffixes in another order', () => {
    const cursor = cursorBehind({ purgeAt: new Date(), wayback: 7, domain: 'coffee.com.au' }, filter);
    expect(positionOf(cursor, { ...filter, suffixes: ['net.au', 'com.au'] }).wayback).toBe(7);
  });
});
