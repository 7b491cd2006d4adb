import { parseWalPosition } from './wal.js';

describe('a place in the write-ahead log', () => {
  it.each([
    ['0/0', 0n],
    ['0/3000060', 0x3000060n],
    ['16/B374D848', 0x16b374d848n],
    ['FFFFFFFF/FFFFFFFF', 0xffffffffffffffffn],
  ])('%s is read as PostgreSQL writes it', (text, position) => {
    expect(parseWalPosition(text)).toBe(position);
  });

  it.each(['', '0', '0/', '/0', '0/g', '0/b374', '1/0/0', '100000000/0', '0x1/0', ' 0/0'])(
    '%j is none',
    (text) => {
      expect(parseWalPosition(text)).toBeNull();
    },
  );

  it('grows over the end of its lower half', () => {
    const [before, after] = ['0/FFFFFFFF', '1/0'].map(parseWalPosition);
    expect((after ?? 0n) - (before ?? 0n)).toBe(1n);
  });
});
