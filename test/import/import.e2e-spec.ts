import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { findDomain } from '../../src/domains/domain.repository.js';
import { ImportError, UncertainImportError } from '../../src/ingest/import/reading/import-error.js';
import { describeReport } from '../../src/ingest/import/import-report.js';
import { openImportFile } from '../../src/ingest/import/reading/import-source.js';
import { importNames } from '../../src/ingest/import/importer.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { settle } from '../support/domains.js';
import { countsOf, IMPORT_NOW, importVouched, readDataset } from '../support/import.js';
import { lifecycleOn } from '../support/lifecycle.js';

describe('import', () => {
  let test: TestDatabase;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'bowerbird-import-'));
  });
  afterAll(() => rm(folder, { recursive: true }));
  beforeEach(async () => {
    test = await createTestDatabase();
  });
  afterEach(() => test.close());

  const load = (text: string | Buffer, options = {}) => importVouched(test.database, text, options);
  const read = () => readDataset(test.database);
  const stateOf = async (domain: string) => (await findDomain(domain, test.database))?.state;
  const readStats = async () => {
    const [row] = await test.database.query<{ refreshed: Date | null; available_records: string }>(
      'SELECT refreshed, available_records FROM dataset',
    );
    return { refreshed: row?.refreshed ?? null, available: row?.available_records };
  };
  const row = async (domain: string) => (await read()).rows.find((stored) => stored.domain === domain);

  describe('of a first file', () => {
    it('adds every name, announces it and counts it', async () => {
      const report = await load(
        'domain,wayback,first_seen,hidden\n' +
          'surf.com.au,120,2026-10-01,false\n' +
          'Coffee.AU,,,\n' +
          'secret.net.au,7,2026-10-02,true\n',
      );
      expect(report.read).toBe(3);
      expect(countsOf(report)).toEqual({ added: 3, changed: 0, unchanged: 0, rejected: 0, repeated: 0 });
      expect(await read()).toEqual({
        rows: [
          { domain: 'coffee.au', wayback: 0, first_seen: null, available: true, hidden: false },
          { domain: 'secret.net.au', wayback: 7, first_seen: '2026-10-02', available: true, hidden: true },
          { domain: 'surf.com.au', wayback: 120, first_seen: '2026-10-01', available: true, hidden: false },
        ],
        events: ['1 domain.dropped coffee.au', '2 domain.dropped surf.com.au'],
        availableRecords: 2,
        lastEvent: 2,
      });
    });

    it('says when the dataset was refreshed, and when the names dropped', async () => {
      const before = Date.now();
      const now = new Date();
      await load('domain\nsurf.com.au\n', { now, vouch: { by: 'test', at: now } });
      const { refreshed } = await readStats();
      const [event] = await test.database.query<{ occurred_at: Date; dropped_at: Date }>(
        'SELECT occurred_at, dropped_at FROM domain_event JOIN domain USING (domain)',
      );
      for (const moment of [refreshed, event?.occurred_at, event?.dropped_at])
        expect(Math.abs((moment?.getTime() ?? 0) - before)).toBeLessThan(60_000);
    });

    it('tells of the names at the time at which it writes the events, and not at which it began', async () => {
      const slow = function* () {
        yield Buffer.from('domain\n');
        const until = performance.now() + 30;
        while (performance.now() < until);
        yield Buffer.from('surf.com.au\n');
      };
      await importVouched(test.database, slow());
      const [event] = await test.database.query<{ occurred_at: Date }>(
        'SELECT occurred_at FROM domain_event',
      );
      expect(event?.occurred_at.getTime()).toBeGreaterThanOrEqual(IMPORT_NOW.getTime() + 30);
    });

    it('leaves the table as the migrations made it', async () => {
      const before = await describeTable();
      await test.database.query('ALTER TABLE domain SET (autovacuum_vacuum_scale_factor = 0.05)');
      await test.database.query('ALTER TABLE domain ALTER COLUMN name SET STATISTICS 500');
      await test.database.query('CREATE STATISTICS odd_one (ndistinct) ON name, tld FROM domain');
      await test.database.query('CREATE INDEX "Odd index" ON domain (wayback DESC) WHERE NOT hidden');
      await test.database.query('GRANT SELECT ON domain TO PUBLIC');
      const changed = await describeTable();
      expect(changed).not.toEqual(before);
      await load('domain\nsurf.com.au\ncoffee.au\nsurf.com.au\n');
      expect(await describeTable()).toEqual(changed);
      expect((await read()).rows).toHaveLength(2);
    });

    it('loads a table that a view depends on in place', async () => {
      await test.database.query('CREATE VIEW shown AS SELECT domain FROM domain WHERE NOT hidden');
      expect(countsOf(await load('domain\nsurf.com.au\n'))).toMatchObject({ added: 1 });
      expect(await test.database.query('SELECT * FROM shown')).toEqual([{ domain: 'surf.com.au' }]);
    });

    async function describeTable(): Promise<unknown[]> {
      return test.database.query(`
        SELECT 'column' AS kind, concat_ws(' ', attname, format_type(atttypid, atttypmod), attnotnull, attgenerated, attcollation::regcollation,
                 nullif(attstattarget, -1), pg_get_expr(adbin, adrelid)) AS text
          FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
         WHERE attrelid = 'domain'::regclass AND attnum > 0 AND NOT attisdropped
         UNION ALL
        SELECT 'constraint', concat_ws(' ', conname, pg_get_constraintdef(oid)) FROM pg_constraint WHERE conrelid = 'domain'::regclass
         UNION ALL
        SELECT 'index', indexdef FROM pg_indexes WHERE tablename = 'domain'
         UNION ALL
        SELECT 'statistics', pg_get_statisticsobjdef(oid) FROM pg_statistic_ext WHERE stxrelid = 'domain'::regclass
         UNION ALL
        SELECT 'table', concat_ws(' ', relnamespace::regnamespace, pg_get_userbyid(relowner), relpersistence, reloptions, relacl)
          FROM pg_class WHERE oid = 'domain'::regclass
         ORDER BY 1, 2`);
    }
  });

  it('works for a role that may not make schemas', async () => {
    const { pathname } = new URL(test.url);
    await test.database.query(`REVOKE CREATE ON DATABASE ${pathname.slice(1)} FROM CURRENT_USER`);
    expect(countsOf(await load('domain\nsurf.com.au\n'))).toMatchObject({ added: 1 });
    expect(countsOf(await load('domain\nsurf.com.au\nreef.au\n'))).toMatchObject({ added: 1 });
  });

  it('does not say that nothing was imported when the connection is lost during the commit', async () => {
    await test.database.query(`
      CREATE FUNCTION hang_up() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$`);
    await test.database.query(`
      CREATE CONSTRAINT TRIGGER hang_up AFTER UPDATE ON dataset DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION hang_up()`);
    const failure: unknown = await load('domain\nsurf.com.au\n').catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(UncertainImportError);
    expect(failure).toMatchObject({ message: expect.stringContaining('may be in or not') });
  });

  it('says that nothing was imported, and why, when the disk is full at the commit', async () => {
    await test.database.query(`
      CREATE FUNCTION fill_up() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100', HINT = 'Check free disk space.'; END $$`);
    await test.database.query(`
      CREATE CONSTRAINT TRIGGER fill_up AFTER UPDATE ON dataset DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION fill_up()`);
    const failure: unknown = await load('domain\nsurf.com.au\n').catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ImportError);
    expect(failure).toMatchObject({
      message: 'The database takes no writes: could not extend file. Check free disk space.',
    });
    expect((await read()).rows).toEqual([]);
  });

  describe('of a second file', () => {
    beforeEach(async () => {
      await load(
        'domain,wayback,first_seen,hidden\nsurf.com.au,120,2026-10-01,\nreef.au,5,,\nold.id.au,1,2026-01-01,true\n',
      );
    });

    it('changes nothing when it is the same one', async () => {
      const before = await read();
      const report = await load(
        'domain,wayback,first_seen,hidden\nsurf.com.au,120,2026-10-01,\nreef.au,5,,\nold.id.au,1,2026-01-01,true\n',
      );
      expect(countsOf(report)).toEqual({ added: 0, changed: 0, unchanged: 3, rejected: 0, repeated: 0 });
      expect(await read()).toEqual(before);
    });

    it('keeps what a row does not say', async () => {
      expect(countsOf(await load('domain,wayback\nsurf.com.au,\nold.id.au,\n'))).toMatchObject({
        changed: 0,
        unchanged: 2,
      });
      expect(await row('old.id.au')).toMatchObject({ wayback: 1, first_seen: '2026-01-01', hidden: true });
    });

    it('keeps what imports know nothing of', async () => {
      await test.database.query(
        `UPDATE domain SET archive_status = 'ok', archive_first_capture = '1999-01-02', archive_last_capture = '2024-05-06',
                archive_captures = 77, checked_at = '2026-11-01T10:00:00Z' WHERE domain <> 'reef.au'`,
      );
      const others = () =>
        test.database.query(
          `SELECT domain, archive_status, archive_first_capture, archive_last_capture, archive_captures, checked_at,
                  CASE domain WHEN 'surf.com.au' THEN NULL ELSE dropped_at END AS dropped_at
             FROM domain ORDER BY domain`,
        );
      const before = await others();
      await load('domain,wayback,first_seen\nsurf.com.au,9,2026-11-05\nreef.au,6,\n');
      expect(await others()).toEqual(before);
    });

    it('changes a score without an event', async () => {
      const { lastEvent } = await read();
      expect(countsOf(await load('domain,wayback\nsurf.com.au,9\n'))).toMatchObject({ changed: 1 });
      expect(await row('surf.com.au')).toMatchObject({ wayback: 9, first_seen: '2026-10-01' });
      expect((await read()).lastEvent).toBe(lastEvent);
    });

    it('takes a later first_seen for a new drop', async () => {
      const [before] = await test.database.query<{ dropped_at: Date }>(
        `SELECT dropped_at FROM domain WHERE domain = 'surf.com.au'`,
      );
      await load('domain,first_seen\nsurf.com.au,2026-11-05\n', { vouch: { by: 'test', at: IMPORT_NOW } });
      expect(await row('surf.com.au')).toMatchObject({
        first_seen: '2026-11-05',
        wayback: 120,
        available: true,
      });
      expect((await read()).events.at(-1)).toBe('3 domain.dropped surf.com.au');
      const [after] = await test.database.query<{ dropped_at: Date }>(
        `SELECT dropped_at FROM domain WHERE domain = 'surf.com.au'`,
      );
      expect(after?.dropped_at.getTime()).toBeGreaterThan(before?.dropped_at.getTime() ?? Infinity);
    });

    it.each(['2026-10-01', '2026-09-30'])('takes first_seen %s for old news', async (day) => {
      expect(countsOf(await load(`domain,first_seen\nsurf.com.au,${day}\n`))).toMatchObject({ changed: 0 });
    });

    it('fills in an unknown first_seen without calling it a drop', async () => {
      const { lastEvent } = await read();
      expect(countsOf(await load('domain,first_seen\nreef.au,2026-11-05\n'))).toMatchObject({ changed: 1 });
      expect(await row('reef.au')).toMatchObject({ first_seen: '2026-11-05' });
      expect((await read()).lastEvent).toBe(lastEvent);
    });

    it('tells of a name that is hidden, and announces one that is shown again', async () => {
      const { availableRecords, lastEvent } = await read();
      await load('domain,hidden\nsurf.com.au,true\n');
      expect(await read()).toMatchObject({
        availableRecords: availableRecords - 1,
        lastEvent: lastEvent + 1,
      });
      expect((await read()).events.at(-1)).toBe(`${lastEvent + 1} domain.removed surf.com.au`);
      await load('domain,hidden\nsurf.com.au,false\n');
      expect(await read()).toMatchObject({ availableRecords, lastEvent: lastEvent + 2 });
      expect((await read()).events.at(-1)).toBe(`${lastEvent + 2} domain.dropped surf.com.au`);
    });

    it('does not announce a hidden name that drops again', async () => {
      const { lastEvent } = await read();
      await load('domain,first_seen\nold.id.au,2026-11-01\n');
      expect(await row('old.id.au')).toMatchObject({ first_seen: '2026-11-01', hidden: true });
      expect((await read()).lastEvent).toBe(lastEvent);
    });

    describe('when a registry has called the name taken on 3 November', () => {
      beforeEach(async () => {
        await settle(test.database, 'surf.com.au', false, new Date('2026-11-03T09:00:00Z'));
        await settle(test.database, 'reef.au', false, new Date('2026-11-03T09:00:00Z'));
      });

      it.each([
        ['surf.com.au', '2026-10-01'],
        ['surf.com.au', '2026-11-10'],
        ['reef.au', '2026-11-10'],
      ])('%s of %s stays taken when somebody vouched for it earlier', async (domain, day) => {
        const { lastEvent, availableRecords } = await read();
        await load(`domain,first_seen\n${domain},${day}\n`);
        expect(await row(domain)).toMatchObject({ available: false });
        expect(await read()).toMatchObject({ lastEvent, availableRecords });
      });

      it.each([
        ['surf.com.au', '2026-11-10'],
        ['reef.au', '2026-11-10'],
      ])('%s of %s is available again when somebody vouches for it later', async (domain, day) => {
        const { lastEvent, availableRecords } = await read();
        const vouch = { by: 'test', at: new Date('2026-11-11T00:00:00Z') };
        await load(`domain,first_seen\n${domain},${day}\n`, { vouch });
        expect(await row(domain)).toMatchObject({ available: true, first_seen: day });
        expect(await read()).toMatchObject({
          lastEvent: lastEvent + 1,
          availableRecords: availableRecords + 1,
        });
      });

      it.each([
        ['surf.com.au', '2026-11-03', 'unconfirmed'],
        ['surf.com.au', '2026-11-02', 'taken'],
        ['surf.com.au', '2026-10-01', 'taken'],
        ['surf.com.au', '', 'taken'],
        ['reef.au', '2026-11-03', 'unconfirmed'],
        ['reef.au', '2026-11-02', 'taken'],
      ])('%s of "%s" without evidence is %s', async (domain, day, state) => {
        const before = await read();
        await load(`domain,first_seen\n${domain},${day}\n`, { vouch: undefined });
        expect(await stateOf(domain)).toBe(state);
        const { events, availableRecords } = await read();
        expect({ events, availableRecords }).toEqual({
          events: before.events,
          availableRecords: before.availableRecords,
        });
      });

      it('a score does not bring it back', async () => {
        await load('domain,wayback\nsurf.com.au,500\n', { vouch: undefined });
        expect(await row('surf.com.au')).toMatchObject({ available: false, wayback: 500 });
      });
    });
  });

  describe('of rows that cannot be imported', () => {
    const MIXED =
      'domain,wayback\nsurf.com.au,1\nx.com.au,2\nsurf.com.au,3\n"reef.au",many\nsurf.com.au,4\ncafe.au,5\n';

    it.each(['into an empty dataset', 'into a dataset with rows'])(
      'reports them with line and reason, %s',
      async (where) => {
        if (where.includes('with rows')) await load('domain\nother.net.au\n');
        const report = await load(MIXED);
        expect(report.read).toBe(6);
        expect(countsOf(report)).toEqual({ added: 2, changed: 0, unchanged: 0, rejected: 2, repeated: 2 });
        expect(report.rejects).toEqual([
          { line: 3, text: 'x.com.au', reason: expect.stringContaining('one character') },
          { line: 5, text: 'reef.au', reason: expect.stringContaining('wayback must be a whole number') },
          { line: 2, text: 'surf.com.au', reason: 'repeated on line 6, which counts' },
          { line: 4, text: 'surf.com.au', reason: 'repeated on line 6, which counts' },
        ]);
        expect(await row('surf.com.au')).toMatchObject({ wayback: 4 });
        expect((await read()).events.filter((event) => event.endsWith('surf.com.au'))).toHaveLength(1);
      },
    );

    it('imports nothing when more are rejected than may be', async () => {
      await expect(load(MIXED, { maxRejectsPercent: 30 })).rejects.toThrow(
        '2 of 6 rows were rejected, 33.3 %; 30 % may be.\n  line 3, x.com.au',
      );
      expect((await read()).events).toEqual([]);
      expect(countsOf(await load(MIXED, { maxRejectsPercent: 34 }))).toMatchObject({ added: 2, rejected: 2 });
    });

    it('shows the first ten and counts the rest', async () => {
      const bad = Array.from({ length: 25 }, (_, n) => `bad_${n}.com.au\n`).join('');
      const text = describeReport(await load(`domain\nsurf.com.au\n${bad}`));
      expect(text).toContain('line 12, bad_9.com.au: domain has an underscore');
      expect(text).not.toContain('bad_10');
      expect(text).toContain('and 15 more; see them all with --rejects FILE');
    });

    it('writes all of them to a file', async () => {
      const path = join(folder, 'rejects.csv');
      const report = await load(MIXED, { rejectsFile: path });
      expect((await readFile(path, 'utf8')).split('\n')).toEqual([
        'line,domain,reason',
        expect.stringMatching(/^3,x\.com\.au,"domain has ""x"" as its label, .*"$/),
        expect.stringMatching(/^5,reef\.au,"?wayback must be .*$/),
        '2,surf.com.au,"repeated on line 6, which counts"',
        '4,surf.com.au,"repeated on line 6, which counts"',
        '',
      ]);
      expect(describeReport(report)).toContain(`Rows not imported are in ${path}`);
    });

    it.each(['', 'name,score\nsurf.com.au,1\n'])(
      'leaves a file with earlier rejects as it is when the source is no list of names: %j',
      async (text) => {
        const path = join(folder, 'earlier.csv');
        await writeFile(path, 'line,domain,reason\n2,"x.com.au","one character"\n');
        await expect(load(text, { rejectsFile: path })).rejects.toThrow('header');
        expect(await readFile(path, 'utf8')).toContain('x.com.au');
      },
    );

    it('will not write the rejects over the file it reads, nor where it cannot write', async () => {
      const path = join(folder, 'names.csv');
      await writeFile(path, MIXED);
      const run = async (rejectsFile: string) =>
        importNames(test.database, await openImportFile(path), {
          lifecycle: lifecycleOn(test.database),
          now: IMPORT_NOW,
          rejectsFile,
        });
      await expect(run(path)).rejects.toThrow('The file for the rejects is the file to import');
      expect(await readFile(path, 'utf8')).toBe(MIXED);
      await expect(run(join(folder, 'absent', 'rejects.csv'))).rejects.toThrow('Cannot write the rejects');
      expect((await read()).rows).toEqual([]);
    });
  });

  it.each(['an empty dataset', 'a dataset with rows'])(
    'a dry run on %s reports and changes nothing',
    async (where) => {
      if (where.includes('with rows')) await load('domain,wayback\nsurf.com.au,7\n');
      const before = await read();
      const stats = await readStats();
      const file = 'domain,wayback\nsurf.com.au,8\nreef.au,9\nreef.au,10\nbad\n';
      const dry = await load(file, { dryRun: true });
      expect(await read()).toEqual(before);
      expect(await readStats()).toEqual(stats);
      expect(describeReport(dry)).toContain('dry run, nothing was changed');
      expect(countsOf(await load(file))).toEqual(countsOf(dry));
    },
  );

  describe('of a bad file', () => {
    const FILE = 'domain,wayback\nsurf.com.au,1\n'.padEnd(5_000, 'reef.au,2\n');

    it.each<[string, string | Buffer, string]>([
      ['empty', '', 'The file is empty'],
      ['blank', '\n\r\n  \n', 'The file is empty'],
      ['only a header', 'domain,wayback\n', 'There is no row below the header'],
      ['without a header', 'surf.com.au,1\nreef.au,2\n', 'must be a header with a column "domain"'],
      [
        'without the column domain',
        'wayback,first_seen\n1,2026-10-01\n',
        'must be a header with a column "domain"',
      ],
      ['with an unknown column', 'domain,waybak\nsurf.com.au,1\n', 'unknown columns: "waybak"'],
      ['with semicolons', 'domain;wayback\nsurf.com.au;1\n', 'not separated by commas'],
      ['all rejected', 'domain\nx\ny.com\n', 'All 2 rows were rejected.\n  line 2, x: domain has no suffix'],
      ['gzip that ends early', gzipSync(FILE).subarray(0, -12), 'the file is truncated'],
      [
        'gzip with damage',
        Buffer.concat([gzipSync(FILE).subarray(0, 40), Buffer.alloc(40, 0xff)]),
        'The gzip data is damaged',
      ],
      ['a zip archive', Buffer.from('504b0304140000000800', 'hex'), 'It is a zip archive. Unpack it'],
      [
        'binary further down',
        Buffer.concat([Buffer.from(FILE), Buffer.alloc(3)]),
        'It is not a text file: byte 5001 is zero',
      ],
      ['binary in gzip', gzipSync(Buffer.alloc(1_000)), 'It is not a text file'],
      [
        'damaged UTF-16',
        Buffer.concat([Buffer.from('\ufeffdomain\nsurf.com.au\n', 'utf16le'), Buffer.from([0])]),
        'It begins as text in UTF-16, and is none further on. Save it as "CSV UTF-8".',
      ],
      ['one huge line', `domain\n${'x'.repeat(5_000_000)}\n`, 'Line 2 is longer than 16384 bytes'],
      [
        'an open quote',
        `domain\nsurf.com.au\n"reef.au\n${'cafe.au\n'.repeat(10_000)}`,
        'Line 3 is longer than 16384 bytes',
      ],
      ['a stray quote', 'domain\nsurf.com.au\nre"ef.au\n', 'On line 3 a quote stands inside a cell'],
    ])('%s: a clear message, and nothing changed', async (_, bytes, message) => {
      for (const dataset of ['empty', 'with rows']) {
        if (dataset === 'with rows') await load('domain\nother.net.au\n');
        const before = await read();
        await expect(load(bytes)).rejects.toThrow(message);
        expect(await read()).toEqual(before);
      }
      // The connection is fit for the next one.
      expect(countsOf(await load('domain\nlast.id.au\n'))).toMatchObject({ added: 1 });
    });

    it.each([
      ['/nowhere/names.csv', 'There is no file /nowhere/names.csv'],
      [tmpdir(), 'is a directory'],
    ])('%s: says so', async (path, message) => {
      await expect(openImportFile(path)).rejects.toThrow(message);
    });
  });

  describe('of text as it comes', () => {
    it.each<[string, Buffer]>([
      ['gzip', gzipSync('domain,wayback\nsurf.com.au,1\n')],
      ['gzip in two members', Buffer.concat([gzipSync('domain,wayback\n'), gzipSync('surf.com.au,1\n')])],
      ['CRLF', Buffer.from('domain,wayback\r\nsurf.com.au,1\r\n')],
      ['a byte order mark', Buffer.from('\ufeffdomain,wayback\nsurf.com.au,1\n')],
      ['quotes', Buffer.from('"domain","wayback"\n"surf.com.au","1"')],
      ['blank lines', Buffer.from('\ndomain,wayback\n\n\nsurf.com.au,1\n\n')],
    ])('%s', async (_, bytes) => {
      // One byte at a time, the hardest way for a file to arrive.
      const report = await importVouched(
        test.database,
        Array.from(bytes, (byte) => Buffer.of(byte)),
      );
      expect(countsOf(report)).toEqual({ added: 1, changed: 0, unchanged: 0, rejected: 0, repeated: 0 });
      expect(await row('surf.com.au')).toMatchObject({ wayback: 1 });
    });
  });
});
