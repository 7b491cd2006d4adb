import { Client } from 'pg';
import type { Database } from '../../src/db/database.js';
import { countWaiting, createTestDatabase, type TestDatabase } from '../support/database.js';
import { settle } from '../support/domains.js';
import { isSqlState, LOCK_NOT_AVAILABLE } from '../../src/errors/database-failure.js';
import { countByHand, readCube } from '../support/cube-oracle.js';
import { lifecycleOn } from '../support/lifecycle.js';
import { countsOf, importVouched, readDataset } from '../support/import.js';
import { until } from '../support/processes.js';

const FIRST_FILE = Array.from({ length: 3_000 }, (_, n) => `name-${n}.com.au,${n % 50}\n`);
/** Other scores for every name, and as many names again. */
const SECOND_FILE = Array.from({ length: 6_000 }, (_, n) => `name-${n}.com.au,${100 + (n % 50)}\n`);

describe('beside an import', () => {
  let test: TestDatabase;

  beforeEach(async () => {
    test = await createTestDatabase();
  });
  afterEach(() => test.close());

  describe('readers', () => {
    it.each([
      ['a first load', [], FIRST_FILE, {}],
      ['a merge in place', FIRST_FILE, SECOND_FILE, {}],
      ['a dataset that is built anew', FIRST_FILE, SECOND_FILE, { rebuildMinChanges: 1 }],
    ])('of %s see the old dataset or the new one, and no error', async (_, before, lines, options) => {
      if (before.length > 0) await importVouched(test.database, csv(before));
      const readers = await startReaders(test.url);
      const file = gated(csv(lines));
      const importing = importVouched(test.database, file.chunks, options);
      const old = await readers.haveSeen(5);
      file.open();
      await importing;
      await readers.haveSeen(5);
      const seen = await readers.stop();
      expect(old.size).toBe(1);
      expect([...seen]).toEqual([...old, await readState(test.database)]);
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

  it.each([
    ['changed in place', {}],
    ['built anew', { rebuildMinChanges: 1 }],
  ])("a registry's answer is written while the file is still being read, %s", async (_, options) => {
    await importVouched(test.database, csv(FIRST_FILE));
    const file = gated(csv(SECOND_FILE));
    const importing = importVouched(test.database, file.chunks, options);
    await settle(test.database, 'name-7.com.au', false);
    file.open();
    expect(countsOf(await importing)).toMatchObject({ changed: 3_000, added: 3_000 });
    const { rows, availableRecords, events } = await readDataset(test.database);
    expect(rows.find(({ domain }) => domain === 'name-7.com.au')).toMatchObject({
      available: false,
      wayback: 107,
    });
    expect(availableRecords).toBe(5_999);
    expect(events).toContain('3001 domain.taken name-7.com.au');
  });

  it.each([
    ['changed in place', {}],
    ['built anew', { rebuildMinChanges: 1 }],
  ])('writers that never pause break nothing off, %s', async (_, options) => {
    const still = FIRST_FILE.slice(0, 1_000).map((line) => line.replace('name', 'still'));
    await importVouched(test.database, csv([...FIRST_FILE, ...still]));
    const writers = startWriters(test.database);
    await writers.haveWritten(20);
    const counts = countsOf(await importVouched(test.database, csv(SECOND_FILE), options));
    expect(counts).toMatchObject({ added: 3_000 });
    await writers.haveWritten(20);
    await writers.stop();
    const { rows, availableRecords, events, lastEvent } = await readDataset(test.database);
    expect(rows).toHaveLength(7_000);
    expect(availableRecords).toBe(rows.filter(({ available }) => available).length);
    expect(events).toHaveLength(lastEvent);
    expect(await readCube(test.database)).toEqual(await countByHand(test.database));
  });

  it('begins again with what it has read when PostgreSQL ends a deadlock with another writer here', async () => {
    await importVouched(test.database, csv(FIRST_FILE));
    const other = await connect(test.url);
    await other.query('BEGIN');
    await other.query('UPDATE dataset SET last_event_at = last_event_at');
    const steps: string[] = [];
    const importing = importVouched(test.database, csv(SECOND_FILE), {
      onProgress: ({ step }) => steps.push(step),
    });
    await until('the import waits', async () => (await countWaiting(test.database)) > 0);
    // PostgreSQL ends who has waited for longer, and that is the import, unless this machine stands still for a second.
    const wasEnded = await other.query(`SELECT FROM domain WHERE domain = 'name-7.com.au' FOR UPDATE`).then(
      () => false,
      () => true,
    );
    await other.query('ROLLBACK');
    await other.end();
    expect(countsOf(await importing)).toMatchObject({ added: 3_000, changed: 3_000 });
    expect(steps.includes('merging again: another writer was in the way') || wasEnded).toBe(true);
    const { rows, events, lastEvent } = await readDataset(test.database);
    expect([rows.length, events.length]).toEqual([6_000, lastEvent]);
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
    expect(countsOf(await first)).toMatchObject({ added: 3_000 });
    expect(countsOf(await second)).toMatchObject({ added: 3_000, changed: 3_000 });
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

    it('while the server works, need not wait for the server', async () => {
      await importVouched(test.database, csv(FIRST_FILE));
      const before = await readDataset(test.database);
      const holder = await connect(test.url);
      await holder.query('BEGIN');
      await holder.query(`SELECT FROM domain WHERE domain = 'name-7.com.au' FOR UPDATE`);
      const interruption = new AbortController();
      const importing = importVouched(test.database, csv(SECOND_FILE), { signal: interruption.signal });
      await until('the merge waits for a row', async () => (await countWaiting(test.database)) > 0);
      interruption.abort();
      await expect(importing).rejects.toThrow('aborted');
      await holder.query('ROLLBACK');
      await holder.end();
      expect(await readDataset(test.database)).toEqual(before);
      expect(countsOf(await importVouched(test.database, csv(SECOND_FILE)))).toMatchObject({ added: 3_000 });
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
