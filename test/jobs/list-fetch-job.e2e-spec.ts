import { Logger } from '@nestjs/common';
import { readConfig } from '../../src/config/read-config.js';
import { ADVISORY_LOCKS } from '../../src/config/product.js';
import { ListFetchJob } from '../../src/ingest/lists/list-fetch.job.js';
import { countImports, readDataset } from '../support/import.js';
import { after, createEngine, stateOf } from '../support/jobs.js';
import { listOf, type ListsTest, namesOf, startListsTest } from '../support/lists.js';
import { until } from '../support/processes.js';

const DAY = '2026-11-20';
const NOW = new Date('2026-11-20T05:00:00Z');

let test: ListsTest;
beforeAll(() => Logger.overrideLogger(false));
beforeEach(async () => {
  test = await startListsTest();
});
afterEach(() => test.close());

function createJob(): ListFetchJob {
  const environment = {
    LIST_DELETED_URLS: test.lists.urls.deleted,
    LIST_EXPIRED_URLS: test.lists.urls.expired,
  };
  return new ListFetchJob(test.fetcher(environment), readConfig(environment));
}

describe('the job that fetches lists', () => {
  it('takes one list a batch, and looks again after a minute', async () => {
    test.lists.publish('deleted', listOf(DAY, namesOf(DAY, 3)), NOW);
    test.lists.publish('expired', listOf(DAY, namesOf(DAY, 2, 'expired')), NOW);
    const engine = createEngine(test.database, createJob());
    expect(await engine.runDue(NOW)).toBe(true);
    expect((await readDataset(test.database)).rows).toHaveLength(3);
    expect(await engine.runDue(NOW)).toBe(true);
    expect((await readDataset(test.database)).rows).toHaveLength(5);
    expect(await engine.runDue(NOW)).toBe(false);
    expect(await stateOf(test.database, 'list-fetch')).toMatchObject({
      failures: 0,
      nextDue: after(NOW, 60),
    });
    expect(test.lists.asked).toHaveLength(2);
  });

  it('says an alarm as an error, and a failure as a warning', async () => {
    const [error, warn] = (['error', 'warn'] as const).map((level) =>
      jest.spyOn(Logger.prototype, level).mockReturnValue(),
    );
    test.lists.behave('deleted', 'html');
    test.lists.behave('expired', 'server_error');
    const engine = createEngine(test.database, createJob());
    while (await engine.runDue(NOW));
    expect(error).toHaveBeenCalledWith(
      `The list of deleted names at ${test.lists.urls.deleted} was not imported: The header is "<!doctype html><title>sign in</title>", not "date,eligible purge time,domain name".`,
    );
    expect(warn).toHaveBeenCalledWith(
      `The list of expired names at ${test.lists.urls.expired} could not be fetched: The server answered HTTP 500.`,
    );
    jest.restoreAllMocks();
  });

  it('keeps nothing else waiting while an import waits for another', async () => {
    test.lists.publish('deleted', listOf(DAY, namesOf(DAY, 3)), NOW);
    const engine = createEngine(test.database, createJob());
    const fetched = await test.database.withClient(async (client) => {
      await client.query('SELECT pg_advisory_lock($1)', [ADVISORY_LOCKS.import]);
      const { begun } = await engine.step(NOW);
      await until('its import waits', async () => (await countImports(test.database)) === 1);
      await engine.step(after(NOW, 15));
      await client.query('SELECT pg_advisory_unlock($1)', [ADVISORY_LOCKS.import]);
      return Promise.all(begun);
    });
    expect(fetched).toEqual([true]);
  });
});
