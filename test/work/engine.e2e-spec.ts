import { Logger } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Engine } from '../../src/work/engine.js';
import { JobStateRepository } from '../../src/work/job-state.repository.js';
import type { Kind, Work, WorkCursor, WorkResult } from '../../src/work/kind.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { after, createEngine, stateOf } from '../support/jobs.js';
import { until } from '../support/processes.js';

const START = new Date('2026-11-20T03:00:00Z');
const BY_ALICE = { by: 'alice', reason: 'a look' };

/** A kind that records what it does, and does what it is told. */
class Recorder implements Kind {
  readonly runs: Date[] = [];
  readonly keys: string[] = [];
  readonly cursors: (WorkCursor | null)[] = [];
  result: WorkResult = {};
  work: (signal: AbortSignal, key: string) => Promise<void> = async () => undefined;

  constructor(
    readonly name: string,
    limits: Partial<Pick<Kind, 'everyMs' | 'deadlineMs' | 'graceMs' | 'atOnce'>> = { everyMs: 60_000 },
  ) {
    Object.assign(this, limits);
  }

  async run({ key, cursor }: Work, now: Date, signal: AbortSignal): Promise<WorkResult> {
    this.runs.push(now);
    this.keys.push(key);
    this.cursors.push(cursor);
    await this.work(signal, key);
    return this.result;
  }
}

/** Lets somebody wait for something that a test brings about. */
function gate(): { open: () => void; opened: Promise<void> } {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { open, opened };
}

describe('work', () => {
  beforeAll(() => Logger.overrideLogger(false));
  let test: TestDatabase;
  let job: Recorder;
  let engine: Engine;
  let states: JobStateRepository;
  beforeEach(async () => {
    test = await createTestDatabase();
    await test.database.query('CREATE TABLE written (by text)');
    states = new JobStateRepository(test.database);
    job = new Recorder('tidy');
    engine = createEngine(test.database, job);
  });
  afterEach(() => test.close());
  const state = () => stateOf(test.database, 'tidy');
  const write = (by: string) =>
    test.database.transaction(async (transaction) => {
      await transaction.query(`SET LOCAL lock_timeout = '50ms'`);
      await transaction.query('INSERT INTO written VALUES ($1)', [by]);
    });
  const written = async () =>
    (await test.database.query<{ by: string }>('SELECT by FROM written')).map(({ by }) => by);

  describe('that is due', () => {
    it('runs when it has never run, and then at its interval', async () => {
      await engine.runDue(START);
      await engine.runDue(after(START, 59));
      expect(job.runs).toEqual([START]);
      await engine.runDue(after(START, 60));
      expect(job.runs).toEqual([START, after(START, 60)]);
      expect(await state()).toMatchObject({
        lastRunAt: after(START, 60),
        lastSuccessAt: after(START, 60),
        nextDue: after(START, 120),
        failures: 0,
        lastError: null,
      });
    });

    it('waits while an operator has it paused, but for the run that is requested', async () => {
      await engine.runDue(START);
      await states.pause('tidy', BY_ALICE, after(START, 1), test.database);
      expect((await engine.step(after(START, 61))).nextDue).toBeNull();
      expect(await state()).toMatchObject({ pausedBy: 'alice', pauseReason: 'a look' });
      await engine.stop();
      const next = createEngine(test.database, job);
      await next.runDue(after(START, 62));
      expect(job.runs).toEqual([START]);
      await states.want('tidy', after(START, 70), test.database);
      await next.runDue(after(START, 71));
      await next.runDue(after(START, 72));
      expect(job.runs).toEqual([START, after(START, 71)]);
      await states.resume('tidy', test.database);
      await next.runDue(after(START, 131));
      expect(job.runs).toHaveLength(3);
      expect(await states.pause('no-such-kind', BY_ALICE, START, test.database)).toBe(false);
    });

    it('runs once more when a run is requested or it is paused under way', async () => {
      const { open, opened } = gate();
      job.work = () => opened;
      const { begun } = await engine.step(START);
      await states.pause('tidy', BY_ALICE, after(START, 1), test.database);
      await states.want('tidy', after(START, 2), test.database);
      open();
      await Promise.all(begun);
      await engine.runDue(after(START, 3));
      await engine.runDue(after(START, 100));
      expect(job.runs).toEqual([START, after(START, 3)]);
    });

    it('does not begin when it was ready and is paused before its turn', async () => {
      const busy = new Recorder('busy', { atOnce: 1 });
      const one = createEngine(test.database, busy);
      await one.step(START);
      await enqueue('busy', ['a', 'b'], 'lane');
      const { open, opened } = gate();
      busy.work = () => opened;
      const { begun } = await one.step(START);
      await states.pause('busy', BY_ALICE, START, test.database);
      open();
      await Promise.all(begun);
      await one.runDue(after(START, 1));
      expect(busy.keys).toEqual(['a']);
    });

    it('runs again at once while it has more, and as soon as it says', async () => {
      job.result = { againInMs: 0 };
      expect(await engine.runDue(START)).toBe(true);
      job.result = { againInMs: 1_500 };
      expect(await engine.runDue(START)).toBe(false);
      await engine.runDue(after(START, 1.4));
      expect(job.runs).toHaveLength(2);
      await engine.runDue(after(START, 1.5));
      expect(job.runs).toHaveLength(3);
    });

    it('resumes where its last run ended', async () => {
      job.result = { againInMs: 0, cursor: { after: 'm.com.au', met: 300 } };
      await engine.runDue(START);
      job.result = { againInMs: 0 };
      await engine.runDue(START);
      await engine.runDue(START);
      const cursor = { after: 'm.com.au', met: 300 };
      expect(job.cursors).toEqual([null, cursor, cursor]);
    });

    it('runs soon also when the clock was set back by a year', async () => {
      await engine.runDue(START);
      const past = new Date('2025-11-20T03:00:00Z');
      await engine.runDue(past);
      expect(job.runs).toEqual([START, past]);
    });

    it('runs beside other kinds, and never beside another run of its key', async () => {
      const slow = new Recorder('slow');
      const { open, opened } = gate();
      slow.work = () => opened;
      const both = createEngine(test.database, slow, job);
      const first = await both.step(START);
      await Promise.race(first.begun);
      const second = await both.step(after(START, 100));
      expect(second.begun).toHaveLength(1);
      await second.begun[0];
      open();
      await Promise.all(first.begun);
      expect(slow.runs).toEqual([START]);
      expect(job.runs).toEqual([START, after(START, 100)]);
      await both.stop();
    });
  });

  describe('that fails', () => {
    it('is recorded and backs off, longer each time, until it succeeds', async () => {
      job.work = () => Promise.reject(new Error('no such luck'.repeat(100)));
      const runs: number[] = [];
      for (let second = 0; second < 100; second += 1) {
        const before = job.runs.length;
        await engine.runDue(after(START, second));
        if (job.runs.length > before) runs.push(second);
      }
      expect(runs).toEqual([0, 5, 15, 35, 75]);
      expect(await state()).toMatchObject({
        failures: 5,
        lastErrorAt: after(START, 75),
        lastSuccessAt: null,
        nextDue: after(START, 155),
      });
      expect((await state())?.lastError).toHaveLength(500);

      job.work = async () => undefined;
      await engine.runDue(after(START, 155));
      expect(await state()).toMatchObject({ failures: 0, lastSuccessAt: after(START, 155) });
      expect((await state())?.lastErrorAt).toEqual(after(START, 75));
    });

    it('backs off for a quarter of an hour at most', async () => {
      job.work = () => Promise.reject(new Error('still away'));
      let now = START;
      for (let failure = 1; failure <= 12; failure += 1) {
        await engine.runDue(now);
        now = (await state())?.nextDue ?? now;
      }
      const last = (await state())?.lastErrorAt ?? START;
      expect(now.getTime() - last.getTime()).toBe(15 * 60_000);
    });

    it('does not keep other kinds from running', async () => {
      job.work = () => Promise.reject(new Error('no such luck'));
      const other = new Recorder('other');
      await createEngine(test.database, job, other).runDue(START);
      expect(other.runs).toEqual([START]);
      expect(await stateOf(test.database, 'other')).toMatchObject({ failures: 0 });
    });

    it('on a lock that another holds has not failed: it returns every five seconds', async () => {
      job.work = () => write('tidy');
      await test.database.transaction(async (transaction) => {
        await transaction.query('LOCK TABLE written IN SHARE MODE');
        for (const second of [0, 4, 5, 10]) await engine.runDue(after(START, second));
      });
      expect(job.runs).toEqual([START, after(START, 5), after(START, 10)]);
      expect(await state()).toMatchObject({ failures: 0, lastError: null, lastSuccessAt: null });
      await engine.runDue(after(START, 15));
      expect(await written()).toEqual(['tidy']);
    });

    it('by taking too long is aborted, and that is a failure', async () => {
      const slow = new Recorder('slow', { everyMs: 60_000, deadlineMs: 20 });
      slow.work = async (signal) => {
        await sleep(60_000, undefined, { signal }).catch(() => undefined);
        throw signal.reason;
      };
      await createEngine(test.database, slow).runDue(START);
      expect(await stateOf(test.database, 'slow')).toMatchObject({
        failures: 1,
        lastError: 'a run took longer than 20 ms',
      });
    });

    it('by not ending at all leaves its place to the next run, and writes nothing more', async () => {
      const deaf = new Recorder('deaf', { everyMs: 1_000, deadlineMs: 20, graceMs: 10 });
      const { open, opened } = gate();
      let refusal = '';
      deaf.work = async () => {
        if (deaf.runs.length > 1) return;
        await opened;
        refusal = await write('too late').then(
          () => 'written',
          (error: unknown) => String(error),
        );
      };
      const alone = createEngine(test.database, deaf);
      await alone.runDue(START);
      expect(await stateOf(test.database, 'deaf')).toMatchObject({ failures: 1 });
      await alone.runDue(after(START, 5));
      expect(deaf.runs).toEqual([START, after(START, 5)]);
      open();
      while (refusal === '') await new Promise(setImmediate);
      expect(refusal).toContain('the work has gone to another process');
      expect(await written()).toEqual([]);
    });

    it('by writing on a connection without its fence is refused', async () => {
      job.work = async () => {
        await test.database.withClient((client) => client.query('SELECT 1'));
      };
      await engine.runDue(START);
      expect(await state()).toMatchObject({ lastError: 'fenced work writes in transactions' });
    });

    it('by hanging in a transaction keeps its own key, and no other work of its process', async () => {
      const stuck = new Recorder('stuck', { everyMs: 60_000, deadlineMs: 20, graceMs: 10 });
      const { open, opened } = gate();
      stuck.work = () => test.database.transaction(() => opened);
      const both = createEngine(test.database, stuck, job);
      await both.runDue(START);
      await both.runDue(after(START, 60));
      expect([stuck.runs, job.runs]).toEqual([[START], [START, after(START, 60)]]);
      open();
      await until('its end is written', async () => {
        await both.runDue(after(START, 61));
        return (await stateOf(test.database, 'stuck'))?.lastErrorAt;
      });
      expect(job.runs).toHaveLength(2);
    });

    it('by hanging in a process that beats but ends no run is freed by another process', async () => {
      const stuck = new Recorder('stuck', { everyMs: 60_000, deadlineMs: 1_000, graceMs: 1_000 });
      stuck.work = () => gate().opened;
      await createEngine(test.database, stuck).step(START);
      await test.database.query(`UPDATE work_holder SET until = until + interval '30 seconds'`);
      const other = new Recorder('stuck');
      const next = createEngine(test.database, other);
      await next.runDue(START);
      expect(other.runs).toEqual([]);
      await next.runDue(after(START, 6));
      expect(other.runs).toEqual([after(START, 6)]);
    });
  });

  describe('in several processes', () => {
    let otherJob: Recorder;
    let other: Engine;
    beforeEach(() => {
      otherJob = new Recorder('tidy');
      other = createEngine(test.database, otherJob);
    });

    it('is done once, whichever of them does it', async () => {
      for (let second = 0; second <= 300; second += 5) {
        await engine.runDue(after(START, second));
        await other.runDue(after(START, second));
      }
      expect(job.runs.length + otherJob.runs.length).toBe(6);
    });

    it('continues as soon as its lease ends when its process is killed', async () => {
      const { opened } = gate();
      job.work = () => opened;
      const { begun } = await engine.step(START);
      expect(begun).toHaveLength(1);
      let second = 0;
      while (otherJob.runs.length === 0) await other.runDue(after(START, (second += 1)));
      expect(second).toBe(15);
    });

    it('stays with a process that beats, however long a run takes', async () => {
      const long = new Recorder('long', { everyMs: 60_000, deadlineMs: 3_600_000 });
      const { open, opened } = gate();
      // Not in a transaction meanwhile: PostgreSQL ends one that is idle for ten seconds.
      long.work = async () => {
        await opened;
        await test.database.transaction((transaction) =>
          transaction.query('INSERT INTO written VALUES ($1)', ['long import']),
        );
      };
      const [one, two] = [
        createEngine(test.database, long),
        createEngine(test.database, new Recorder('long')),
      ];
      const { begun } = await one.step(START);
      for (let second = 5; second <= 120; second += 5) {
        expect((await one.step(after(START, second))).begun).toEqual([]);
        expect((await two.step(after(START, second))).begun).toEqual([]);
      }
      open();
      await Promise.all(begun);
      expect(await written()).toEqual(['long import']);
    });

    it('is not kept by the beats of another process', async () => {
      job.work = () => gate().opened;
      await engine.step(START);
      for (const second of [5, 10, 14]) await other.runDue(after(START, second));
      const third = new Recorder('tidy');
      await createEngine(test.database, third).runDue(after(START, 16));
      expect(third.runs).toEqual([after(START, 16)]);
    });

    it('continues at once when its process is told to stop', async () => {
      await engine.runDue(START);
      await engine.stop();
      await other.runDue(after(START, 60));
      expect(otherJob.runs).toEqual([after(START, 60)]);
      await engine.runDue(after(START, 120));
      expect(job.runs).toEqual([START]);
    });

    it('under way ends when its process is told to stop, has not failed, and is repeated', async () => {
      job.work = async (signal) => {
        await sleep(60_000, undefined, { signal });
      };
      const { begun } = await engine.step(START);
      await engine.stop();
      expect(await Promise.all(begun)).toEqual([false]);
      expect(await state()).toMatchObject({ failures: 0, lastSuccessAt: null, nextDue: START });
      await other.runDue(after(START, 1));
      expect(otherJob.runs).toEqual([after(START, 1)]);
    });

    it('writes nothing more in a process that froze for longer than its lease', async () => {
      const { open, opened } = gate();
      let refusal = '';
      job.work = async () => {
        await write('first, in time');
        await opened;
        await write('first, too late').catch((error: unknown) => (refusal = String(error)));
      };
      otherJob.work = () => write('second');
      job.result = { cursor: { by: 'first' } };
      otherJob.result = { cursor: { by: 'second' } };
      const { begun } = await engine.step(START);
      // The run has begun, or there would be nothing to be late with.
      while ((await written()).length === 0) await new Promise(setImmediate);
      await other.runDue(after(START, 16));
      const before = await state();
      open();
      expect(await Promise.all(begun)).toEqual([false]);
      expect(refusal).toContain('the work has gone to another process');
      expect(await written()).toEqual(['first, in time', 'second']);
      expect(await state()).toEqual(before);
      expect(before?.cursor).toEqual({ by: 'second' });
    });

    it('learns from its next beat that it has been lost', async () => {
      let reason: unknown;
      job.work = async (signal) => {
        await sleep(60_000, undefined, { signal }).catch(() => undefined);
        reason = signal.reason;
        throw signal.reason;
      };
      const { begun } = await engine.step(START);
      await other.runDue(after(START, 16));
      await engine.step(after(START, 17));
      await Promise.all(begun);
      expect(String(reason)).toContain('the work has gone to another process');
      expect(await state()).toMatchObject({ failures: 0, lastSuccessAt: after(START, 16) });
    });

    it('is not taken while a transaction of its run may still commit', async () => {
      const { open, opened } = gate();
      let isWriting = false;
      job.work = () =>
        test.database.transaction(async () => {
          isWriting = true;
          await opened;
        });
      const { begun } = await engine.step(START);
      while (!isWriting) await new Promise(setImmediate);
      await other.runDue(after(START, 16));
      expect(otherJob.runs).toEqual([]);
      open();
      await Promise.all(begun);
      await other.runDue(after(START, 76));
      expect(job.runs.length + otherJob.runs.length).toBe(2);
    });

    it('is not taken by a process whose clock is behind', async () => {
      const { open, opened } = gate();
      job.work = () => opened;
      const { begun } = await engine.step(START);
      await other.runDue(after(START, -20));
      expect(otherJob.runs).toEqual([]);
      open();
      await Promise.all(begun);
    });

    it('is free when its lease ends further ahead than any can: the clock was set back', async () => {
      job.work = () => gate().opened;
      await engine.step(START);
      // An hour of waiting for a process that has died would be the consequence.
      await other.runDue(after(START, -3_600));
      await other.runDue(after(START, -3_590));
      expect(otherJob.runs).toHaveLength(1);
    });
  });

  const enqueue = (kind: string, keys: readonly string[], lane: string, due = START) =>
    test.database.query(
      `INSERT INTO work (kind, key, lane, due_at)
       SELECT $1, key, $3, $4::timestamptz + interval '1 microsecond' * (place - 1000)
         FROM unnest($2::text[]) WITH ORDINALITY AS given (key, place)`,
      [kind, keys, lane, due],
    );

  describe('of many keys', () => {
    let keyed: Recorder;
    let many: Engine;
    beforeEach(() => {
      keyed = new Recorder('keyed', { atOnce: 2 });
      many = createEngine(test.database, keyed);
    });

    it('runs as many at once as the kind allows, and each once until it is woken', async () => {
      await enqueue('keyed', ['a', 'b', 'c'], 'one');
      await many.runDue(START);
      expect(keyed.keys.sort()).toEqual(['a', 'b']);
      await many.runDue(START);
      await many.runDue(after(START, 3_600));
      expect(keyed.keys.sort()).toEqual(['a', 'b', 'c']);
      expect(await stateOf(test.database, 'keyed')).toMatchObject({ failures: 0, lastSuccessAt: START });
    });

    it('gives each lane a turn before any lane gets its second', async () => {
      const names = Array.from({ length: 100 }, (_, place) => `a${String(place).padStart(3, '0')}`);
      await enqueue('keyed', names, 'crowd');
      for (let look = 0; look < 5; look += 1) await many.runDue(START);
      await enqueue('keyed', ['b0', 'b1'], 'few');
      for (let look = 0; look < 4; look += 1) await many.runDue(START);
      expect(keyed.keys.slice(10)).toEqual(expect.arrayContaining(['b0', 'b1']));
    });

    it('does not make a lane wait for long for having been alone before', async () => {
      await enqueue('keyed', ['a'], 'alone');
      keyed.result = { againInMs: 0 };
      for (let look = 0; look < 300; look += 1) await many.runDue(START);
      keyed.keys.length = 0;
      await enqueue('keyed', ['b', 'c'], 'newcomer');
      for (let look = 0; look < 100; look += 1) await many.runDue(START);
      expect(keyed.keys.filter((key) => key === 'a').length).toBeGreaterThan(20);
      expect(keyed.keys.filter((key) => key === 'b').length).toBeGreaterThan(20);
    });

    it('claims and promotes without reading what is not due', async () => {
      await test.database.query(
        `INSERT INTO work (kind, key, lane, due_at)
         SELECT 'keyed', i::text, (i % 100)::text, $1::timestamptz + make_interval(hours => i % 24 + 1)
           FROM generate_series(1, 100000) AS i`,
        [START],
      );
      await test.database.query('ANALYZE work');
      await enqueue('keyed', ['due'], 'one');
      const readBefore = await buffersOf(test);
      await many.runDue(START);
      expect(keyed.keys).toEqual(['due']);
      expect((await buffersOf(test)) - readBefore).toBeLessThan(600);
    });
  });
});

/** Blocks of the table `work` and its indexes that statements have read so far. */
async function buffersOf({ database }: TestDatabase): Promise<number> {
  return database.withClient(async (client) => {
    await client.query('SELECT pg_stat_force_next_flush()');
    const { rows } = await client.query<{ read: number }>(
      `SELECT (heap_blks_read + heap_blks_hit + idx_blks_read + idx_blks_hit)::int AS read
         FROM pg_statio_user_tables WHERE relname = 'work'`,
    );
    return rows[0]?.read ?? 0;
  });
}
