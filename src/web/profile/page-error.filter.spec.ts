import { isDestination } from './page-error.filter.js';

describe('isDestination', () => {
  it.each([
    '/watch',
    '/watch?name=a.com.au',
    '/profile',
    '/profile/api-keys',
    '/watch?question=q%3Da%26tld%3Dau',
  ])('takes %s', (text) => {
    expect(isDestination(text)).toBe(true);
  });

  it.each([
    '//evil.example/watch',
    '/\\evil.example',
    'https://evil.example/watch',
    '/watchtower',
    '/sign-out',
    '/watch/../sign-out',
    '/watch?a\r\nSet-Cookie: b',
    '/watch/ü',
    `/watch?${'a'.repeat(3_000)}`,
    '',
  ])('refuses %s', (text) => {
    expect(isDestination(text)).toBe(false);
  });
});
