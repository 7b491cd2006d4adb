import { callerIdOfAccount } from '../../src/access/caller.js';
import { TIERS } from '../../src/config/tiers.js';
import { NotificationMatcher } from '../../src/notify/watches/notification-matcher.js';
import { WorkLoop } from '../../src/work/work-loop.js';
import { WatchesService } from '../../src/notify/watches/watches.service.js';
import { addAccount, WITH_KEYS } from '../support/accounts.js';
import { countWaiting } from '../support/database.js';
import { importVouched } from '../support/import.js';
import { compiledSources, run, until } from '../support/processes.js';
import { accountsAppOfFile } from '../support/visitor.js';

jest.setTimeout(150_000);

const test = accountsAppOfFile();

describe('a service that is killed', () => {
  it('while it matches events has told nobody, and the next tells all of it once', async () => {
    const service = test.app.get(WatchesService);
    const accountId = await addAccount(test.database, 'pro');
    const told = async () =>
      (await service.readWatching(accountId, 100)).notices.map(({ domain }) => domain).sort();
    await service.watchSearch('q=survivor', { accountId, id: callerIdOfAccount(accountId), tier: TIERS.pro });
    // From now on the one to be killed is the only one who matches.
    await test.app.get(WorkLoop).beforeApplicationShutdown();
    await test.database.transaction(async (lock) => {
      // Notices are in by then, and the place of the outbox is not moved.
      await lock.query('SELECT FROM watcher WHERE account_id = $1 FOR UPDATE', [accountId]);
      const other = run(`${await compiledSources()}/dist/main.js`, [], {
        environment: {
          ...WITH_KEYS,
          HOST: '127.0.0.1',
          PORT: '0',
          DATABASE_URL: test.databaseUrl,
          REGISTRY_CANARIES: '',
          REGISTRY_BOOTSTRAP_URL: 'off',
        },
      });
      await other.says(/"msg":"listening"/);
      await importVouched(test.database, 'domain\nsurvivor-1.au\nsurvivor-2.au\n', { now: new Date() });
      await until('somebody matches', async () => (await countWaiting(test.database)) > 0);
      await other.stop('SIGKILL');
      expect(await told()).toEqual([]);
    });
    await until('all events are matched', async () => {
      await test.app.get(NotificationMatcher).handOver(new Date());
      const [row] = await test.database.query<{ done: boolean }>(
        'SELECT (SELECT last_event FROM watch_outbox) = last_event AS done FROM dataset',
      );
      return row?.done;
    });
    expect(await told()).toEqual(['survivor-1.au', 'survivor-2.au']);
  });
});
