import { DatabaseUnavailable, knownFailure } from './database-failure.js';

const refused = (code: string) =>
  new DatabaseUnavailable('refusing', Object.assign(new Error('could not extend file'), { code }));

describe('knownFailure', () => {
  it('says that the disk is full, and not that the database is away', () => {
    expect(knownFailure(refused('53100'))).toMatchObject({
      code: 'database_unavailable',
      message: expect.stringContaining('The disk of the database is full'),
    });
    expect(knownFailure(refused('25006'))?.message).toContain('The database takes no writes');
  });
});
