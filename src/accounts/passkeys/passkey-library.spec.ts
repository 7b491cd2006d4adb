import { takesPasskeys } from './passkey-library.js';

it.each([
  ['https://bowerbird.example', true],
  ['http://localhost:3000', true],
  ['http://bowerbird.example', false],
  ['https://192.0.2.1', false],
  ['https://[2001:db8::1]:8443', false],
])('browsers take passkeys for %s: %s', (baseUrl, isTaken) => {
  expect(takesPasskeys(baseUrl)).toBe(isTaken);
});
