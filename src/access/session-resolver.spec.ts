import { isFromHere } from './session-resolver.js';

describe('isFromHere', () => {
  it.each([
    [{ 'sec-fetch-site': 'same-origin' }],
    [{ 'sec-fetch-site': 'none' }],
    // A browser's own word goes before what a proxy may have made of the host.
    [{ 'sec-fetch-site': 'same-origin', origin: 'https://public.example', host: 'inner:3000' }],
    [{ origin: 'http://localhost:3000', host: 'localhost:3000' }],
    [{ origin: 'https://bowerbird.example', host: 'Bowerbird.example' }],
    [{ host: 'localhost:3000' }],
  ])('takes %j', (headers) => {
    expect(isFromHere(headers)).toBe(true);
  });

  it.each([
    [{ 'sec-fetch-site': 'cross-site' }],
    [{ 'sec-fetch-site': 'same-site' }],
    [{ 'sec-fetch-site': 'cross-site', origin: 'http://localhost:3000', host: 'localhost:3000' }],
    [{ origin: 'https://evil.example', host: 'bowerbird.example' }],
    [{ origin: 'https://bowerbird.example.evil.example', host: 'bowerbird.example' }],
    [{ origin: 'https://bowerbird.example:444', host: 'bowerbird.example' }],
    [{ origin: 'null', host: 'bowerbird.example' }],
    [{ origin: '', host: 'bowerbird.example' }],
  ])('refuses %j', (headers) => {
    expect(isFromHere(headers)).toBe(false);
  });
});
