import { BackupDrillJob, BackupJob } from '../../src/backup/backup.jobs.js';
import { openBackups } from '../../src/backup/backup.module.js';
import { describeBackups, readBackupState } from '../../src/backup/backup-state.js';
import { BackupStore } from '../../src/backup/store.js';
import { readConfig } from '../../src/config/read-config.js';
import { LeaseLostError } from '../../src/db/database.js';
import { AuditRepository } from '../../src/observe/audit.repository.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { importVouched } from '../support/import.js';
import { after, createEngine } from '../support/jobs.js';
import { makeFolder } from '../support/processes.js';

const KEY = Buffer.alloc(32, 7).toString('base64');
const DAY_SECONDS = 86_400;
const NOON = new Date('2026-11-24T12:00:00Z');
const WORK = { kind: 'backup-drill', key: '', cursor: null, failures: 0, isSlow: false };

let test: TestDatabase;
beforeEach(async () => {
  test = await createTestDatabase();
});
afterEach(() => test.close());

async function install() {
  const { url, database } = test;
  const config = readConfig({
    DATABASE_URL: url,
    BACKUP_DIR: await makeFolder('store'),
    BACKUP_KEY: KEY,
  });
  const backups = openBackups(config);
  if (!backups) throw new Error('backups are configured');
  const audit = new AuditRepository(database);
  const engine = createEngine(database, new BackupJob(config, database, backups, audit));
  const backUp = async (now = new Date()) => {
    while (await engine.runDue(now));
  };
  return { config, backups, audit, backUp, job: new BackupDrillJob(config, backups, audit) };
}

it('the drill restores a dump into a server of its own, and status says what a lost disk would cost', async () => {
  const { config, audit, backUp, job } = await install();
  await importVouched(test.database, 'domain,wayback\nproved.com.au,7\n');
  const describe = async () => describeBackups(await readBackupState(test.database, config));
  expect(await describe()).toBe('Last backup never; a lost disk would cost everything.');
  await backUp();
  await job.run(WORK, new Date(), new AbortController().signal);
  expect(await describe()).toMatch(
    /^Last backup \d+ seconds ago, restored to prove it \d+ seconds ago; a lost disk would cost what was committed within \d+ seconds\.$/,
  );
  const [entry] = await audit.list({ action: 'backup.drill' }, 1);
  expect(entry?.reason).toMatch(/^restored: \d+ rows in \d+ s$/);
});

it('the drill proves every backup of this release, one a run and the oldest first, half a day after it was made', async () => {
  const { config, backups, audit, backUp, job } = await install();
  for (let day = 0; day < 3; day += 1) await backUp(after(NOON, day * DAY_SECONDS));
  const [third, second, first] = await backups.list();
  const provedAfter = async (now: Date) => {
    await job.run(WORK, now, new AbortController().signal);
    const entries = await audit.list({ action: 'backup.drill' }, 9);
    return entries.map(({ subject }) => subject.replace('backup:', '')).reverse();
  };
  const now = after(NOON, 2 * DAY_SECONDS);
  expect(await provedAfter(now)).toEqual([first?.id]);
  expect(await provedAfter(now)).toEqual([first?.id, second?.id]);
  expect(await provedAfter(now)).toHaveLength(2);
  const later = after(now, DAY_SECONDS / 2);
  expect(await provedAfter(later)).toEqual([first?.id, second?.id, third?.id]);

  const former = JSON.stringify({
    format: 'bowerbird store 1',
    version: '0.9.0',
    parts: 0,
    bytes: 0,
    log: null,
  });
  if (!config.backup.place) throw new Error('backups are configured');
  await BackupStore.at(config.backup.place, [KEY]).put(
    'backups/2026-11-20T12-00-00.000Z-dump/manifest',
    Buffer.from(former),
  );
  expect(await provedAfter(later)).toHaveLength(3);
});

it('a drill whose lease has gone to another process writes nothing down', async () => {
  const { audit, backUp, job } = await install();
  await backUp();
  let refusal: unknown = null;
  const engine = createEngine(test.database, {
    ...{ name: job.name, deadlineMs: job.deadlineMs },
    async run(work, now, signal) {
      await test.database.query('UPDATE work SET holder = gen_random_uuid() WHERE kind = $1', [job.name]);
      refusal = await job.run(work, now, signal).catch((error: unknown) => error);
      return {};
    },
  });
  const due = `INSERT INTO work (kind, key, due_at) VALUES ($1, '', now() - interval '1 minute')`;
  await test.database.query(due, [job.name]);
  await engine.runDue(new Date());
  expect(refusal).toBeInstanceOf(LeaseLostError);
  expect(await audit.list({ action: 'backup.drill' }, 1)).toEqual([]);
});
