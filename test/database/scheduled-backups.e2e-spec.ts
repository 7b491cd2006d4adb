import { mkdir, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { BackupJob, pruneJob } from '../../src/backup/backup.jobs.js';
import { openBackups } from '../../src/backup/backup.module.js';
import { Backups } from '../../src/backup/backups.js';
import { BackupStore } from '../../src/backup/store.js';
import type { Config } from '../../src/config/config.js';
import { bucket as parseBucket } from '../../src/config/parsers.js';
import { readConfig } from '../../src/config/read-config.js';
import { restoreFrom } from '../../src/db/backup/restore.js';
import { AuditRepository } from '../../src/observe/audit.repository.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { importVouched } from '../support/import.js';
import { after, createEngine, stateOf } from '../support/jobs.js';
import { type ObjectStore, startObjectStore } from '../support/object-store.js';
import { makeFolder } from '../support/processes.js';
import { setClock } from '../support/wrong-clock.js';

const KEY = Buffer.alloc(32, 7).toString('base64');
const OTHER_KEY = Buffer.alloc(32, 8).toString('base64');
const DAY_SECONDS = 86_400;
/** Of the day before, so that a backup is due at once and the next one at 16:00. */
const NOON = new Date('2026-11-24T12:00:00Z');

const databases: TestDatabase[] = [];
let store: ObjectStore;
beforeAll(async () => {
  store = await startObjectStore();
});
beforeEach(() => store.objects.clear());
afterEach(async () => {
  store.refuseUploads(false);
  for (const one of databases.splice(0)) await one.close();
});
afterAll(() => store.close());

async function database(): Promise<TestDatabase> {
  const made = await createTestDatabase();
  databases.push(made);
  return made;
}

function backupsOf(config: Config): Backups {
  const backups = openBackups(config);
  if (!backups) throw new Error('backups are configured');
  return backups;
}

async function install(environment: Record<string, string>) {
  const test = await database();
  const config = readConfig({ DATABASE_URL: test.url, BACKUP_KEY: KEY, ...environment });
  const backups = backupsOf(config);
  const audit = new AuditRepository(test.database);
  const engine = createEngine(
    test.database,
    new BackupJob(config, test.database, backups, audit),
    pruneJob(config, test.database, backups),
  );
  const runDue = async (now: Date) => {
    while (await engine.runDue(now));
  };
  return { ...test, config, backups, audit, runDue };
}

describe.each(['a folder', 'a bucket'])('scheduled backups in %s', (where) => {
  const place = async (): Promise<Record<string, string>> =>
    where === 'a folder' ? { BACKUP_DIR: await makeFolder('store') } : { BACKUP_S3_URL: store.address };

  it('are made once a day, read by nobody without the key, and become the same dataset elsewhere', async () => {
    const made = await install(await place());
    await importVouched(made.database, 'domain,wayback\nkept.com.au,7\n');
    await made.runDue(NOON);
    await made.runDue(after(NOON, 3 * 3_600));
    expect(await made.backups.list()).toHaveLength(1);
    await made.runDue(after(NOON, 5 * 3_600));
    const [newest, ...others] = await made.backups.list();
    expect(others).toHaveLength(1);
    expect(newest?.takenAt).toEqual(after(NOON, 5 * 3_600));

    const target = await database();
    if (!newest) throw new Error('there is a backup');
    const content = made.backups.read(newest, await made.backups.describe(newest));
    await restoreFrom(target.database, Readable.from(content), () => undefined);
    expect(await target.database.query('SELECT domain FROM domain')).toEqual([{ domain: 'kept.com.au' }]);

    const stranger = backupsOf(readConfig({ ...(await samePlace(made.config)), BACKUP_KEY: OTHER_KEY }));
    await expect(stranger.describe(newest)).rejects.toThrow('BACKUP_KEY is another key');
    // The key was replaced, and the former one still opens.
    const rotated = backupsOf(
      readConfig({ ...(await samePlace(made.config)), BACKUP_KEY: OTHER_KEY, BACKUP_KEY_ALSO: KEY }),
    );
    expect(await rotated.describe(newest)).toMatchObject({ format: 'bowerbird store 1', log: null });
  });

  it('are deleted when they are not among those that are kept', async () => {
    const made = await install({ ...(await place()), BACKUP_KEEP: '2,0,0' });
    for (let day = 0; day < 4; day += 1) await made.runDue(after(NOON, day * DAY_SECONDS));
    await made.runDue(after(NOON, 5 * DAY_SECONDS + 7 * 3_600));
    // What is not kept goes with the next tidying, as the last one ran beside the backup.
    await made.runDue(after(NOON, 5 * DAY_SECONDS + 14 * 3_600));
    const left = await made.backups.list();
    expect(left.map(({ takenAt }) => takenAt.getUTCDate())).toEqual([29, 27]);
  });
});

async function samePlace({ backup: { place } }: Config): Promise<Record<string, string>> {
  if (!place) throw new Error('backups are configured');
  return 'folder' in place ? { BACKUP_DIR: place.folder } : { BACKUP_S3_URL: store.address };
}

const LOG = {
  chain: 'one',
  timeline: 1,
  segment_bytes: 1_024,
  from: '0000000000000000',
  to: '0000000000000001',
};
const SIZE = { databaseBytes: 1 };
const copiedBy = (end: Date) => () => Promise.resolve({ log: LOG, consistent_at: end.toISOString() });

describe('a store', () => {
  it('that refuses fails the job, with its reason, and the next run makes the backup', async () => {
    const made = await install({ BACKUP_S3_URL: store.address });
    store.refuseUploads(true);
    await made.runDue(NOON);
    expect(await stateOf(made.database, 'backup')).toMatchObject({
      failures: 1,
      lastError: expect.stringContaining('AccessDenied'),
    });
    expect(await made.backups.list()).toEqual([]);
    store.refuseUploads(false);
    await made.runDue(after(NOON, 3_600));
    expect(await made.backups.list()).toHaveLength(1);
  });

  it('keeps nothing of a backup that failed', async () => {
    const folder = await makeFolder('store');
    const backups = new Backups(BackupStore.at({ folder }, [KEY]));
    const failed = () => Promise.reject(new Error('the copy broke'));
    const written = backups.write(NOON, 'dump', Readable.from([Buffer.from('rows')]), failed, SIZE);
    await expect(written).rejects.toThrow('the copy broke');
    expect(await readdir(join(folder, 'backups', '2026-11-24T12-00-00.000Z-dump'))).toEqual([]);
  });

  it('gives for a moment the newest backup whose copy had ended by then', async () => {
    const backups = new Backups(BackupStore.at({ folder: await makeFolder('store') }, [KEY]));
    for (const day of [0, 1])
      await backups.write(
        after(NOON, day * DAY_SECONDS),
        'folder',
        Readable.from([Buffer.from('copy')]),
        copiedBy(after(NOON, day * DAY_SECONDS + 600)),
        SIZE,
      );
    const [second, first] = await backups.list();
    expect(await backups.find(null)).toEqual(second);
    expect(await backups.find(after(NOON, DAY_SECONDS + 600))).toEqual(second);
    expect(await backups.find(after(NOON, DAY_SECONDS + 599))).toEqual(first);
    await expect(backups.find(after(NOON, 599))).rejects.toThrow('the oldest is of 2026-11-24T12:10:00.000Z');
  });

  it('passes over files in its log that are not its own', async () => {
    const folder = await makeFolder('store');
    const backups = new Backups(BackupStore.at({ folder }, [KEY]));
    await backups.write(NOON, 'folder', Readable.from([Buffer.from('copy')]), copiedBy(NOON), SIZE);
    await backups.addLog(LOG.chain, 0n, Buffer.from('log'));
    await writeFile(join(folder, 'log', LOG.chain, '.DS_Store'), '');
    await backups.prune({ days: 1, weeks: 0, months: 0 }, LOG.chain, NOON);
    const parts = [];
    for await (const { bytes } of backups.readLog(LOG, () => undefined)) parts.push(bytes.toString());
    expect(parts).toEqual(['log']);
  });

  it('is that of one installation; another one writes and deletes nothing in it', async () => {
    const folder = await makeFolder('store');
    const [first, second] = [await install({ BACKUP_DIR: folder }), await install({ BACKUP_DIR: folder })];
    await second.database.query(`UPDATE list_secret SET secret = 'of the second one'`);
    await first.runDue(NOON);
    await second.runDue(after(NOON, 60));
    // Its first tidying.
    await second.runDue(after(NOON, 7 * 3_600));
    for (const job of ['backup', 'backup-prune'])
      expect(await stateOf(second.database, job)).toMatchObject({
        lastError: expect.stringContaining('holds the files of another installation'),
      });
    expect((await second.backups.list()).map(({ takenAt }) => takenAt)).toEqual([NOON]);
  });

  it('is taken by one of several that find it empty at once', async () => {
    const bucket = parseBucket(store.address.replace('daily', 'claimed'));
    if (!bucket) throw new Error('the address of the store is one');
    const installations = ['c', 'a', 'b', 'd'].map((letter) => letter.repeat(32));
    for (const place of [{ folder: await makeFolder('store') }, { bucket }]) {
      const sealed = BackupStore.at(place, [KEY]);
      const outcomes = await Promise.allSettled(installations.map((one) => new Backups(sealed).claim(one)));
      const winners = installations.filter((_, index) => outcomes[index]?.status === 'fulfilled');
      expect(winners).toHaveLength(1);
      expect(await sealed.list('installation/')).toEqual(winners.map((one) => `installation/${one}`));
      for (const one of installations) {
        const again = new Backups(sealed).claim(one);
        await (winners.includes(one) ? again : expect(again).rejects.toThrow('of another installation'));
      }
    }
  });

  it('opens nothing that was changed, or put in the place of another', async () => {
    const folder = await makeFolder('store');
    const sealed = BackupStore.at({ folder }, [KEY]);
    await sealed.put('one/a', Buffer.from('first'));
    await sealed.put('one/b', Buffer.from('second'));
    expect((await sealed.read('one/a')).toString()).toBe('first');
    expect((await stat(join(folder, 'one/a'))).mode & 0o777).toBe(0o600);
    expect(await readFile(join(folder, 'one/a'), 'utf8')).not.toContain('first');
    await rename(join(folder, 'one/b'), join(folder, 'one/a'));
    await expect(sealed.read('one/a')).rejects.toThrow('one/a does not open: it is damaged');
    await sealed.put('one/b', Buffer.from('second'));
    const bytes = await readFile(join(folder, 'one/b'));
    await writeFile(join(folder, 'one/b'), bytes.subarray(0, -1));
    await expect(sealed.read('one/b')).rejects.toThrow('damaged');
  });

  it('lists no object whose writing was cut off, and deletes it by the clock of the database alone', async () => {
    const folder = await makeFolder('store');
    const sealed = BackupStore.at({ folder }, [KEY]);
    const backups = new Backups(sealed);
    const cut = join(folder, 'backups/2026-11-24T12-00-00.000Z-dump');
    await mkdir(cut, { recursive: true });
    await writeFile(join(cut, '00000.partial'), 'cut');
    setClock(400);
    expect(await sealed.list('backups/')).toEqual([]);
    const prune = (now: Date) => backups.prune({ days: 1, weeks: 0, months: 0 }, null, now);
    await prune(after(NOON, DAY_SECONDS));
    jest.useRealTimers();
    expect(await readdir(cut)).toEqual(['00000.partial']);
    await prune(after(NOON, DAY_SECONDS + 1));
    expect(await readdir(cut)).toEqual([]);
  });
});

it('of an embedded server no backup is tried again and again while its log is not kept', async () => {
  const { database: empty, backups, audit } = await install({ BACKUP_DIR: await makeFolder('store') });
  const embedded = readConfig({ BACKUP_DIR: 'elsewhere', BACKUP_KEY: KEY });
  const job = new BackupJob(embedded, empty, backups, audit);
  const work = { kind: 'backup', key: '', cursor: null, failures: 0, isSlow: false };
  expect(await job.run(work, NOON, new AbortController().signal)).toEqual({});
  expect(await backups.list()).toEqual([]);
});
