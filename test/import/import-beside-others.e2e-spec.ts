import { Client } from 'pg';
import type { Database } from '../../src/db/database.js';
import { countWaiting, createTestDatabase, type TestDatabase } from '../support/database.js';
import { settle, VOUCHED_AT } from '../support/domains.js';
import { deleteOldImportRuns, findUnfinishedImport } from '../../src/ingest/import/import-run.repository.js';
import { PartialImportError } from '../../src/ingest/import/reading/import-error.js';
import { isSqlState, LOCK_NOT_AVAILABLE } from '../../src/errors/database-failure.js';
import { countByHand, readCube } from '../support/cube-oracle.js';
import { lifecycleOn } from '../support/lifecycle.js';
import { countsOf, importVouched, readDataset } from '../support/import.js';
import { until } from '../support/processes.js';

const FIRST_FILE = Array.from({ length: 1_000 }, (_, n) => `name-${n}.com.au,${n % 50}\n`);
/** Other scores for every name, and as many names again. */
const SECOND_FILE = Array.from({ length: 2_000 }, (_, n) => `name-${n}.com.au,${100 + (n % 50)}\n`);

describe('beside an import', () => {
  let test: TestDatabase;

  beforeEach(async () => {
    test = await createTestDatabase();
  });
  afterEach(() => test.close());

  describe('readers', () => {
    it('of a first load see the old dataset or the new one, and no error', async () => {
      const readers = await startReaders(test.url);
      const file = gated(csv(FIRST_FILE));
      const importing = importVouched(test.database, file.chunks);
      const old = await readers.haveSeen(5);
      file.open();
      await importing;
      await readers.haveSeen(5);
      const seen = await readers.stop();
      expect(old.size).toBe(1);
      expect([...seen]).toEqual([...old, await readState(test.database)]);
    });

    it('of a merge see whole batches: counters that agree with the rows, and no error', async () => {
      await importVouched(test.database, csv(FIRST_FILE));
      const readers = await startReaders(test.url);
      await readers.haveSeen(1);
      await importVouched(test.database, csv(SECOND_FILE), { batchRows: 100 });
      await readers.haveSeen(1);
      const seen = [...(await readers.stop())];
      expect(seen.at(-1)).toBe(await readState(test.database));
      for (const state of seen) {
        const [names, , counted] = state.split(' ');
        expect(counted).toBe(names);
      }
    });

    it('are not held up by one that keeps a first load from its place', async () => {
      const slow = await connect(test.url);
      await slow.query('BEGIN');
      await slow.query('SELECT FROM domain LIMIT 1');
      const steps: string[] = [];
      const importing = importVouched(test.database, csv(FIRST_FILE), {
        onProgress: ({ step }) => steps.push(step),
      });
      await until('the import asks for its place', async () => {
        const waiting = await test.database.query(
          `SELECT FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LOCK TABLE domain IN ACCESS%'
            AND wait_event_type = 'Lock'`,
        );
        return waiting.length > 0;
      });
      // Readers behind a lock that waited without a limit would wait for ever: its holder commits after them.
      for (let reads = 0; reads < 20; reads++) expect(await readState(test.database)).toMatch(/^0 /);
      await slow.query('COMMIT');
      await slow.end();
      expect(countsOf(await importing)).toMatchObject({ added: FIRST_FILE.length });
    });
  });

  it("a registry's answer is written while the file is still being read", async () => {
    await importVouched(test.database, csv(FIRST_FILE));
    const file = gated(csv(SECOND_FILE));
    const importing = importVouched(test.database, file.chunks);
    await settle(test.database, 'name-7.com.au', false);
    file.open();
    expect(countsOf(await importing)).toMatchObject({ changed: 1_000, added: 1_000 });
    const { rows, availableRecords, events } = await readDataset(test.database);
    expect(rows.find(({ domain }) => domain === 'name-7.com.au')).toMatchObject({
      available: false,
      wayback: 107,
    });
    expect(availableRecords).toBe(1_999);
    expect(events).toContain('1001 domain.taken name-7.com.au');
  });

  it('answers are written beside a batch that waits, and stay in force', async () => {
    await importVouched(test.database, csv(FIRST_FILE));
    const other = await connect(test.url);
    await other.query('BEGIN');
    await other.query(`SELECT FROM domain WHERE domain = 'name-7.com.au' FOR UPDATE`);
    const importing = importVouched(test.database, csv(SECOND_FILE), { batchRows: 50 });
    await until('the import waits', async () => (await countWaiting(test.database)) > 0);
    await settle(test.database, 'name-2.com.au', false);
    await settle(test.database, 'name-8.com.au', false);
    await other.query('COMMIT');
    await other.end();
    expect(countsOf(await importing)).toMatchObject({ changed: 1_000, added: 1_000 });
    const { rows, availableRecords } = await readDataset(test.database);
    for (const [domain, wayback] of [
      ['name-2.com.au', 102],
      ['name-8.com.au', 108],
    ] as const)
      expect(rows.find((row) => row.domain === domain)).toMatchObject({ available: false, wayback });
    expect(availableRecords).toBe(1_998);
  });

  it('an answer that is written while a batch waits for its name is not overruled by what was read before', async () => {
    await importVouched(test.database, csv(FIRST_FILE));
    const other = await connect(test.url);
    await other.query('BEGIN');
    await other.query(
      `UPDATE domain SET state = 'taken', available = false, registry_state = 'registered', announced = false, checked_at = $1
        WHERE domain = 'name-7.com.au'`,
      [new Date(VOUCHED_AT.getTime() + 60_000)],
    );
    const vouch = { by: 'test', at: new Date(VOUCHED_AT.getTime() + 1_000) };
    const importing = importVouched(test.database, csv(SECOND_FILE), { vouch });
    await until('the import waits', async () => (await countWaiting(test.database)) > 0);
    await other.query('UPDATE dataset SET available_records = available_records - 1');
    await other.query('COMMIT');
    await other.end();
    await importing;
    const { rows, availableRecords, events } = await readDataset(test.database);
    expect(rows.find(({ domain }) => domain === 'name-7.com.au')).toMatchObject({
      available: false,
      wayback: 107,
    });
    expect(availableRecords).toBe(1_999);
    expect(events.filter((event) => event.endsWith(' name-7.com.au'))).toHaveLength(1);
  });

  it('writers that never pause lose no answer, and the import ends as it would alone', async () => {
    const still = FIRST_FILE.map((line) => line.replace('name', 'still'));
    await importVouched(test.database, csv([...FIRST_FILE, ...still]));
    const alone = await createTestDatabase();
    try {
      await importVouched(alone.database, csv([...FIRST_FILE, ...still]));
      const counts = countsOf(await importVouched(alone.database, csv(SECOND_FILE)));
      const checkers = startCheckers(test.database);
      await checkers.haveWritten(20);
      expect(countsOf(await importVouched(test.database, csv(SECOND_FILE), { batchRows: 50 }))).toEqual(
        counts,
      );
      await checkers.haveWritten(20);
      const checked = await checkers.stop();
      const told = async ({ database }: TestDatabase) => {
        const { rows, events, availableRecords, lastEvent } = await readDataset(database);
        return { rows, events, availableRecords, lastEvent, cube: await readCube(database) };
      };
      expect(await told(test)).toEqual(await told(alone));
      const answers = await test.database.query<{ domain: string; checked_at: Date; confirmed_by: string }>(
        'SELECT domain, checked_at, confirmed_by FROM domain WHERE domain = ANY ($1)',
        [[...checked.keys()]],
      );
      for (const { domain, checked_at, confirmed_by } of answers)
        expect([domain, checked_at, confirmed_by]).toEqual([domain, checked.get(domain), 'rdap']);
    } finally {
      await alone.close();
    }
  });

  it('writers that change names break nothing off', async () => {
    const still = FIRST_FILE.map((line) => line.replace('name', 'still'));
    await importVouched(test.database, csv([...FIRST_FILE, ...still]));
    const writers = startWriters(test.database);
    await writers.haveWritten(20);
    const counts = countsOf(await importVouched(test.database, csv(SECOND_FILE), { batchRows: 50 }));
    expect(counts).toMatchObject({ added: 1_000 });
    await writers.haveWritten(20);
    await writers.stop();
    const { rows, availableRecords, events, lastEvent } = await readDataset(test.database);
    expect(rows).toHaveLength(3_000);
    expect(availableRecords).toBe(rows.filter(({ available }) => available).length);
    expect(events).toHaveLength(lastEvent);
    expect(await readCube(test.database)).toEqual(await countByHand(test.database));
  });

  it('a batch begins again when another writer holds what it needs, and keeps nothing meanwhile', async () => {
    await importVouched(test.database, csv(FIRST_FILE));
    const other = await connect(test.url);
    await other.query('BEGIN');
    await other.query('UPDATE dataset SET last_event_at = last_event_at');
    const importing = importVouched(test.database, csv(SECOND_FILE));
    await until('the import waits', async () => (await countWaiting(test.database)) > 0);
    // The other way round than the import locks them: one that kept its names would be in a deadlock with this.
    await other.query(`SELECT FROM domain WHERE domain = 'name-0.com.au' FOR UPDATE`);
    await other.query('COMMIT');
    await other.end();
    expect(countsOf(await importing)).toMatchObject({ added: 1_000, changed: 1_000 });
    const { rows, events, lastEvent } = await readDataset(test.database);
    expect([rows.length, events.length]).toEqual([2_000, lastEvent]);
  });

  it('a second import waits for the first, and says so', async () => {
    const file = gated(csv(FIRST_FILE));
    const first = importVouched(test.database, file.chunks);
    await until('the first import has its turn', async () => {
      const turns = await test.database.query(
        `SELECT FROM pg_locks JOIN pg_database ON oid = database
          WHERE datname = current_database() AND locktype = 'advisory' AND granted`,
      );
      return turns.length > 0;
    });
    const steps: string[] = [];
    const second = importVouched(test.database, csv(SECOND_FILE), {
      onProgress: ({ step }) => steps.push(step),
    });
    await until('the second import waits', () => steps.includes('waiting for another import to finish'));
    expect(steps).not.toContain('merging');
    file.open();
    expect(countsOf(await first)).toMatchObject({ added: 1_000 });
    expect(countsOf(await second)).toMatchObject({ added: 1_000, changed: 1_000 });
  });

  describe('who interrupts it', () => {
    it('while it reads, finds everything as it was', async () => {
      await importVouched(test.database, csv(FIRST_FILE));
      const before = await readDataset(test.database);
      const file = gated(csv(SECOND_FILE));
      const interruption = new AbortController();
      const importing = importVouched(test.database, file.chunks, { signal: interruption.signal });
      await file.isRead;
      interruption.abort();
      await expect(importing).rejects.toThrow('aborted');
      expect(await readDataset(test.database)).toEqual(before);
    });

    it('between batches, keeps those that are in; the next import of the same file goes on there', async () => {
      await importVouched(test.database, csv(FIRST_FILE));
      const { done, failure } = await interruptAt(700);
      expect(failure).toBeInstanceOf(PartialImportError);
      expect(failure).toMatchObject({
        message: `Stop.\n${done.toLocaleString('en-AU')} of 2,000 rows are in. Import the same file again: it goes on there.`,
      });
      const half = await readDataset(test.database);
      expect(half.rows.filter(({ wayback }) => wayback >= 100)).toHaveLength(done);
      expect(half.availableRecords).toBe(half.rows.length);
      expect(await readCube(test.database)).toEqual(await countByHand(test.database));
      expect(await findUnfinishedImport(test.database)).toMatchObject({ rows: done, at: expect.any(Date) });
      await deleteOldImportRuns(test.database);
      const steps: string[] = [];
      const report = await importVouched(test.database, csv(SECOND_FILE), {
        onProgress: ({ step }) => steps.push(step),
      });
      expect(await findUnfinishedImport(test.database)).toBeNull();
      expect(report).toMatchObject({
        resumedAt: done,
        read: 2_000,
        added: 1_000,
        changed: 1_000,
        unchanged: 0,
      });
      expect(steps).toContain(`going on behind ${done} rows that are in`);
      const { rows, events, availableRecords } = await readDataset(test.database);
      expect([rows.length, events.length, availableRecords]).toEqual([2_000, 2_000, 2_000]);
      const again = await importVouched(test.database, csv(SECOND_FILE));
      expect(again).toMatchObject({ resumedAt: 0, unchanged: 2_000 });
    });

    it('between batches, and does not come back for a week, begins at its beginning', async () => {
      await importVouched(test.database, csv(FIRST_FILE));
      await interruptAt(300);
      await test.database.query(`UPDATE import_run SET touched_at = now() - interval '8 days'`);
      await deleteOldImportRuns(test.database);
      expect(await findUnfinishedImport(test.database)).toBeNull();
      const report = await importVouched(test.database, csv(SECOND_FILE));
      expect(report).toMatchObject({ resumedAt: 0, read: 2_000 });
      expect(report.unchanged).toBeGreaterThanOrEqual(300);
    });

    it('between batches, and imports the file on another word, begins at its beginning', async () => {
      await importVouched(test.database, csv(FIRST_FILE));
      const { done } = await interruptAt(300);
      const vouch = { by: 'another', at: VOUCHED_AT };
      const report = await importVouched(test.database, csv(SECOND_FILE), { vouch });
      expect(report).toMatchObject({ resumedAt: 0, read: 2_000, unchanged: 0 });
      expect(report.added + report.changed).toBe(2_000);
      expect(done).toBeGreaterThanOrEqual(300);
      // Nor does the file itself go on, as another has changed names since.
      expect(await importVouched(test.database, csv(SECOND_FILE))).toMatchObject({ resumedAt: 0 });
    });

    async function interruptAt(rowsIn: number): Promise<{ done: number; failure: unknown }> {
      const interruption = new AbortController();
      let done = 0;
      const failure: unknown = await importVouched(test.database, csv(SECOND_FILE), {
        batchRows: 100,
        signal: interruption.signal,
        onProgress: ({ step, rows }) => {
          if (step !== 'writing' || rows < rowsIn) return;
          done = rows;
          interruption.abort(new Error('Stop.'));
        },
      }).catch((error: unknown) => error);
      return { done, failure };
    }

    it('while the server works, need not wait for the server', async () => {
      await importVouched(test.database, csv(FIRST_FILE));
      const before = await readDataset(test.database);
      const holder = await connect(test.url);
      await holder.query('BEGIN');
      await holder.query(`SELECT FROM domain WHERE domain = 'name-0.com.au' FOR UPDATE`);
      const interruption = new AbortController();
      const importing = importVouched(test.database, csv(SECOND_FILE), { signal: interruption.signal });
      await until('the merge waits for a row', async () => (await countWaiting(test.database)) > 0);
      interruption.abort();
      await expect(importing).rejects.toThrow('aborted');
      await holder.query('ROLLBACK');
      await holder.end();
      expect(await readDataset(test.database)).toEqual(before);
      expect(countsOf(await importVouched(test.database, csv(SECOND_FILE)))).toMatchObject({ added: 1_000 });
    });

    it('before it began, stops it from beginning', async () => {
      const importing = importVouched(test.database, csv(FIRST_FILE), { signal: AbortSignal.abort() });
      await expect(importing).rejects.toThrow('aborted');
      expect((await readDataset(test.database)).rows).toEqual([]);
    });
  });

  it('a row that somebody holds for long is waited for', async () => {
    await importVouched(test.database, csv(FIRST_FILE));
    const holder = await connect(test.url);
    await holder.query('BEGIN');
    await holder.query(`UPDATE domain SET wayback = 9999 WHERE domain = 'name-7.com.au'`);
    const importing = importVouched(test.database, csv(SECOND_FILE));
    await until('the merge waits for the row', async () => (await countWaiting(test.database)) > 0);
    await holder.query('COMMIT');
    await holder.end();
    await importing;
    expect(
      (await readDataset(test.database)).rows.find(({ domain }) => domain === 'name-7.com.au'),
    ).toMatchObject({
      wayback: 107,
    });
  });
});

const csv = (lines: string[]) => `domain,wayback\n${lines.join('')}`;

/** A text whose second half comes when it is told to. */
function gated(text: string): { chunks: AsyncIterable<Buffer>; isRead: Promise<void>; open: () => void } {
  const bytes = Buffer.from(text);
  const half = Math.floor(bytes.length / 2);
  let open = () => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  let markRead = () => {};
  const isRead = new Promise<void>((resolve) => (markRead = resolve));
  async function* chunks() {
    yield bytes.subarray(0, half);
    markRead();
    await opened;
    yield bytes.subarray(half);
  }
  return { chunks: chunks(), isRead, open };
}

/** All that a reader can add up, in one statement: rows, scores, and the counters that must agree with them. */
const STATE = `
  SELECT count(*) || ' ' || coalesce(sum(wayback), 0) || ' ' || (SELECT available_records || ' ' || last_event FROM dataset) AS state
    FROM domain WHERE available AND NOT hidden`;

async function readState(database: Database): Promise<string | undefined> {
  const [row] = await database.query<{ state: string }>(STATE);
  return row?.state;
}

async function connect(url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  await client.connect();
  return client;
}

/** Registries and the archive say something else of one name after the other. What finds the dataset locked is said again later. */
function startWriters(database: Database) {
  const lifecycle = lifecycleOn(database, { REGISTRY_MAX_FLIPS_PER_HOUR: '1000000' });
  const unexpected: unknown[] = [];
  let written = 0;
  let stopping = false;
  const lanes = Array.from({ length: 4 }, async (_, lane) => {
    for (let round = 0; !stopping; round++) {
      // Of both kinds: names that the import changes, and names that it leaves alone.
      const domain = `${lane < 2 ? 'name' : 'still'}-${(round * 4 + lane) % 1_000}.com.au`;
      const state = round % 2 === 0 ? 'registered' : 'available';
      const answer = { state, source: 'rdap', checkedAt: new Date(), registeredAt: null } as const;
      const writing =
        lane === 0 ? lifecycle.observeScore(domain, scoreOf(round)) : lifecycle.observeAnswer(domain, answer);
      await writing.then(
        () => written++,
        // Locked for longer than a writer waits: nothing else may come of an import.
        (error: unknown) => isSqlState(error, LOCK_NOT_AVAILABLE) || unexpected.push(error),
      );
    }
  });
  return {
    async haveWritten(more: number): Promise<void> {
      const from = written;
      await until('the writers write', () => written >= from + more);
    },
    async stop(): Promise<void> {
      stopping = true;
      await Promise.all(lanes);
      expect(unexpected).toEqual([]);
    },
  };
}

/**
 * Registries say of one name after the other that it is still free: answers that change nothing but when they were
 * given.
 */
function startCheckers(database: Database) {
  const lifecycle = lifecycleOn(database);
  const checked = new Map<string, Date>();
  const unexpected: unknown[] = [];
  let written = 0;
  let stopping = false;
  const lanes = Array.from({ length: 3 }, async (_, lane) => {
    for (let round = 0; !stopping; round++) {
      const number = round * 3 + lane;
      const domain = `${number % 2 === 0 ? 'name' : 'still'}-${number % 1_000}.com.au`;
      const answer = {
        state: 'available',
        source: 'rdap',
        checkedAt: new Date(),
        registeredAt: null,
      } as const;
      // Nothing may keep an answer from being written, but a machine that stands still for a second.
      const outcome = await lifecycle.observeAnswer(domain, answer).catch((error: unknown) => {
        if (!isSqlState(error, LOCK_NOT_AVAILABLE)) unexpected.push(error);
        return null;
      });
      if (outcome && (checked.get(domain) ?? 0) < answer.checkedAt) checked.set(domain, answer.checkedAt);
      written += Number(outcome !== null);
    }
  });
  return {
    async haveWritten(more: number): Promise<void> {
      const from = written;
      await until('the checks are written', () => written >= from + more);
    },
    /** When each name was last called free. */
    async stop(): Promise<ReadonlyMap<string, Date>> {
      stopping = true;
      await Promise.all(lanes);
      expect(unexpected).toEqual([]);
      return checked;
    },
  };
}

const scoreOf = (wayback: number) => ({
  ...{ status: 'ok' as const, wayback, captures: wayback },
  ...{ firstCapture: null, lastCapture: null },
});

/** Readers that never pause: one with plain statements, one with a prepared one whose plan outlives the table. */
async function startReaders(url: string) {
  const seen = new Set<string>();
  let rounds = 0;
  let failure: unknown;
  let stopping = false;
  const clients = await Promise.all([connect(url), connect(url)]);
  const loops = clients.map(async (client, at) => {
    while (!stopping && failure === undefined) {
      const { rows } = await client.query<{ state: string }>(
        at === 0 ? { text: STATE } : { text: STATE, name: 'state' },
      );
      seen.add(rows[0]?.state ?? 'nothing');
      rounds++;
    }
  });
  const done = Promise.all(loops).catch((error: unknown) => (failure = error));
  return {
    /** What was seen up to now, after so many more reads. */
    async haveSeen(more: number): Promise<Set<string>> {
      const from = rounds;
      await until('the readers read', () => failure !== undefined || rounds >= from + more * clients.length);
      return new Set(seen);
    },
    async stop(): Promise<Set<string>> {
      stopping = true;
      await done;
      await Promise.all(clients.map((client) => client.end()));
      if (failure !== undefined) throw failure as Error;
      return seen;
    },
  };
}
