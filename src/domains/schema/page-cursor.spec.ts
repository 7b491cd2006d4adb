import fc from 'fast-check';
import { createHash } from 'node:crypto';
import { anyCharacter } from '../../../test/support/runs.js';
import { readCursor, writeCursor } from './page-cursor.js';

const anyPosition = fc.array(fc.oneof(fc.string({ maxLength: 70 }), fc.integer(), fc.constant(null)), {
  maxLength: 4,
});

describe('a page cursor', () => {
  it('brings back the position it was written for', () => {
    fc.assert(
      fc.property(fc.string(), anyPosition, (query, position) => {
        expect(readCursor(query, writeCursor(query, position))).toEqual(position);
      }),
    );
  });

  it('fits no other query', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), anyPosition, (query, other, position) => {
        fc.pre(query !== other);
        expect(readCursor(other, writeCursor(query, position))).toBeNull();
      }),
    );
  });

  it('is refused when any of its characters was changed, and never throws', () => {
    fc.assert(
      fc.property(anyPosition, fc.nat(), fc.constantFrom(...'AZaz09-_'), (position, place, letter) => {
        const cursor = writeCursor('q', position);
        const at = place % cursor.length;
        const changed = cursor.slice(0, at) + letter + cursor.slice(at + 1);
        const read = readCursor('q', changed);
        // The last character carries unused bits, so that two spellings can mean the same bytes.
        if (read !== null) expect(read).toEqual(position);
      }),
    );
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 600 }), (text) => {
        expect(readCursor('q', text)).toBeNull();
      }),
    );
  });

  it('is refused with anything around or in it, also what a decoder would pass over', () => {
    const cursor = writeCursor('q', ['coffee.com.au', 7]);
    const half = cursor.length / 2;
    for (const stray of ['=', '+', '/', ' ', '\n', '.'])
      for (const text of [stray + cursor, cursor + stray, cursor.slice(0, half) + stray + cursor.slice(half)])
        expect(readCursor('q', text)).toBeNull();
  });

  it('is refused when it is longer than any that is given out', () => {
    // 4 characters for each 3 bytes: a check of 12, and 1,716 in brackets and quotes.
    const longest = writeCursor('q', ['x'.repeat(1_712)]);
    expect(longest).toHaveLength(2_304);
    expect(readCursor('q', longest)).not.toBeNull();
    expect(readCursor('q', writeCursor('q', ['x'.repeat(1_713)]))).toBeNull();
  });

  it.each(['', '[1,', 'null', '{"a":1}', '7'])('with a true checksum over %j is none', (body) => {
    const check = createHash('sha256').update(`q\n${body}`).digest('base64url').slice(0, 12);
    expect(readCursor('q', Buffer.from(check + body).toString('base64url'))).toBeNull();
  });
});
