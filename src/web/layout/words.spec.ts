import { dayInWords, deviceInWords, distanceInWords, momentInWords, searchInWords } from './words.js';

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

describe('deviceInWords', () => {
  it.each([
    ['Mozilla/5.0 (X11; Linux x86_64; rv:146.0) Gecko/20100101 Firefox/146.0', 'Firefox on Linux'],
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/147.0 ' +
        'Safari/537.36 Edg/147.0',
      'Edge on Windows',
    ],
    [
      'Mozilla/5.0 (Linux; Android 16) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/147.0 Mobile Safari/537.36',
      'Chrome on Android',
    ],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) ' +
        'Version/19.0 Mobile/15E148 Safari/604.1',
      'Safari on an iPhone',
    ],
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 ' +
        'Safari/605.1.15',
      'Safari on a Mac',
    ],
    ['curl/8.5.0', 'an unknown program'],
    [null, 'an unknown program'],
  ])('%s is %s', (userAgent, words) => {
    expect(deviceInWords(userAgent)).toBe(words);
  });
});

it('a search is put in words', () => {
  const search = 'q=cafe&mode=prefix&tld=com.au,au&max_length=8&hyphens=exclude&sort=length';
  expect(searchInWords(search)).toBe('beginning with “cafe”, .com.au or .au, up to 8 letters, no hyphens');
});
