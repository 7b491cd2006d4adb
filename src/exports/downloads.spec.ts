import { isGoodLink, LINK_MS, writeLink } from './downloads.js';

const SECRET = 'a-secret-of-the-tests-0123456789abcdef';
const FILE = 'snapshot-20261122T050000Z/snapshot-20261122T050000Z-0001.parquet';
const NOW = new Date('2026-11-22T06:00:00Z');
const END = new Date(NOW.getTime() + LINK_MS);
const link = writeLink(SECRET, FILE, END);

describe('a link to a file', () => {
  it('is good until it ends', () => {
    expect(isGoodLink(link, [SECRET], FILE, NOW)).toBe(true);
    expect(isGoodLink(link, [SECRET], FILE, new Date(END.getTime() - 1))).toBe(true);
    expect(isGoodLink(link, [SECRET], FILE, END)).toBe(false);
  });

  it('is good for its file and this installation only', () => {
    expect(isGoodLink(link, [SECRET], `${FILE}x`, NOW)).toBe(false);
    expect(isGoodLink(link, [`${SECRET}x`], FILE, NOW)).toBe(false);
    expect(isGoodLink(link, [`${SECRET}x`, SECRET], FILE, NOW)).toBe(true);
  });

  it('cannot be made longer by who has it', () => {
    const [seconds = '', proof = ''] = link.split('.');
    expect(isGoodLink(`${Number(seconds) + 1}.${proof}`, [SECRET], FILE, NOW)).toBe(false);
  });

  it.each(['', 'x', '.', `${link}x`, `${'1'.repeat(10)}.${'A'.repeat(43)}`, `9999999999.${'é'.repeat(43)}`])(
    'forged, %j, is refused',
    (forged) => {
      expect(isGoodLink(forged, [SECRET], FILE, NOW)).toBe(false);
    },
  );
});
