import { SEARCH_PARAMETERS } from '../../domains/schema/filters/parameters.js';
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

const FILTERS_IN_WORDS = [
  ['q=cafe', 'with “cafe”'],
  ['match=words', ''],
  ['mode=suffix', ''],
  ['tld=com.au,au', '.com.au or .au'],
  ['min_length=7', '7 letters or more'],
  ['max_length=7', 'up to 7 letters'],
  ['hyphens=only', 'with a hyphen'],
  ['hyphens=exclude', 'no hyphens'],
  ['numbers=only', 'with a digit'],
  ['numbers=exclude', 'no digits'],
  ['min_digits=2', '2 digits or more'],
  ['max_digits=2', 'up to 2 digits'],
  ['min_wayback=7', 'score 7 or more'],
  ['max_wayback=7', 'score up to 7'],
  ['first_seen_from=2026-11-01', 'added since 2026-11-01'],
  ['first_seen_to=2026-11-20', 'added by 2026-11-20'],
  ['state=purged', 'dropped and not confirmed yet'],
  ['stale=include', 'and names not checked for a long time'],
  ['confirmed_since=2026-11-20T00:00:00Z', 'confirmed since 2026-11-20T00:00:00Z'],
  ['pattern=CVCV', 'letters like CVCV'],
  ['starts_with_digit=true', 'starting with a digit'],
  ['starts_with_digit=false', 'not starting with a digit'],
  ['dictionary=true', 'dictionary words only'],
  ['dictionary=false', 'not only dictionary words'],
  ['min_words=3', '3 words or more'],
  ['max_words=3', 'up to 3 words'],
  ['min_years=3', '3 years or more in the archive'],
  ['max_years=3', 'up to 3 years in the archive'],
  ['former_title=coffee', 'former title contains “coffee”'],
] as const;

it.each(FILTERS_IN_WORDS)('the filter %s is put in words', (search, words) => {
  expect(searchInWords(search)).toBe(words);
});

it('every filter is put in words', () => {
  const said = FILTERS_IN_WORDS.map(([search]) => search.split('=')[0]);
  expect(SEARCH_PARAMETERS.map(({ parameter }) => parameter).filter((name) => !said.includes(name))).toEqual(
    [],
  );
});

it('a search is put in words', () => {
  const search = 'q=cafe&mode=prefix&tld=com.au,au&max_length=8&hyphens=exclude&sort=length';
  expect(searchInWords(search)).toBe('beginning with “cafe”, .com.au or .au, up to 8 letters, no hyphens');
});
