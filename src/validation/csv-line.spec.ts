import { csvLine } from './csv-line.js';

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
