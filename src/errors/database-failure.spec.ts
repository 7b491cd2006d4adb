import { DatabaseError } from 'pg';
import {
  DatabaseUnavailable,
  isRolledBack,
  knownFailure,
  noteDisk,
  unavailabilityIn,
} from './database-failure.js';

const lost = (code: string) => {
  const failure = Object.assign(new Error('connect'), { code });
  noteDisk(failure);
  return knownFailure(new DatabaseUnavailable('away', failure))?.message;
};
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

  it('says that the database starts, and where its disk was full before that it has ended', () => {
    expect(lost('57P03')).toContain('The database is starting, recovering or stopping');
    expect(lost('ECONNREFUSED')).toContain('The database is away');
    noteDisk(Object.assign(new Error('could not extend file'), { code: '53100' }));
    for (const code of ['57P03', 'ECONNREFUSED'])
      expect(lost(code)).toContain('The disk of the database is full, and it has ended');
    expect(lost('57014')).not.toContain('disk');
    noteDisk(null);
    expect(lost('ECONNREFUSED')).toContain('The database is away');
  });
});

it('a panic leaves open whether a commit succeeded', () => {
  const panic = Object.assign(new DatabaseError('could not write to file', 0, 'error'), {
    code: '53100',
    severity: 'PANIC',
  });
  expect([unavailabilityIn(panic), isRolledBack(panic)]).toEqual(['away', false]);
});
