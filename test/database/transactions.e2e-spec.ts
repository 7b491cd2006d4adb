import { Closing, type Database, LeaseLostError } from '../../src/db/database.js';
import { fenced } from '../../src/db/scope.js';
import { createTestDatabase, openOneConnection, type TestDatabase } from '../support/database.js';
import { LOST_FENCE } from '../support/lost-fence.js';

const ADD = 'INSERT INTO agreement_text (hash, id, version, text) VALUES ($1, $1, $1, $1)';

let test: TestDatabase;
let database: Database;

beforeAll(async () => {
  test = await createTestDatabase();
  database = await openOneConnection(test);
});

afterAll(async () => {
  await database.dataSource.destroy();
  await test.close();
});

describe('statements that are sent together', () => {
  it('are committed with the last of them', async () => {
    const added = await database.transaction(async (transaction) => {
      await transaction.kept(ADD, ['first']);
      const sent = [transaction.kept(ADD, ['second']), transaction.kept(ADD, ['third'])];
      return new Closing(Promise.all(sent).then(() => 'added'));
    });
    expect(added).toBe('added');
    expect(await texts()).toEqual(['first', 'second', 'third']);
  });

  it('are not committed when one of them fails, and say why the first one did', async () => {
    const before = await texts();
    const failing = database.transaction(
      (transaction) =>
        new Closing(
          Promise.all([
            transaction.kept(ADD, ['fourth']),
            transaction.kept(ADD, ['first']),
            transaction.kept(ADD, ['fifth']),
          ]),
        ),
    );
    await expect(failing).rejects.toMatchObject({ code: '23505' });
    expect(await texts()).toEqual(before);
  });

  it('write nothing behind a lease that is lost', async () => {
    const before = await texts();
    const alone = fenced(LOST_FENCE, () => database.kept(ADD, ['alone']));
    await expect(alone).rejects.toThrow(LeaseLostError);
    const together = fenced(LOST_FENCE, () =>
      database.transaction((transaction) => new Closing(transaction.kept(ADD, ['together']))),
    );
    await expect(together).rejects.toThrow(LeaseLostError);
    const later = fenced(LOST_FENCE, () =>
      database.transaction(async (transaction) => {
        await transaction.kept(ADD, ['later']);
      }),
    );
    await expect(later).rejects.toThrow(LeaseLostError);
    expect(await texts()).toEqual(before);
  });

  it('leave the connection as it was when a read of them fails', async () => {
    const reading = database.reads((on) =>
      Promise.all([
        on.query('SELECT 1'),
        on.query('SELECT 1 / 0'),
        on.query('SELECT count(*) FROM generate_series(1, 100000)'),
      ]),
    );
    await expect(reading).rejects.toMatchObject({ code: '22012' });
    expect(await database.query('SELECT 2 AS two')).toEqual([{ two: 2 }]);
  });
});

async function texts(): Promise<string[]> {
  const rows = await database.query<{ hash: string }>('SELECT hash FROM agreement_text ORDER BY hash');
  return rows.map(({ hash }) => hash);
}
