import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { BACKUP_ACTION } from '../../src/backup/backup-state.js';
import { Database } from '../../src/db/database.js';
import { readConfig } from '../../src/config/read-config.js';
import { AuditRepository } from '../../src/observe/audit.repository.js';
import { ADVISORY_LOCKS } from '../../src/config/product.js';
import { describeDiagnosis, Doctor, EXAMINED, problemLines } from '../../src/ops/doctor.js';
import { startObjectStore } from '../support/object-store.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

let test: TestDatabase;
let upstream: Server;
let port: number;
beforeAll(async () => {
  test = await createTestDatabase();
  // The archive and the lists are connected to only; /rdap/ has the help of a registry, /pages/ is a web server.
  upstream = createServer(({ url }, response) => {
    if (url?.startsWith('/rdap/')) response.setHeader('Content-Type', 'application/rdap+json');
    if (url?.startsWith('/pages/')) response.setHeader('Content-Type', 'text/html');
    if (url?.startsWith('/nothing')) response.statusCode = 404;
    response.end();
  });
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  port = (upstream.address() as AddressInfo).port;
});
afterAll(async () => {
  upstream.close();
  await test.close();
});

// Nothing listens on port 1 of this machine.
const NOWHERE = '127.0.0.1:1';
const SECRET = 'kZ8v2Q1mXr7Lp4Wd9Tb3Yc6Hs5Gf0Nj-';
const wellSet = () => ({
  HOST: '127.0.0.1',
  DATABASE_URL: test.url,
  REGISTRY_RDAP_URL: `http://127.0.0.1:${port}/rdap/`,
  REGISTRY_SOURCE: 'sandbox',
  ARCHIVE_CDX_URL: `http://127.0.0.1:${port}/cdx`,
  LIST_DELETED_URLS: `http://127.0.0.1:${port}/deleted`,
});

/** Per check: a slow machine is no part that does not answer. */
const PATIENT_MS = 60_000;

async function examine(environment: Record<string, string>, database: Database | Error = test.database) {
  const config = readConfig({ ...wellSet(), ...environment });
  const report = await new Doctor(config, database, PATIENT_MS).examine();
  const of = (part: string) => report.checks.find((check) => check.part === part);
  return { report, of };
}

describe('the doctor', () => {
  beforeEach(() => test.database.query('DELETE FROM list_fetch'));

  it('examines every part, each with what was found, and what to do where it is a problem', async () => {
    const { report } = await examine({});
    expect(report.checks.map(({ part }) => part)).toEqual([...EXAMINED]);
    for (const { state, finding, remedy } of report.checks) {
      expect(finding).toMatch(/\.$/);
      expect(remedy === null).toBe(state !== 'problem');
    }
    expect(report.problems).toBe(report.checks.filter(({ state }) => state === 'problem').length);
  });

  it('says that no list is configured, that one was never fetched, failed, or is not believed', async () => {
    expect((await examine({ LIST_DELETED_URLS: '' })).of('lists')).toMatchObject({
      state: 'problem',
      finding: expect.stringContaining('LIST_DELETED_URLS and LIST_EXPIRED_URLS are empty'),
    });
    expect((await examine({})).of('lists')?.finding).toBe(
      `The deleted list of 127.0.0.1:${port} was never fetched.`,
    );
    for (const [outcome, words] of [
      ['failed', 'could not be fetched: because'],
      ['alarm', 'is not believed: because'],
    ] as const) {
      await test.database.query('DELETE FROM list_fetch');
      await test.database.query(
        `INSERT INTO list_fetch (address, kind, started_at, finished_at, outcome, detail)
         VALUES ($1, 'deleted', now(), now(), $2, 'because')`,
        [wellSet().LIST_DELETED_URLS, outcome],
      );
      expect((await examine({})).of('lists')).toMatchObject({
        state: 'problem',
        finding: expect.stringContaining(words),
      });
    }
    await test.database.query(`UPDATE list_fetch SET outcome = 'imported'`);
    expect((await examine({})).of('lists')).toMatchObject({ state: 'well' });
  });

  it('says that an import ended early, until another one is under way', async () => {
    expect((await examine({})).of('imports')).toMatchObject({ state: 'well' });
    await test.database.query(
      `INSERT INTO import_run (fingerprint, source, counts, done, touched_at)
       VALUES ('0', 'big.csv', '{"added": 7, "changed": 2, "unchanged": 1, "absent": 0}', 'm.au', '2026-11-20T04:00:00Z')`,
    );
    expect((await examine({})).of('imports')).toMatchObject({
      state: 'problem',
      finding: 'The import of big.csv ended early at 2026-11-20T04:00:00.000Z: 10 rows are in.',
    });
    await test.database.transaction(async (transaction) => {
      await transaction.query('SELECT pg_advisory_xact_lock($1)', [ADVISORY_LOCKS.import]);
      expect((await examine({})).of('imports')).toMatchObject({ state: 'well' });
    });
    await test.database.query('DELETE FROM import_run');
  });

  it.each([
    ['registry', 'REGISTRY_RDAP_URL', `http://${NOWHERE}/rdap/`],
    ['archive', 'ARCHIVE_CDX_URL', `http://${NOWHERE}/cdx`],
    ['mail', 'SMTP_URL', `smtp://user:hunter2-hunter2@${NOWHERE}`],
  ])('says that the %s cannot be reached, and why, without credentials', async (part, setting, address) => {
    const { of, report } = await examine({ [setting]: address });
    expect(of(part)).toMatchObject({ state: 'problem', finding: expect.stringContaining('ECONNREFUSED') });
    expect(JSON.stringify(report)).not.toContain('hunter2');
    expect(describeDiagnosis(report)).toMatch(new RegExp(`^PROBLEM  ${part} .*\\n +> `, 'm'));
    expect(problemLines(report).join('\n')).toContain(`${part}: ${NOWHERE} cannot be reached`);
  });

  it('does not call a web server a registry, unless it has answered as one', async () => {
    const address = `http://127.0.0.1:${port}/pages/`;
    const { of } = await examine({ REGISTRY_RDAP_URL: address });
    expect(of('registry')).toMatchObject({
      state: 'problem',
      finding: `127.0.0.1:${port} answers HTTP 200 with text/html: that is not RDAP.`,
    });
    await test.database.query(
      `INSERT INTO registry_health (source, address, last_answered_at) VALUES ('sandbox', $1, now())`,
      [address],
    );
    expect((await examine({ REGISTRY_RDAP_URL: address })).of('registry')).toMatchObject({ state: 'well' });
    await test.database.query('DELETE FROM registry_health');
  });

  it('lists the bucket of exports with its key, and tells why it cannot', async () => {
    const store = await startObjectStore();
    const { host } = new URL(store.address);
    const exportsTo = async (address: string) =>
      (await examine({ AUTH: 'on', AUTH_SECRET: SECRET, EXPORTS: 'on', EXPORT_S3_URL: address })).of(
        'exports',
      );
    const ending = 'Until then no export is published.';
    try {
      expect(await exportsTo(store.address)).toMatchObject({ state: 'well' });
      for (const [address, why] of [
        [`http://idle-key:hunter2@${host}/names`, 'does not allow this key to list the bucket'],
        [`http://other-key:hunter2@${host}/names`, 'does not accept the key'],
        [`http://sandbox-key:hunter2@${host}/others`, 'has no such bucket'],
        [`http://key:hunter2@127.0.0.1:${port}/pages/here`, 'answers, but not as an object store'],
      ] as const) {
        const found = await exportsTo(address);
        const { host: asked, pathname } = new URL(address);
        const bucket = pathname.split('/')[1];
        expect(found).toMatchObject({
          ...{ state: 'problem', finding: `${asked} (bucket ${bucket}) ${why}. ${ending}` },
          remedy: expect.any(String),
        });
        expect(JSON.stringify(found)).not.toContain('hunter2');
      }
    } finally {
      await store.close();
    }
    const lost = await exportsTo(`http://key:hunter2@${NOWHERE}/names`);
    expect(lost?.finding).toMatch(/cannot be reached: .*ECONNREFUSED.*\. Until/);
    expect(JSON.stringify(lost)).not.toContain('hunter2');
    expect((await examine({})).of('exports')).toMatchObject({ state: 'off' });
  });

  it('does not call a registry well that fails its canaries', async () => {
    const { REGISTRY_RDAP_URL: address } = wellSet();
    await test.database.query(
      `INSERT INTO registry_health (source, address, canary, canary_at) VALUES ('sandbox', $1, 'failed', now())`,
      [address],
    );
    expect((await examine({})).of('registry')).toMatchObject({ state: 'problem' });
    await test.database.query('DELETE FROM registry_health');
    expect((await examine({})).of('registry')?.finding).toContain('all answers are made up');
  });

  it('finds weak and shared secrets, and shows none', async () => {
    const weak = 'abcabcabcabcabcabcabcabcabcabcabcabc';
    const accounts = { AUTH: 'on', BASE_URL: 'https://names.example', MAIL_FROM: 'a@names.example' };
    const { of, report } = await examine({
      ...accounts,
      AUTH_SECRET: weak,
      SMTP_URL: `smtp://127.0.0.1:${port}`,
    });
    expect(of('secrets')).toMatchObject({ state: 'problem', finding: 'Easily guessed: AUTH_SECRET.' });
    expect(JSON.stringify(report)).not.toContain(weak);
    const good = await examine({ ...accounts, AUTH_SECRET: SECRET, SMTP_URL: `smtp://127.0.0.1:${port}` });
    expect(good.of('secrets')).toMatchObject({ state: 'well' });
    expect(good.of('mail')).toMatchObject({ state: 'well' });
  });

  it('finds an address that leads visitors to this machine, or over plain HTTP', async () => {
    expect((await examine({ HOST: '0.0.0.0' })).of('base_address')).toMatchObject({ state: 'problem' });
    expect(
      (await examine({ HOST: '0.0.0.0', BASE_URL: 'https://names.example' })).of('base_address'),
    ).toMatchObject({
      state: 'well',
    });
  });

  it('lists the bucket of backups with its key', async () => {
    const store = await startObjectStore();
    const { host } = new URL(store.address);
    const backupsTo = async (address: string) =>
      (await examine({ BACKUP_S3_URL: address, BACKUP_KEY: Buffer.alloc(32, 7).toString('base64') })).of(
        'backups',
      );
    try {
      expect(await backupsTo(`http://other-key:hunter2@${host}/names`)).toMatchObject({
        state: 'problem',
        finding: expect.stringContaining(`${host} (bucket names) does not accept the key. Last backup never`),
        remedy: expect.stringContaining('BACKUP_S3_URL'),
      });
      expect((await backupsTo(store.address))?.finding).toBe(
        'Last backup never; a lost disk would cost everything.',
      );
    } finally {
      await store.close();
    }
  });

  it('says what a lost disk would cost: everything, a day, or what PostgreSQL has not archived', async () => {
    expect((await examine({})).of('backups')).toMatchObject({
      state: 'problem',
      finding: 'Last backup never; a lost disk would cost everything.',
      remedy: expect.stringContaining('BACKUP_DIR'),
    });
    await new AuditRepository(test.database).record({
      ...{ actor: 'command:alice', action: BACKUP_ACTION, subject: 'dataset', reason: 'backup', from: null },
    });
    expect((await examine({})).of('backups')).toMatchObject({
      state: 'well',
      finding: expect.stringMatching(
        /^Last backup \d+ seconds ago; a lost disk would cost what was committed within/,
      ),
    });
    const scheduled = { BACKUP_DIR: tmpdir(), BACKUP_KEY: Buffer.alloc(32, 7).toString('base64') };
    expect((await examine(scheduled)).of('backups')).toMatchObject({
      state: 'problem',
      finding: expect.stringContaining('No backup was restored to prove it within 9 days'),
    });
    const archiver = (row: string) =>
      Object.assign(Object.create(Object.getPrototypeOf(test.database) as object), test.database, {
        query: (sql: string, parameters: unknown[]) =>
          test.database.query(sql.replace('FROM pg_stat_archiver', `FROM (${row}) AS archiver`), parameters),
      }) as Database;
    const failing = `SELECT now() - interval '3 hours' AS last_archived_time, now() AS last_failed_time`;
    expect((await examine({}, archiver(failing))).of('backups')).toMatchObject({
      state: 'problem',
      finding: expect.stringContaining('could not archive its log'),
      remedy: expect.stringContaining('until the disk is full'),
    });
  });

  it('examines what it can without a database', async () => {
    const { of, report } = await examine({}, new Error('connect ECONNREFUSED 127.0.0.1:5432'));
    expect(of('database')).toMatchObject({
      state: 'problem',
      finding: expect.stringContaining('ECONNREFUSED'),
    });
    expect(of('registry')).toMatchObject({ state: 'well' });
    expect(report.checks).toHaveLength(EXAMINED.length);
  });

  it('does not wait for a part that does not answer', async () => {
    const stuck = Object.assign(Object.create(Object.getPrototypeOf(test.database) as object), test.database);
    stuck.query = stuck.prepared = () => new Promise(() => undefined);
    const report = await new Doctor(readConfig(wellSet()), stuck).examine();
    expect(report.checks.find(({ part }) => part === 'clock')).toMatchObject({
      state: 'problem',
      finding: 'It was not known within 5 s.',
    });
    expect(report.checks.find(({ part }) => part === 'archive')).toMatchObject({ state: 'well' });
  });
});
