import { csvLine, readRetryAfter } from './formats.js';

describe('readRetryAfter', () => {
  it.each([
    ['120', 120],
    [' 0 ', 0],
    ['Fri, 20 Nov 2026 12:00:30 GMT', 30],
    ['Fri, 20 Nov 2026 11:00:00 GMT', 0],
    [null, undefined],
    ['', undefined],
    ['-5', undefined],
    ['1.5', undefined],
    ['soon', undefined],
    ['99999999999999999999', 1e20],
    ['9'.repeat(400), Infinity],
    ['on Fri, 20 Nov 2026 12:00:30 GMT', undefined],
    ['Fri, 20 Nov 2026 12:00:30 GMT+1000', undefined],
    ['Fri, 99 Nov 2026 12:00:30 GMT', undefined],
  ])('%j is %s', (header, seconds) => {
    expect(readRetryAfter(header, new Date('2026-11-20T12:00:00Z'))).toBe(seconds);
  });
});

describe('a line of CSV', () => {
  it.each([
    [['a', 1, null, true], 'a,1,,true\n'],
    [['say "hi"', 'a,b', 'two\nlines'], '"say ""hi""","a,b","two\nlines"\n'],
    [['=HYPERLINK("x")', '+1', '@sum', '-2+3', '\tx'], '"\'=HYPERLINK(""x"")",\'+1,\'@sum,\'-2+3,\'\tx\n'],
    [['-12.5', '-', -3], "-12.5,'-,-3\n"],
  ])('%j', (cells, line) => {
    expect(csvLine(cells)).toBe(line);
  });
});
