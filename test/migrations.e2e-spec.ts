import { createTestDatabase, type TestDatabase } from './support/database.js';

describe('migrations', () => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await createTestDatabase();
  });
  afterAll(() => test.close());

  it('leave one dataset row behind', async () => {
    expect(
      await test.database.query('SELECT available_records::int, last_event::int, refreshed FROM dataset'),
    ).toEqual([{ available_records: 0, last_event: 0, refreshed: null }]);
  });
});
