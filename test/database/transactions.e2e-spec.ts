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

describe('a kept statement', () => {
  const ASKED = `SELECT one AS number, nullif(one, 2) AS odd, 'text' AS words, now() AS at, ARRAY[one] AS list
    FROM generate_series(1, $1::int) AS one WHERE 6 / one <> $2::int ORDER BY one`;
  const row = (number: number) => ({
    number,
    odd: number === 2 ? null : number,
    words: 'text',
    list: [number],
  });

  it('gives the same rows each time, and is described once a connection', async () => {
    let described = 0;
    const times = await database.transaction(async (on, client) => {
      client.connection.on('rowDescription', () => (described += 1));
      const first = await on.kept(ASKED, [0, 9]);
      const others = await Promise.all([3, 1, 0].map((count) => on.kept(ASKED, [count, 9])));
      return [first, ...others];
    });
    expect(times.map((rows) => rows.length)).toEqual([0, 3, 1, 0]);
    expect(times[1]).toMatchObject([row(1), row(2), row(3)]);
    expect(times[2]).toEqual([{ ...row(1), at: expect.any(Date) as Date }]);
    expect(described).toBe(1);
  });

  it('is described when it first comes to its end', async () => {
    const failing = 'SELECT 6 / $1::int AS sixth';
    await expect(database.kept(failing, [0])).rejects.toMatchObject({ code: '22012' });
    expect(await database.kept(failing, [3])).toEqual([{ sixth: 2 }]);
    expect(await database.kept(failing, [2])).toEqual([{ sixth: 3 }]);
    await expect(database.kept(failing, [0])).rejects.toMatchObject({ code: '22012' });
    expect(await database.kept(failing, [1])).toEqual([{ sixth: 6 }]);
  });

  it('gives no rows where it has none, and what it changed where it says so', async () => {
    const remove = 'DELETE FROM agreement_text WHERE hash = $1';
    for (let time = 0; time < 3; time += 1) {
      expect(await database.kept(ADD, ['kept'])).toEqual([]);
      const removed = time === 1 ? [] : await database.kept(`${remove} RETURNING hash, id`, ['kept']);
      expect(removed).toEqual(time === 1 ? [] : [{ hash: 'kept', id: 'kept' }]);
      expect(await database.kept(remove, ['kept'])).toEqual([]);
    }
  });

  it('is refused when its rows have got another shape', async () => {
    await database.query('CREATE TABLE shape (one int); INSERT INTO shape VALUES (1)');
    for (let time = 0; time < 2; time += 1)
      expect(await database.kept('SELECT * FROM shape')).toEqual([{ one: 1 }]);
    await database.query('ALTER TABLE shape ADD COLUMN two int');
    await expect(database.kept('SELECT * FROM shape')).rejects.toMatchObject({ code: '0A000' });
    await database.query('DROP TABLE shape');
  });
});

async function texts(): Promise<string[]> {
  const rows = await database.query<{ hash: string }>('SELECT hash FROM agreement_text ORDER BY hash');
  return rows.map(({ hash }) => hash);
}
