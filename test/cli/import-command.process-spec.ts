import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { gzipSync } from 'node:zlib';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { countByHand, readCube } from '../support/cube-oracle.js';
import { importVouched, readDataset } from '../support/import.js';
import { compiledSources, makeFolder, run, type Running, until } from '../support/processes.js';

jest.setTimeout(180_000);

const VOUCHED = ['--vouched-by', 'test', '--confirmed-at', '2026-01-01'];
const NAMES = 'domain,wayback\nsurf.com.au,12\nreef.au,x\ncafe.net.au,3\n';

describe('bowerbird import', () => {
  let compiled: string;
  let folder: string;
  let test: TestDatabase;

  beforeAll(async () => {
    compiled = await compiledSources();
    folder = await makeFolder('import');
  });
  beforeEach(async () => {
    test = await createTestDatabase();
  });
  afterEach(() => test.close());

  const environment = (more: Record<string, string> = {}) => ({ DATABASE_URL: test.url, ...more });
  const command = (parameters: string[], more: Record<string, string> = {}): Running =>
    run(join(compiled, 'dist/cli.js'), ['import', ...parameters], { environment: environment(more) });
  const write = async (name: string, content: string | Buffer) => {
    await writeFile(join(folder, name), content);
    return join(folder, name);
  };

  it('imports a file and reports on it', async () => {
    const path = await write('names.csv', NAMES);
    const running = command([path, ...VOUCHED]);
    expect(await running.ended).toBe(0);
    expect(running.output()).toMatch(
      /read +3\n +added +2\n +changed +0\n +unchanged +0\n +rejected +1\n +repeated +0\n/,
    );
    expect(running.output()).toContain('line 3, reef.au: wayback must be a whole number');
    expect((await readDataset(test.database)).availableRecords).toBe(2);
  });

  it('takes no vouch for a name that an operator holds back', async () => {
    await test.database.query(
      `INSERT INTO name_hold (domain, what, source, as_of) VALUES ('surf.com.au', 'contested', 'a list', '2026-01-01')`,
    );
    const running = command([await write('held.csv', NAMES), ...VOUCHED]);
    expect(await running.ended).toBe(0);
    expect(running.output()).toContain('line 2, surf.com.au: domain is reserved: contested');
    expect((await readDataset(test.database)).rows.map(({ domain }) => domain)).toEqual(['cafe.net.au']);
  });

  it('keeps the report on standard output and everything else off it', async () => {
    const path = await write('names.csv', NAMES);
    const { stdout, stderr, code } = await pipeInto([path, '--dry-run'], '');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^.*names\.csv: dry run, nothing was changed\n {2}read/);
    expect(stderr).toContain('merging\n');
    expect(stderr).not.toContain('read  ');
    expect((await readDataset(test.database)).rows).toEqual([]);
  });

  it.each([
    ['plain', Buffer.from(NAMES)],
    ['gzipped', gzipSync(NAMES)],
  ])('reads standard input, %s', async (_, input) => {
    const { stdout, code } = await pipeInto(['-', ...VOUCHED], input);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^standard input: imported\n/);
    expect((await readDataset(test.database)).availableRecords).toBe(2);
  });

  it('says of a drop list how many purges lie ahead, by the kind that the option or the name says', async () => {
    const rows = 'Date,Eligible Purge Time,Domain Name\n2020-01-01,01:00:00,surf.com.au\n';
    const named = command([await write('expired-2020.csv', rows)]);
    expect(await named.ended).toBe(0);
    expect(named.output()).toContain('Purges ahead: 0 (expired).\n');
    const told = command([await write('list.csv', rows), '--kind', 'deleted']);
    expect(await told.ended).toBe(0);
    expect(told.output()).toContain('Purges ahead: 0 (deleted).\n');
    expect(told.output()).toMatch(/\n[12] names? awaits? the registry: about 1 h beside each day's drops\./);
    expect(await test.database.query('SELECT state, list_kind FROM domain')).toEqual([
      { state: 'purged', list_kind: 'expired' },
    ]);
  });

  it('imports a folder in the order of the dates, and goes on where an import ended early', async () => {
    const lists = await makeFolder('lists');
    const header = 'Date,Eligible Purge Time,Domain Name\n';
    const put = (name: string, row: string) => writeFile(join(lists, name), gzipSync(`${header}${row}\n`));
    await put('deleted-2020-01-02.csv.gz', '2020-01-02,01:00:00,surf.com.au');
    await put('expired-2020-01-01.csv.gz', '2020-01-01,01:00:00,surf.com.au\n2020-01-01,01:00:00,x_y.com.au');
    await writeFile(join(lists, 'deleted-2020-01-03.csv'), 'no,header\n1,2\n');
    const first = command([lists]);
    expect(await first.ended).toBe(1);
    expect(first.output()).toContain('1 of 3: expired-2020-01-01.csv.gz');
    expect(first.output()).toContain(
      '2 of 3 lists are imported. Run the same command again: it goes on there.',
    );
    const known = 'SELECT domain, list_kind FROM domain';
    expect(await test.database.query(known)).toEqual([{ domain: 'surf.com.au', list_kind: 'deleted' }]);
    await put('deleted-2020-01-04.csv.gz', '2020-01-04,01:00:00,reef.com.au\n2020-01-04,01:00:00,a_b.com.au');
    await unlink(join(lists, 'deleted-2020-01-03.csv'));
    const second = command([lists]);
    expect(await second.ended).toBe(0);
    expect(second.output()).toContain('2 of 3 lists are in, by an import that ended early.\n');
    expect(second.output()).toMatch(/read +2\n +added +1\n/);
    expect(second.output()).toContain('line 3, a_b.com.au in deleted-2020-01-04.csv.gz: ');
    // All are in: the next import begins again, or behind the list that is named.
    const third = command([lists]);
    expect(await third.ended).toBe(0);
    expect(third.output()).toMatch(/read +5\n/);
    const fourth = command([lists, '--after', 'deleted-2020-01-02.csv.gz']);
    expect(await fourth.ended).toBe(0);
    expect(fourth.output()).toMatch(/read +2\n/);
  });

  it('refuses a folder whose lists it cannot order', async () => {
    const lists = await makeFolder('undated');
    await writeFile(join(lists, 'names.csv'), NAMES);
    const running = command([lists]);
    expect(await running.ended).toBe(1);
    expect(running.output()).toContain('names.csv has no date (YYYY-MM-DD)');
    expect(running.output()).toContain('Nothing was imported.');
  });

  it('adds nothing from a file of scores unless it is told to', async () => {
    const path = await write('scores.csv', 'domain,wayback\nsurf.com.au,12\n');
    const first = command([path]);
    expect(await first.ended).toBe(0);
    expect(first.output()).toMatch(/absent +1\n/);
    const second = command([path, '--add']);
    expect(await second.ended).toBe(0);
    expect(second.output()).toMatch(/added +1\n/);
  });

  it.each([
    ['a voucher without a time', ['--vouched-by', 'x'], '--vouched-by and --confirmed-at go together'],
    [
      'a time without a voucher',
      ['--confirmed-at', '2026-01-01'],
      '--vouched-by and --confirmed-at go together',
    ],
    ['a time to come', ['--vouched-by', 'x', '--confirmed-at', '2999-01-01'], 'lies in the future'],
    [
      'a time that is none',
      ['--vouched-by', 'x', '--confirmed-at', '2026-02-30'],
      'must be a day, YYYY-MM-DD, or a time',
    ],
    ['a voucher with spaces', ['--vouched-by', 'a b', '--confirmed-at', '2026-01-01'], 'up to 40 letters'],
    ['an unknown kind', ['--kind', 'purged'], 'Allowed choices are deleted, expired'],
  ])('refuses %s', async (_, parameters, message) => {
    const running = command([await write('names.csv', NAMES), ...parameters]);
    expect(await running.ended).toBe(1);
    expect(running.output()).toContain(message);
    expect((await readDataset(test.database)).rows).toEqual([]);
  });

  it.each([
    ['a file that is not there', ['/nowhere/names.csv'], 'There is no file /nowhere/names.csv'],
    ['a folder without lists', ['/'], 'No file in it ends in .csv or .csv.gz'],
    ['nothing', [], "missing required argument 'file'"],
    ['an option that is not there', ['x.csv', '--dry'], "unknown option '--dry'"],
  ])('%s: exit code 1 and the reason', async (_, parameters, reason) => {
    const running = command(parameters);
    expect(await running.ended).toBe(1);
    expect(running.output()).toContain(reason);
  });

  it('a file without a usable row: exit code 1 and the reasons', async () => {
    const running = command([await write('bad.csv', 'domain\nx\n')]);
    expect(await running.ended).toBe(1);
    expect(running.output()).toContain('line 2, x: domain has no suffix');
    expect(running.output()).toContain('Nothing was imported.');
  });

  it.each(['/dev/full', '/nowhere/rejects.csv'])(
    'rejects that cannot be written to %s: exit code 1, the file, and nothing is imported',
    async (file) => {
      const running = command([await write('names.csv', NAMES), '--rejects', file]);
      expect(await running.ended).toBe(1);
      expect(running.output()).toContain(`Cannot write the rejects to ${file}: E`);
      expect(running.output()).toContain('Nothing was imported.');
      expect((await readDataset(test.database)).rows).toEqual([]);
    },
  );

  it('rejects that would go over the file at standard input: exit code 1, and the file is as it was', async () => {
    const path = await write('names.csv', NAMES);
    const input = await open(path);
    const child = spawn(process.execPath, [join(compiled, 'dist/cli.js'), 'import', '-', '--rejects', path], {
      env: { PATH: process.env.PATH, ...environment() },
      stdio: [input.fd, 'ignore', 'ignore'],
    });
    expect(await once(child, 'close')).toEqual([1, null]);
    await input.close();
    expect(await readFile(path, 'utf8')).toBe(NAMES);
  });

  it('a database that fails in the middle: exit code 1, the file, the reason, and that nothing was imported', async () => {
    await test.database.query(`
      CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no luck'; END $$`);
    await test.database.query(
      'CREATE TRIGGER fail BEFORE UPDATE ON dataset FOR EACH ROW EXECUTE FUNCTION fail()',
    );
    const path = await write('names.csv', NAMES);
    const running = command([path]);
    expect(await running.ended).toBe(1);
    expect(running.output()).toContain(`${path}: no luck\nNothing was imported.\n`);
  });

  it('a DATA_DIR that cannot be made: exit code 1 at once, and the variable', async () => {
    const more = { DATABASE_URL: '', DATA_DIR: '/proc/nope' };
    const running = command([await write('names.csv', NAMES)], more);
    expect(await running.ended).toBe(1);
    expect(running.output()).toContain('DATA_DIR /proc/nope cannot be made');
  });

  describe('when it is ended while the server works', () => {
    let path: string;
    let holder: Client;
    let running: Running;
    let before: unknown;

    beforeEach(async () => {
      await importVouched(test.database, 'domain,wayback\nsurf.com.au,1\n');
      before = await readDataset(test.database);
      // Somebody else holds the row, so the merge cannot end by itself.
      holder = new Client({ connectionString: test.url });
      await holder.connect();
      await holder.query('BEGIN');
      await holder.query(`SELECT FROM domain WHERE domain = 'surf.com.au' FOR UPDATE`);
      path = await write('names.csv', NAMES);
      running = command([path, ...VOUCHED]);
      await until('the merge waits', async () => (await importers('Lock')) === 1);
    });
    afterEach(async () => {
      await running.stop('SIGKILL');
      await holder.end();
    });

    const importers = async (waitEvent: string) => {
      const rows = await test.database.query(
        `SELECT FROM pg_stat_activity
          WHERE datname = current_database() AND application_name ~ '^bowerbird/' AND wait_event_type = $1 AND pid <> pg_backend_pid()`,
        [waitEvent],
      );
      return rows.length;
    };

    it.each(['SIGINT', 'SIGTERM'] as const)('%s takes everything back: exit code 130', async (signal) => {
      expect(await running.stop(signal)).toBe(130);
      expect(running.output()).toContain('Interrupted; the dataset is as it was.');
      expect(await readDataset(test.database)).toEqual(before);
    });

    it('by the server: exit code 1, the file, and that nothing was imported', async () => {
      await test.database.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE datname = current_database() AND application_name ~ '^bowerbird/' AND wait_event_type = 'Lock'`,
      );
      expect(await running.ended).toBe(1);
      expect(running.output()).toContain(
        `${path}: The database is away, or does not answer.\nNothing was imported.\n`,
      );
      expect(await readDataset(test.database)).toEqual(before);
    });

    it('kill -9 leaves the old dataset, and nothing that bars the next import', async () => {
      await running.stop('SIGKILL');
      await until('the server notices', async () => (await importers('Lock')) === 0);
      expect(await readDataset(test.database)).toEqual(before);
      await holder.query('ROLLBACK');
      const next = command([path, ...VOUCHED]);
      expect(await next.ended).toBe(0);
      expect((await readDataset(test.database)).availableRecords).toBe(2);
    });
  });

  describe('when it is killed with -9', () => {
    const BEFORE = Array.from({ length: 400 }, (_, n) => `known-${n}.com.au,${n}\n`);
    const ROWS = Array.from(
      { length: 2_500 },
      (_, n) => `${n % 5 ? 'new' : 'known'}-${n}.com.au,${n + 1_000}\n`,
    );
    // A list is published the day before its purges.
    const PURGE_DAY = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
    const listOfDay = (names: readonly string[]) =>
      `Date,Eligible Purge Time,Domain Name\n${names.map((name) => `${PURGE_DAY},01:00:00,${name}.com.au\n`).join('')}`;
    const LISTED = Array.from({ length: 1_200 }, (_, n) => `listed-${n}`);
    // A list that lacks some names, and has some new ones.
    const REVISED = [
      ...LISTED.filter((_, n) => n % 10 !== 3),
      ...LISTED.slice(0, 700).map((name) => `more-${name}`),
    ];
    let barrier: Client;

    beforeEach(async () => {
      barrier = new Client({ connectionString: test.url });
      await barrier.connect();
    });
    afterEach(() => barrier.end());

    /** Stops whoever changes `import_run` in this way, until the barrier is lifted. */
    async function putBarrier(when: string): Promise<void> {
      await barrier.query('SELECT pg_advisory_lock(1)');
      await test.database.query(`
        CREATE FUNCTION wait_here() RETURNS trigger LANGUAGE plpgsql AS
          $$ BEGIN PERFORM pg_advisory_xact_lock_shared(1); RETURN coalesce(NEW, OLD); END $$`);
      await test.database.query(`CREATE TRIGGER wait_here ${when} FOR EACH ROW EXECUTE FUNCTION wait_here()`);
    }

    const isAtBarrier = async () => {
      const waiting = await test.database.query(
        `SELECT FROM pg_locks JOIN pg_database ON pg_database.oid = database
          WHERE datname = current_database() AND locktype = 'advisory' AND objid = 1 AND NOT granted`,
      );
      return waiting.length > 0;
    };

    const everything = async ({ database }: TestDatabase) => {
      const { rows, events, availableRecords, lastEvent } = await readDataset(database);
      const states = await database.query('SELECT domain, state FROM domain ORDER BY domain');
      return { rows, events, availableRecords, lastEvent, states, cube: await readCube(database) };
    };

    it.each([
      ['while it reads', 'rows', null, null],
      ['in a later batch', 'rows', 'BEFORE UPDATE ON import_run', 'known-1000'],
      ['at its end', 'rows', 'BEFORE DELETE ON import_run', 'new-999'],
      ['while it takes names off a list', 'list', 'BEFORE INSERT ON import_run', null],
      ['in the rows of a list', 'list', 'BEFORE UPDATE ON import_run', null],
    ])(
      '%s, the next import of the file makes the dataset what it would have been',
      async (_, what, when, isIn) => {
        const isList = what === 'list';
        const path = await write(
          isList ? 'deleted.csv' : 'killed.csv',
          isList ? listOfDay(REVISED) : `domain,wayback\n${ROWS.join('')}`,
        );
        const parameters = isList ? [path] : [path, ...VOUCHED];
        const prepare = async ({ url, database }: TestDatabase) => {
          await importVouched(database, `domain,wayback\n${BEFORE.join('')}`);
          if (!isList) return;
          const first = await write('deleted.csv', listOfDay(LISTED));
          const running = run(join(compiled, 'dist/cli.js'), ['import', first], {
            environment: { DATABASE_URL: url },
          });
          expect([await running.ended, running.output()]).toEqual([0, expect.stringMatching(/added +1,200/)]);
          await write('deleted.csv', listOfDay(REVISED));
        };
        const alone = await createTestDatabase();
        try {
          for (const one of [test, alone]) await prepare(one);
          const undisturbed = run(join(compiled, 'dist/cli.js'), ['import', ...parameters], {
            environment: { DATABASE_URL: alone.url },
          });
          expect(await undisturbed.ended).toBe(0);
          if (when === null) {
            const child = spawn(
              process.execPath,
              [join(compiled, 'dist/cli.js'), 'import', '-', ...VOUCHED],
              {
                env: { PATH: process.env.PATH, ...environment() },
                stdio: ['pipe', 'ignore', 'ignore'],
              },
            );
            child.stdin.on('error', () => undefined).write(`domain,wayback\n${ROWS.slice(0, 100).join('')}`);
            await until('it reads', async () => {
              const copying = await test.database.query(
                `SELECT FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'COPY file_row%'`,
              );
              return copying.length > 0;
            });
            child.kill('SIGKILL');
            await once(child, 'close');
          } else {
            await putBarrier(when);
            const killed = command(parameters);
            await until('it is where it is to be killed', isAtBarrier);
            await killed.stop('SIGKILL');
            await barrier.query('SELECT pg_advisory_unlock(1)');
            await test.database.query('DROP TRIGGER wait_here ON import_run');
          }
          const half = await readDataset(test.database);
          expect(half.availableRecords).toBe(half.rows.filter(({ available }) => available).length);
          expect(half.events).toHaveLength(half.lastEvent);
          expect(await readCube(test.database)).toEqual(await countByHand(test.database));
          expect(half.rows.some(({ domain }) => domain === `${isIn ?? 'nothing'}.com.au`)).toBe(
            isIn !== null,
          );
          const next = command(parameters);
          expect(await next.ended).toBe(0);
          expect(next.output()).toMatch(
            isIn === null ? /read/ : /of these rows were in, by an import that ended early/,
          );
          // Both reports count all rows of the file.
          const counts = (output: string) =>
            output.replace(/.*:\s+imported/, '').match(/^ {2}[a-z]+ +[\d,]+$/gm);
          expect(counts(next.output())).toEqual(counts(undisturbed.output()));
          expect(await everything(test)).toEqual(await everything(alone));
          expect(await test.database.query('SELECT FROM import_run')).toEqual([]);
        } finally {
          await alone.close();
        }
      },
    );

    it('SIGINT says how to go on', async () => {
      await importVouched(test.database, `domain,wayback\n${BEFORE.join('')}`);
      await putBarrier('BEFORE UPDATE ON import_run');
      const running = command([await write('killed.csv', `domain,wayback\n${ROWS.join('')}`), ...VOUCHED]);
      await until('its second batch waits', isAtBarrier);
      expect(await running.stop('SIGINT')).toBe(130);
      expect(running.output()).toMatch(
        /killed\.csv: Interrupted\.\n\d+ of 2,500 rows are in\. Import the same file again: it goes on there\.\n$/,
      );
    });
  });

  it('needs no more memory for a large file than for a small one', async () => {
    const lines = Array.from(
      { length: 250_000 },
      (_, n) => `made-up-name-${n}.com.au,${n % 97},2025-09-01\n`,
    );
    const path = await write('large.csv', `domain,wayback,first_seen\n${lines.join('')}`);
    // Held in memory, the rows alone would take more than this heap.
    const running = command([path], { NODE_OPTIONS: '--max-old-space-size=48' });
    expect([await running.ended, running.output()]).toEqual([0, expect.stringMatching(/added +250,000/)]);
  });

  async function pipeInto(parameters: string[], input: string | Buffer) {
    const child = spawn(process.execPath, [join(compiled, 'dist/cli.js'), 'import', ...parameters], {
      env: { PATH: process.env.PATH, ...environment() },
    });
    const output = { stdout: '', stderr: '' };
    child.stdout.on('data', (chunk: Buffer) => (output.stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (output.stderr += chunk.toString()));
    child.stdin.end(input);
    const code = await new Promise((resolve) => child.once('close', resolve));
    return { ...output, code };
  }
});
