import { appendFile, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BackupDrillJob, BackupJob, BackupLogJob, pruneJob } from '../../src/backup/backup.jobs.js';
import { openBackups } from '../../src/backup/backup.module.js';
import type { Backups } from '../../src/backup/backups.js';
import { describeBackups, readBackupState } from '../../src/backup/backup-state.js';
import { fillOf } from '../../src/backup/drill.js';
import type { Config } from '../../src/config/config.js';
import { readConfig } from '../../src/config/read-config.js';
import { listTables } from '../../src/db/backup/backup-file.js';
import { readDataFolder, readLogState } from '../../src/db/backup/replication.js';
import type { Database } from '../../src/db/database.js';
import { openCluster, placeCluster, runSingle } from '../../src/db/embedded/cluster.js';
import { ensureServer, serverUrl, stopServer } from '../../src/db/embedded/server.js';
import { openDatabase, type OpenDatabase } from '../../src/db/open-database.js';
import { AuditRepository } from '../../src/observe/audit.repository.js';
import { importVouched } from '../support/import.js';
import { after, createEngine, stateOf } from '../support/jobs.js';
import { makeFolder, until } from '../support/processes.js';

const quiet = { log: () => undefined, warn: () => undefined, error: () => undefined };
jest.setTimeout(300_000);

const KEY = Buffer.alloc(32, 7).toString('base64');
/** Half a day from now: no test passes the daily backup by chance. */
const FAR_TIME = new Date(Date.now() + 12 * 3_600_000).toISOString().slice(11, 19);

/** An installation with an embedded server, whose jobs the test runs. */
interface Installation {
  readonly config: Config;
  readonly backups: Backups;
  readonly open: OpenDatabase;
  readonly database: Database;
  readonly log: BackupLogJob;
  readonly drill: BackupDrillJob;
  /** Does all that is due at that time. */
  runDue(now: Date): Promise<void>;
}

const opened: OpenDatabase[] = [];
afterEach(async () => {
  for (const { close } of opened.splice(0)) await close().catch(() => undefined);
});

async function install(store: string, dataDir?: string): Promise<Installation> {
  const config = readConfig({
    DATA_DIR: dataDir ?? (await makeFolder('disk')),
    BACKUP_DIR: store,
    BACKUP_KEY: KEY,
    BACKUP_TIME: FAR_TIME,
  });
  const open = await openDatabase(config.database, quiet);
  opened.push(open);
  const { database } = open;
  const backups = openBackups(config);
  if (!backups) throw new Error('backups are configured');
  const audit = new AuditRepository(database);
  const log = new BackupLogJob(database, backups);
  const drill = new BackupDrillJob(config, backups, audit);
  const backup = new BackupJob(config, database, backups, audit);
  const engine = createEngine(database, log, backup, pruneJob(config, database, backups));
  return {
    ...{ config, backups, open, database, log, drill },
    async runDue(now) {
      while (await engine.runDue(now));
    },
  };
}

const runOf = (cursor: Parameters<BackupLogJob['run']>[0]['cursor'] = null) =>
  ({ kind: 'backup-log', key: '', cursor, failures: 0, isSlow: false }) as const;

/** Sends all there is, and writes nothing down, so that nothing follows it. */
async function sendLog({ database, log }: Installation): Promise<void> {
  const cursor = (await stateOf(database, 'backup-log'))?.cursor ?? null;
  await log.run(runOf(cursor), new Date(), new AbortController().signal);
}

async function backUpNow(installation: Installation, now = new Date()): Promise<void> {
  // The log first, and the backup when it is kept.
  await installation.runDue(after(now, -120));
  await installation.runDue(now);
  expect(await installation.backups.list()).not.toEqual([]);
}

/** The server is killed, and its disk is gone. */
async function loseDisk({ config, open }: Installation): Promise<void> {
  const data = join(config.database.dataDir, 'postgres', 'data');
  const [pid] = (await readFile(join(data, 'postmaster.pid'), 'utf8')).split('\n');
  process.kill(Number(pid), 'SIGKILL');
  await open.close().catch(() => undefined);
  await rm(config.database.dataDir, { recursive: true, force: true, maxRetries: 5 });
}

async function recover({ backups }: Installation, until: Date | null): Promise<string> {
  const dataDir = await makeFolder('new-disk');
  const backup = await backups.find(until);
  const fill = fillOf(backups, backup, await backups.describe(backup), until, () => undefined);
  await placeCluster(dataDir, fill ?? (() => Promise.reject(new Error('it is a dump'))));
  return dataDir;
}

async function contentOf(database: Database): Promise<Record<string, string>> {
  const content: Record<string, string> = {};
  for (const { table } of await listTables(database)) {
    const [row] = await database.query<{ sum: string }>(
      `SELECT concat(count(*), ' ', md5(string_agg(t::text, ',' ORDER BY t::text))) AS sum FROM ${table} AS t`,
    );
    content[table] = row?.sum ?? '';
  }
  return content;
}

const namesIn = async (database: Database) =>
  (await database.query<{ domain: string }>('SELECT domain FROM domain ORDER BY domain')).map(
    ({ domain }) => domain,
  );

it('a lost disk costs nothing that was committed before the log was last sent, in any table', async () => {
  const store = await makeFolder('store');
  const lost = await install(store);
  await importVouched(lost.database, 'domain,wayback\nbefore.com.au,7\n');
  await backUpNow(lost);
  await importVouched(lost.database, 'domain,wayback\nafter.com.au,8\n');
  await sendLog(lost);
  const before = await contentOf(lost.database);
  const [{ at } = { at: new Date(0) }] = await lost.database.query<{ at: Date }>(
    'SELECT clock_timestamp() AS at',
  );
  await importVouched(lost.database, 'domain,wayback\ntoo-late.com.au,9\n');
  await loseDisk(lost);

  const found = await install(store, await recover(lost, null));
  expect(await contentOf(found.database)).toEqual(before);
  // It goes on: another timeline, whose log no former log can be taken for, and a backup of its own at once.
  await importVouched(found.database, 'domain,wayback\nnew-life.com.au,3\n');
  await found.runDue(after(at, 3_600));
  await found.runDue(after(at, 3_700));
  await sendLog(found);
  expect(await found.backups.list()).toHaveLength(2);
  await loseDisk(found);
  const again = await install(store, await recover(found, null));
  expect(await namesIn(again.database)).toEqual(['after.com.au', 'before.com.au', 'new-life.com.au']);
});

it('any moment since the backup comes back', async () => {
  const store = await makeFolder('store');
  const lost = await install(store);
  await backUpNow(lost);
  const moments: Date[] = [];
  for (const name of ['first', 'second', 'third']) {
    await importVouched(lost.database, `domain,wayback\n${name}.com.au,7\n`);
    const [row] = await lost.database.query<{ at: Date }>('SELECT clock_timestamp() AS at');
    moments.push(row?.at ?? new Date());
    await lost.runDue(after(new Date(), 3_600 * moments.length));
  }
  await sendLog(lost);
  const [, second] = moments;
  const then = await openDatabase(
    { ...lost.config.database, dataDir: await recover(lost, second ?? null) },
    quiet,
  );
  opened.push(then);
  expect(await namesIn(then.database)).toEqual(['first.com.au', 'second.com.au']);
});

it('a moment after the end of the log is refused, however long the log takes to replay', async () => {
  const lost = await install(await makeFolder('store'));
  const settings = join(lost.config.database.dataDir, 'postgres', 'data', 'postgresql.auto.conf');
  await appendFile(settings, `recovery_min_apply_delay = '5s'\n`);
  await backUpNow(lost);
  await importVouched(lost.database, 'domain,wayback\nfirst.com.au,7\n');
  await sendLog(lost);
  await expect(recover(lost, after(new Date(), 86_400))).rejects.toThrow(
    /^The log has no commit after .+; the last one is of 20.+ Leave out --until/,
  );
});

it('the drill restores each backup once with its log and reads every row; a damaged one fails it', async () => {
  const store = await makeFolder('store');
  const installed = await install(store);
  await importVouched(installed.database, 'domain,wayback\nproved.com.au,7\n');
  await backUpNow(installed, after(new Date(), -3 * 86_400));
  await installed.runDue(after(new Date(), -2 * 86_400));
  await sendLog(installed);
  const [damaged] = await installed.backups.list();
  const part = join(store, 'backups', String(damaged?.id), '00000');
  const bytes = await readFile(part);
  bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
  await writeFile(part, bytes);

  const run = () =>
    installed.drill.run({ ...runOf(), kind: 'backup-drill' }, new Date(), new AbortController().signal);
  await run();
  const { restoredAt, safeUntil, now } = await readBackupState(installed.database, installed.config);
  expect(restoredAt).not.toBeNull();
  expect(now.getTime() - (safeUntil?.getTime() ?? 0)).toBeLessThan(600_000);
  const audit = new AuditRepository(installed.database);
  const [entry] = await audit.list({ action: 'backup.drill' }, 1);
  expect(entry?.reason).toMatch(/^restored: \d+ rows in \d+ s, log up to [0-9A-F]+\/[0-9A-F]+$/);

  await expect(run()).rejects.toThrow(/Not restored to prove it: .+ does not open: it is damaged/);
  await expect(run()).rejects.toThrow('it is damaged');
  const failed = await audit.list({ action: 'backup.drill-failed' }, 2);
  expect(failed.map(({ subject }) => subject)).toEqual([`backup:${damaged?.id}`]);
});

it('a store that refuses stops nothing: the log is kept up to a limit, then a new chain begins', async () => {
  const store = await makeFolder('store');
  const installed = await install(store);
  await backUpNow(installed);
  const { keptFrom } = await readLogState(installed.database);
  await importVouched(installed.database, 'domain,wayback\nmeanwhile.com.au,7\n');
  expect((await readLogState(installed.database)).keptFrom).toBe(keptFrom);
  const before = (await stateOf(installed.database, 'backup-log'))?.cursor;
  // What PostgreSQL does when the limit is passed: the slot is of no use any more.
  await installed.database.query(`SELECT pg_drop_replication_slot('bowerbird_backup')`);
  await installed.runDue(after(new Date(), 7_200));
  await installed.runDue(after(new Date(), 7_300));
  const cursor = (await stateOf(installed.database, 'backup-log'))?.cursor;
  expect(cursor?.chain).not.toBe(before?.chain);
  expect(await installed.backups.list()).toHaveLength(2);
  await sendLog(installed);
  await loseDisk(installed);
  const again = await install(store, await recover(installed, null));
  expect(await namesIn(again.database)).toEqual(['meanwhile.com.au']);
});

it('of a server of its own that archives, the log counts from the first base backup on', async () => {
  const cluster = await openCluster(await makeFolder('archiving'));
  const { home, user, binaries } = cluster;
  await runSingle(home, user, binaries, 'GRANT pg_monitor TO bowerbird;\n');
  const settings = { archive_mode: 'on', archive_command: 'true', archive_timeout: '1s' };
  const url = serverUrl(cluster, (await ensureServer(cluster, { settings })).port);
  const open = await openDatabase({ url, directUrl: url, poolSize: 2, dataDir: '/nonexistent' }, quiet);
  try {
    const state = () => readBackupState(open.database, readConfig({ DATABASE_URL: url }));
    await until('PostgreSQL archives its log', async () => (await state()).archiver?.lastAt != null);
    const without = await state();
    expect(without.safeUntil).toBeNull();
    expect(describeBackups(without)).toMatch(
      /archived its log .+, which is of no use: .+ cost everything\.$/,
    );
    const copy = readDataFolder(url, new AbortController().signal, () => undefined);
    for await (const chunk of copy) expect(chunk.length).toBeGreaterThan(0);
    const behind = await state();
    expect(behind.safeUntil).toEqual(behind.archiver?.lastAt);
    expect(describeBackups(behind)).toMatch(/ would cost what was committed within \d+ \w+\.$/);
  } finally {
    await open.close();
    await stopServer(cluster);
  }
});
