import { Logger } from '@nestjs/common';
import { DatabaseUnavailable } from '../errors/database-failure.js';
import { sortFault, takesPasskeys } from './passkeys.service.js';

it.each([
  ['https://bowerbird.example', true],
  ['http://localhost:3000', true],
  ['http://bowerbird.example', false],
  ['https://192.0.2.1', false],
  ['https://[2001:db8::1]:8443', false],
])('browsers accept passkeys for %s: %s', (baseUrl, isTaken) => {
  expect(takesPasskeys(baseUrl)).toBe(isTaken);
});

describe('what fails while a passkey is verified', () => {
  const lines: string[] = [];
  beforeEach(() => {
    lines.length = 0;
    Logger.overrideLogger({
      log: () => undefined,
      warn: () => undefined,
      error: (message: string) => void lines.push(message),
    });
  });
  afterAll(() => Logger.overrideLogger(['error']));

  it('is rethrown if the database is unavailable', () => {
    const away = Object.assign(new Error('gone'), { code: 'ECONNREFUSED' });
    expect(() => sortFault('error', 'Failed', away)).toThrow(away);
    const said = new DatabaseUnavailable('away', away);
    expect(() => sortFault('error', 'Failed', said)).toThrow(said);
    expect(lines).toEqual([]);
  });

  it('is logged unless the passkey is wrong', () => {
    sortFault('error', 'Failed', Object.assign(new Error('duplicate key'), { code: '23505' }));
    expect(lines).toEqual([]);
    sortFault('error', 'Failed', Object.assign(new Error('no such table'), { code: '42P01' }));
    sortFault('error', 'Not set up');
    expect(lines).toEqual([expect.stringContaining('Failed: Error: no such table'), 'Not set up: undefined']);
  });
});
