import { LINK_MS, readLink, writeLink } from './downloads.js';

const SECRET = 'a-secret-of-the-tests-0123456789abcdef';
const FILE = 'snapshot-20261122T050000Z/snapshot-20261122T050000Z-0001.parquet';
const NOW = new Date('2026-11-22T06:00:00Z');
const END = new Date(NOW.getTime() + LINK_MS);
const ACCOUNT = '6c84fb90-12c4-11e1-840d-7b25c5ee775a';
const link = writeLink(SECRET, { file: FILE, accountId: ACCOUNT }, END);
const isGood = (...given: Parameters<typeof readLink>) => readLink(...given) === ACCOUNT;

describe('a link to a file', () => {
  it('is good until it ends', () => {
    expect(isGood(link, [SECRET], FILE, NOW)).toBe(true);
    expect(isGood(link, [SECRET], FILE, new Date(END.getTime() - 1))).toBe(true);
    expect(isGood(link, [SECRET], FILE, END)).toBe(false);
  });

  it('is good for its file and this installation only', () => {
    expect(isGood(link, [SECRET], `${FILE}x`, NOW)).toBe(false);
    expect(isGood(link, [`${SECRET}x`], FILE, NOW)).toBe(false);
    expect(isGood(link, [`${SECRET}x`, SECRET], FILE, NOW)).toBe(true);
  });

  it('cannot be made longer by who has it', () => {
    const [seconds = '', account, proof] = link.split('.');
    expect(readLink(`${Number(seconds) + 1}.${account}.${proof}`, [SECRET], FILE, NOW)).toBeNull();
  });

  it('is of the account that made it, and of none where there are no accounts', () => {
    const [seconds, , proof] = link.split('.');
    const other = ACCOUNT.replace('6', '7');
    expect(readLink(`${seconds}.${other}.${proof}`, [SECRET], FILE, NOW)).toBeNull();
    expect(readLink(`${seconds}..${proof}`, [SECRET], FILE, NOW)).toBeNull();
    expect(readLink(writeLink(SECRET, { file: FILE, accountId: '' }, END), [SECRET], FILE, NOW)).toBe('');
  });

  it('is none with an id that PostgreSQL would not take', () => {
    const odd = writeLink(SECRET, { file: FILE, accountId: '6c84fb90-12c4' }, END);
    expect(readLink(odd, [SECRET], FILE, NOW)).toBeNull();
  });

  it.each([
    '',
    'x',
    '.',
    `${link}x`,
    `${'1'.repeat(10)}..${'A'.repeat(43)}`,
    `9999999999..${'é'.repeat(43)}`,
  ])('forged, %j, is refused', (forged) => {
    expect(readLink(forged, [SECRET], FILE, NOW)).toBeNull();
  });
});
