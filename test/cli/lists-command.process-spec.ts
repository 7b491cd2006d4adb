import { join } from 'node:path';
import { countImports, readDataset } from '../support/import.js';
import { listOf, type ListsTest, namesOf, startListsTest } from '../support/lists.js';
import { compiledSources, run, until } from '../support/processes.js';
import { ADVISORY_LOCKS } from '../../src/config/product.js';

// Long ago, as the command's clock is the real one.
const DAY = '2025-11-20';

let compiled: string;
let test: ListsTest;
beforeAll(async () => {
  compiled = await compiledSources();
});
beforeEach(async () => {
  test = await startListsTest();
});
afterEach(() => test.close());

const publish = (text: string) => test.lists.publish('deleted', text, new Date());
const command = (...parameters: string[]) =>
  run(join(compiled, 'dist/cli.js'), ['lists', ...parameters], {
    environment: { DATABASE_URL: test.url, LIST_DELETED_URLS: test.lists.urls.deleted },
  });
async function outputOf(...parameters: string[]) {
  const running = command(...parameters);
  return [await running.ended, running.output()];
}

describe('bowerbird lists', () => {
  it('prints what was fetched, and the alarms', async () => {
    expect(await outputOf()).toEqual([0, `deleted  ${test.lists.urls.deleted}\n  never fetched\n`]);
    publish(listOf(DAY, namesOf(DAY, 4)));
    await test.fetcher().fetchAll(new Date('2026-11-20T05:00:00Z'));
    publish(listOf('2025-11-21', namesOf('2025-11-21', 1)));
    await test.fetcher().fetchAll(new Date('2026-11-21T05:00:00Z'));
    const [code, output] = await outputOf();
    expect(code).toBe(0);
    expect(output).toMatch(
      /last fetch {3}2026-11-21T05:00:00.000Z {2}ALARM, not imported\. It shrank: 1 rows, and 4 in the list before\.\n {2}last import {2}2026-11-20T05:00:00.000Z {2}imported: 4 rows, 0 rejected, \d+ with their purge ahead, \d+ bytes\n$/,
    );
  });

  it('fetch brings a list in by hand, and one that was an alarm when told to', async () => {
    publish(listOf(DAY, namesOf(DAY, 4)));
    const [code, output] = await outputOf('fetch');
    expect([code, output]).toEqual([0, expect.stringContaining('imported: 4 rows')]);
    publish(listOf('2025-11-21', namesOf('2025-11-21', 2)));
    expect(await outputOf('fetch')).toEqual([1, expect.stringContaining('ALARM, not imported. It shrank')]);
    expect(await outputOf('fetch', '--accept-alarms')).toEqual([
      0,
      expect.stringContaining('Accepted by hand'),
    ]);
    expect((await readDataset(test.database)).rows).toHaveLength(6);
  });

  it('a fetch that is killed in the middle leaves nothing, and the next one says so and takes the list', async () => {
    publish(listOf(DAY, namesOf(DAY, 50)));
    const killed = await test.database.withClient(async (client) => {
      await client.query('SELECT pg_advisory_lock($1)', [ADVISORY_LOCKS.import]);
      const running = command('fetch');
      await until('its import waits', async () => (await countImports(test.database)) === 1);
      await running.stop('SIGKILL');
      await client.query('SELECT pg_advisory_unlock($1)', [ADVISORY_LOCKS.import]);
      return running.ended;
    });
    expect(killed).toBe('SIGKILL');
    expect((await readDataset(test.database)).rows).toEqual([]);
    const [latest] = await test.fetches.listFetches(test.lists.urls.deleted, 1);
    expect(latest).toMatchObject({ outcome: null, finishedAt: null });
    // PostgreSQL lets go of the dead process's lock when it notices, a second later at the latest.
    const again = await until('it is alone', () => test.fetcher().fetchAll(new Date()));
    expect(again).toMatchObject([{ outcome: 'imported', rows: 50 }]);
    const [, first] = await test.fetches.listFetches(test.lists.urls.deleted, 2);
    expect(first).toMatchObject({
      outcome: 'failed',
      detail: expect.stringContaining('ended before it was done'),
    });
    expect((await readDataset(test.database)).rows).toHaveLength(50);
  });
});
