import { MAX_CDX_ROWS, readCdxAnswer } from './cdx-answer.js';

const NOW = new Date('2026-11-20T12:00:00Z');
const HEADER = '["timestamp","statuscode"]';
const captured = (day: string, status = '200') => ({ day, status });

describe('readCdxAnswer', () => {
  it.each([
    ['an empty list', '[]', []],
    ['nothing but the header row', `[${HEADER}]`, []],
    ['a header row and a capture', `[${HEADER},["20090314120000","200"]]`, [captured('2009-03-14')]],
    ['no header row', '[["20090314120000","301"]]', [captured('2009-03-14', '301')]],
    [
      'columns in another order, and more of them',
      '[["digest","statuscode","timestamp"],["X","404","20090314120000"]]',
      [captured('2009-03-14', '404')],
    ],
    ['a revisit', `[${HEADER},["20090314120000","-"]]`, [captured('2009-03-14', '-')]],
    ['a timestamp cut to its day', `[${HEADER},["20090314","200"]]`, [captured('2009-03-14')]],
    ['text', '20090314120000 200\n20100101000000 -\n', [captured('2009-03-14'), captured('2010-01-01', '-')]],
    ['text with the line ends of Windows', '20090314120000 200\r\n', [captured('2009-03-14')]],
    ['a day 00', `[${HEADER},["20090300120000","200"]]`, [captured('2009-03-01')]],
    ['a month 00', `[${HEADER},["20090000120000","200"]]`, [captured('2009-01-01')]],
    ['a leap day', `[${HEADER},["20080229120000","200"]]`, [captured('2008-02-29')]],
    ['the day on which it is asked', `[${HEADER},["20261120115959","200"]]`, [captured('2026-11-20')]],
  ])('reads %s', (_what, body, captures) => {
    expect(readCdxAnswer(body, NOW)).toEqual({ captures, ignored: 0 });
  });

  it.each([
    ['a 31st of February', '20090231120000', '200'],
    ['a month 13', '20091314120000', '200'],
    ['a day before the web', '19700101000000', '200'],
    ['a day to come', '20991231000000', '200'],
    ['letters for a day', 'yesterday', '200'],
    ['half a timestamp', '2009031412', '200'],
    ['a status of two digits', '20090314120000', '20'],
    ['no status', '20090314120000', ''],
  ])('leaves out a row with %s, and keeps the others', (_what, timestamp, status) => {
    const body = JSON.stringify([
      ['timestamp', 'statuscode'],
      ['20100101000000', '200'],
      [timestamp, status],
    ]);
    expect(readCdxAnswer(body, NOW)).toEqual({ captures: [captured('2010-01-01')], ignored: 1 });
  });

  it.each([
    ['nothing', '', 'empty'],
    ['white space', ' \n\n', 'empty'],
    ['a list that ends in the middle', `[${HEADER},["20090314120000","2`, 'cut_off'],
    ['a list without its end', `[${HEADER},["20090314120000","200"],`, 'cut_off'],
    ['text that ends in the middle of a line', '20090314120000 200\n201001010000', 'cut_off'],
    ['text that ends with a line that only looks whole', '20090314120000 200', 'cut_off'],
    ['broken JSON that looks whole', '[["20090314120000","200"],,]', 'not_understood'],
    ['an object', '{"captures":[]}', 'not_understood'],
    ['a list of objects', '[{"timestamp":"20090314120000"}]', 'not_understood'],
    ['a list in which numbers stand', '[[20090314120000,200]]', 'not_understood'],
    ['a list of lists in lists', '[[["20090314120000","200"]]]', 'not_understood'],
    ['a header row without the status', '[["timestamp"],["20090314120000"]]', 'not_understood'],
    ['null', 'null', 'not_understood'],
    ['a page', '<!doctype html><title>Welcome</title>', 'not_understood'],
    [
      'an exception of the archive',
      'org.archive.util.io.RuntimeIOException: Blocked Site Error\n',
      'not_understood',
    ],
    ['only rows without a day', `[${HEADER},["never","200"]]`, 'not_understood'],
    [
      'more rows without a day than others',
      `[${HEADER},["20090314120000","200"],["a","200"],["b","200"]]`,
      'not_understood',
    ],
  ])('finds no answer in %s', (_what, body, unreadable) => {
    expect(readCdxAnswer(body, NOW)).toEqual({ unreadable });
  });

  it('reads as many rows as there may be, and refuses one more', () => {
    const body = (rows: number) => JSON.stringify(Array<string[]>(rows).fill(['20090314120000', '200']));
    expect(readCdxAnswer(body(MAX_CDX_ROWS), NOW)).toMatchObject({ ignored: 0 });
    expect(readCdxAnswer(body(MAX_CDX_ROWS + 1), NOW)).toEqual({ unreadable: 'too_large' });
  });
});
