import { Logger } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Job, JobCursor, BatchResult } from '../../src/jobs/job.js';
import type { JobRunner } from '../../src/jobs/runner/job-runner.js';
import { JobStateRepository } from '../../src/jobs/runner/job-state.repository.js';
import { countWaiting, createTestDatabase, type TestDatabase } from '../support/database.js';
import { after, createRunner, stateOf } from '../support/jobs.js';

const START = new Date('2026-11-20T03:00:00Z');

/** A job that writes down what it does, and does what it is told. */
class Recorder implements Job {
  readonly runs: Date[] = [];
  readonly cursors: (JobCursor | null)[] = [];
  result: BatchResult = { more: false };
  work: (signal: AbortSignal) => Promise<void> = async () => undefined;

  constructor(
    readonly name: string,
    readonly everyMs = 60_000,
    readonly maxBatchMs?: number,
  ) {}

  async run(now: Date, signal: AbortSignal, cursor: JobCursor | null): Promise<BatchResult> {
    this.runs.push(now);
    this.cursors.push(cursor);
    await this.work(signal);
    return this.result;
  }
}

/** Lets somebody wait for something that a test brings about. */
function gate(): { open: () => void; opened: Promise<void> } {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { open, opened };
}

describe('jobs', () => {
  beforeAll(() => Logger.overrideLogger(false));
  let test: TestDatabase;
  let job: Recorder;
  let runner: JobRunner;
  beforeEach(async () => {
    test = await createTestDatabase();
    await test.database.query('CREATE TABLE written (by text)');
    job = new Recorder('tidy');
    runner = createRunner(test.database, job);
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

  describe('that are due', () => {
    it('run when they have never run, and then at their interval', async () => {
      await runner.runDue(START);
      await runner.runDue(after(START, 59));
      expect(job.runs).toEqual([START]);
      await runner.runDue(after(START, 60));
      expect(job.runs).toEqual([START, after(START, 60)]);
      expect(await state()).toMatchObject({
        lastRunAt: after(START, 60),
        lastSuccessAt: after(START, 60),
        nextDue: after(START, 120),
        failures: 0,
        lastError: null,
      });
    });

    it('wait while an operator has them paused, but for the batch that is wanted', async () => {
      const states = new JobStateRepository(test.database);
      await runner.runDue(START);
      await states.pause('tidy', { by: 'alice', reason: 'a look' }, after(START, 1), test.database);
      expect((await runner.startDue(after(START, 61))).nextDue).toBeNull();
      expect(await state()).toMatchObject({ pausedBy: 'alice', pauseReason: 'a look' });
      // Whichever process does the jobs then.
      await runner.stop();
      const next = createRunner(test.database, job);
      await next.runDue(after(START, 62));
      expect(job.runs).toEqual([START]);
      await states.want('tidy', after(START, 70), test.database);
      await next.runDue(after(START, 71));
      await next.runDue(after(START, 72));
      expect(job.runs).toEqual([START, after(START, 71)]);
      await states.resume('tidy', test.database);
      await next.runDue(after(START, 131));
      expect(job.runs).toHaveLength(3);
      expect(await states.pause('no-such-job', { by: 'alice', reason: 'a look' }, START, test.database)).toBe(
        false,
      );
    });

    it('run again at once while they have more, and as soon as they say', async () => {
      job.result = { more: true };
      expect(await runner.runDue(START)).toBe(true);
      job.result = { more: false, againInMs: 1_500 };
      expect(await runner.runDue(START)).toBe(false);
      await runner.runDue(after(START, 1.4));
      expect(job.runs).toHaveLength(2);
      await runner.runDue(after(START, 1.5));
      expect(job.runs).toHaveLength(3);
    });

    it('go on where their last batch ended', async () => {
      job.result = { more: true, cursor: { after: 'm.com.au', met: 300 } };
      await runner.runDue(START);
      job.result = { more: true };
      await runner.runDue(START);
      await runner.runDue(START);
      const cursor = { after: 'm.com.au', met: 300 };
      expect(job.cursors).toEqual([null, cursor, cursor]);
    });

    it('run soon also when the clock was set back by a year', async () => {
      await runner.runDue(START);
      const past = new Date('2025-11-20T03:00:00Z');
      await runner.runDue(past);
      expect(job.runs).toEqual([START, past]);
    });

    it('run beside each other, and no batch of one beside another of the same', async () => {
      const slow = new Recorder('slow');
      const { open, opened } = gate();
      slow.work = () => opened;
      const both = createRunner(test.database, slow, job);
      const first = await both.startDue(START);
      await first.batches[1];
      const second = await both.startDue(after(START, 100));
      expect(second.batches).toHaveLength(1);
      await second.batches[0];
      open();
      await Promise.all(first.batches);
      expect(slow.runs).toEqual([START]);
      expect(job.runs).toEqual([START, after(START, 100)]);
      expect(await both.startDue(after(START, 160))).toMatchObject({ nextDue: null });
      await both.stop();
    });
  });

  describe('that fail', () => {
    it('are recorded and back off, longer each time, until they succeed', async () => {
      job.work = () => Promise.reject(new Error('no such luck'.repeat(100)));
      const runs: number[] = [];
      for (let second = 0; second < 100; second += 1) {
        const before = job.runs.length;
        await runner.runDue(after(START, second));
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
      await runner.runDue(after(START, 155));
      expect(await state()).toMatchObject({ failures: 0, lastSuccessAt: after(START, 155) });
      expect((await state())?.lastErrorAt).toEqual(after(START, 75));
    });

    it('back off for a quarter of an hour at most', async () => {
      job.work = () => Promise.reject(new Error('still away'));
      let now = START;
      for (let failure = 1; failure <= 12; failure += 1) {
        await runner.runDue(now);
        now = (await state())?.nextDue ?? now;
      }
      const last = (await state())?.lastErrorAt ?? START;
      expect(now.getTime() - last.getTime()).toBe(15 * 60_000);
    });

    it('do not keep the others from running', async () => {
      job.work = () => Promise.reject(new Error('no such luck'));
      const other = new Recorder('other');
      await createRunner(test.database, job, other).runDue(START);
      expect(other.runs).toEqual([START]);
      expect(await stateOf(test.database, 'other')).toMatchObject({ failures: 0 });
    });

    it('because others hold what they would write have not failed: they come back every five seconds', async () => {
      job.work = () => write('tidy');
      await test.database.transaction(async (transaction) => {
        await transaction.query('LOCK TABLE written IN SHARE MODE');
        for (const second of [0, 4, 5, 10]) await runner.runDue(after(START, second));
      });
      expect(job.runs).toEqual([START, after(START, 5), after(START, 10)]);
      expect(await state()).toMatchObject({ failures: 0, lastError: null, lastSuccessAt: null });
      await runner.runDue(after(START, 15));
      expect(await written()).toEqual(['tidy']);
    });

    it('by taking too long are told to end, and that is a failure', async () => {
      const slow = new Recorder('slow', 60_000, 20);
      slow.work = async (signal) => {
        await sleep(60_000, undefined, { signal }).catch(() => undefined);
        throw signal.reason;
      };
      await createRunner(test.database, slow).runDue(START);
      expect(await stateOf(test.database, 'slow')).toMatchObject({
        failures: 1,
        lastError: 'a batch took longer than 20 ms',
      });
    });
  });

  describe('in several processes', () => {
    let otherJob: Recorder;
    let other: JobRunner;
    beforeEach(() => {
      otherJob = new Recorder('tidy');
      other = createRunner(test.database, otherJob);
    });

    it('are done by one of them for as long as it lives', async () => {
      for (let second = 0; second <= 300; second += 5) {
        await runner.runDue(after(START, second));
        await other.runDue(after(START, second));
      }
      expect(job.runs).toHaveLength(6);
      expect(otherJob.runs).toEqual([]);
    });

    it('go on within a minute when that one is killed', async () => {
      const { opened } = gate();
      job.work = () => opened;
      const { batches } = await runner.startDue(START);
      expect(batches).toHaveLength(1);
      // Nothing is heard of it from now on.
      let second = 0;
      while (otherJob.runs.length === 0) await other.runDue(after(START, (second += 5)));
      expect(second).toBeLessThan(60);
      expect(second).toBeGreaterThanOrEqual(30);
    });

    it('go on at once when that one is told to stop', async () => {
      await runner.runDue(START);
      await runner.stop();
      await other.runDue(after(START, 60));
      expect(otherJob.runs).toEqual([after(START, 60)]);
      await runner.runDue(after(START, 120));
      expect(job.runs).toEqual([START]);
    });

    it('a batch under way ends when its process is told to stop, is no failure, and is done anew', async () => {
      job.work = async (signal) => {
        await sleep(60_000, undefined, { signal });
      };
      const { batches } = await runner.startDue(START);
      await runner.stop();
      expect(await Promise.all(batches)).toEqual([false]);
      expect(await state()).toMatchObject({ failures: 0, lastSuccessAt: null, nextDue: START });
      await other.runDue(after(START, 1));
      expect(otherJob.runs).toEqual([after(START, 1)]);
    });

    it('one that stood still for longer than its lease writes nothing more', async () => {
      const { open, opened } = gate();
      let refusal = '';
      job.work = async () => {
        await write('first, in time');
        await opened;
        await write('first, too late').catch((error: unknown) => (refusal = String(error)));
      };
      otherJob.work = () => write('second');
      job.result = { more: false, cursor: { by: 'first' } };
      otherJob.result = { more: false, cursor: { by: 'second' } };
      const { batches } = await runner.startDue(START);
      // The batch has begun, or there would be nothing to be late with.
      while ((await written()).length === 0) await new Promise(setImmediate);
      await other.runDue(after(START, 31));
      const before = await state();
      open();
      expect(await Promise.all(batches)).toEqual([false]);
      expect(refusal).toContain('the lease on the jobs has gone to another process');
      expect(await written()).toEqual(['first, in time', 'second']);
      expect(await state()).toEqual(before);
      expect(before?.cursor).toEqual({ by: 'second' });
    });

    it('the lease is held for longer beside work under way, however long that takes', async () => {
      const { open, opened } = gate();
      job.work = () =>
        test.database.transaction(async (transaction) => {
          await transaction.query('INSERT INTO written VALUES ($1)', ['long import']);
          await opened;
        });
      const { batches } = await runner.startDue(START);
      for (let second = 5; second <= 120; second += 5) {
        expect(await runner.startDue(after(START, second))).toMatchObject({ isHolder: true });
        expect(await other.startDue(after(START, second))).toMatchObject({ isHolder: false });
      }
      open();
      await Promise.all(batches);
      expect(await written()).toEqual(['long import']);
    });

    it('one whose clock is behind does not take the lease from one that works', async () => {
      await runner.runDue(START);
      // It would have something to do.
      const behind = createRunner(test.database, new Recorder('new'), otherJob);
      expect(await behind.startDue(after(START, -20))).toMatchObject({ isHolder: false, batches: [] });
      expect(await runner.startDue(after(START, 20))).toMatchObject({ isHolder: true });
    });

    it('nobody takes the lease while a transaction of its holder may still commit', async () => {
      const { open, opened } = gate();
      const order: string[] = [];
      let isWriting: () => void = () => undefined;
      const writing = new Promise<void>((resolve) => (isWriting = resolve));
      job.work = async () => {
        await test.database.transaction(async () => {
          isWriting();
          await opened;
        });
        order.push('committed');
      };
      const { batches } = await runner.startDue(START);
      await writing;
      const taking = other.startDue(after(START, 31)).then(() => order.push('taken'));
      while ((await countWaiting(test.database)) === 0) await new Promise(setImmediate);
      open();
      await Promise.all([...batches, taking]);
      expect(order).toEqual(['committed', 'taken']);
    });

    it('a clock set back by a year keeps nobody from the lease', async () => {
      await runner.runDue(START);
      await other.runDue(new Date('2025-11-20T03:00:00Z'));
      expect(otherJob.runs).toHaveLength(1);
    });
  });
});
