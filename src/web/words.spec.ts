import { counted, dayInWords, distanceInWords, momentInWords } from './words.js';

const NOW = new Date('2026-11-22T03:00:00Z');

describe('times in words', () => {
  it.each([
    ['2026-11-22T02:59:30Z', 'just now'],
    ['2026-11-22T03:00:30Z', 'in a moment'],
    ['2026-11-22T02:48:00Z', '12 min ago'],
    ['2026-11-22T05:11:00Z', 'in 2 h'],
    ['2026-11-20T04:00:00Z', '47 h ago'],
    ['2026-11-19T03:00:00Z', '3 days ago'],
  ])('%s is %s', (moment, words) => {
    expect(distanceInWords(new Date(moment), NOW)).toBe(words);
  });

  it('are told in Australian time and in UTC', () => {
    expect(momentInWords(new Date('2026-11-18T14:30:00Z'))).toBe('19 Nov 2026, 00:30 AEST (14:30 UTC)');
    expect(dayInWords('2026-06-01')).toBe('1 June 2026');
  });
});

it('counts in the singular and in the plural', () => {
  expect([counted(1, 'letter'), counted(2_000, 'letter')]).toEqual(['1 letter', '2,000 letters']);
});
