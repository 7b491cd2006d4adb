import { Injectable, Logger } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Fence, fenced } from '../../db/database.js';
import { isSqlState, LOCK_NOT_AVAILABLE } from '../../errors/database-failure.js';
import { messageOf } from '../../validation/unknown-values.js';
import { type Job, JobSet, MAX_BATCH_MS, type BatchResult } from '../job.js';
import { type JobLease, JobLeaseRepository, LeaseLostError } from './job-lease.repository.js';
import { dueAfter, dueAfterFailure, dueWhenUnlocked, isDue } from './job-schedule.js';
import { type JobState, JobStateRepository } from './job-state.repository.js';

/** After this long without a sign of its holder the lease may be taken by another. */
export const LEASE_MS = 30_000;
/** A lease that has been held for this long is held anew. */
const RENEW_AFTER_MS = 10_000;
/** What a batch that was told to end may still take. */
const CUT_GRACE_MS = 5_000;

/** Characters of an error that are kept. */
const MAX_ERROR_LENGTH = 500;

/** What was begun in one look at what is due. */
export interface Round {
  /** Whether this process does the jobs. */
  readonly isHolder: boolean;
  /** Each ends with its batch, and never fails: whether its job has more to do at once. */
  readonly batches: readonly Promise<boolean>[];
  /** When the first of the jobs that wait is due; null when none waits. */
  readonly nextDue: Date | null;
}

/** Does the dataset's jobs, on whichever process holds the lease. Each job runs beside the others, one batch at a time. */
@Injectable()
export class JobRunner {
  private readonly logger = new Logger('Jobs');
  private readonly holder = randomUUID();
  private readonly underWay = new Map<string, { cut: AbortController; ended: Promise<void> }>();
  private lease: JobLease | null = null;
  private isStopping = false;

  constructor(
    private readonly set: JobSet,
    private readonly leases: JobLeaseRepository,
    private readonly states: JobStateRepository,
  ) {}

  /** Does one batch of every job that is due, if the lease is to be had. @returns whether one of them has more to do */
  async runDue(now: Date): Promise<boolean> {
    const { batches } = await this.startDue(now);
    return (await Promise.all(batches)).includes(true);
  }

  /** Begins them and does not wait. @throws {DatabaseUnavailable} */
  async startDue(now: Date): Promise<Round> {
    const lease = await this.holdLease(now);
    if (!lease) return { isHolder: false, batches: [], nextDue: null };
    const states = new Map((await this.states.list()).map((state) => [state.name, state]));
    const idle = this.set.jobs.filter(({ name }) => !this.underWay.has(name));
    const due = idle.filter((job) => isDue(job, states.get(job.name), now));
    const waiting = idle
      .filter((job) => !due.includes(job))
      .flatMap(({ name }) => states.get(name) ?? [])
      .filter(({ pausedAt }) => pausedAt === null);
    return {
      isHolder: true,
      batches: due.map((job) => this.start(job, states.get(job.name), lease, now)),
      nextDue: earliest(waiting.map(({ nextDue }) => nextDue)),
    };
  }

  /** Ends what is under way and lets another process go on at once. */
  async stop(): Promise<void> {
    this.isStopping = true;
    this.cutAll();
    const ended = Promise.all([...this.underWay.values()].map(({ ended }) => ended));
    await Promise.race([ended, sleep(CUT_GRACE_MS, undefined, { ref: false })]);
    if (this.lease) await this.leases.release(this.lease);
    this.lease = null;
  }

  private async holdLease(now: Date): Promise<JobLease | null> {
    if (this.isStopping) return null;
    const leftMs = this.lease ? this.lease.until.getTime() - now.getTime() : 0;
    if (leftMs > LEASE_MS - RENEW_AFTER_MS && leftMs <= LEASE_MS) return this.lease;
    const renewed = this.lease && (await this.leases.renew(this.lease, now, LEASE_MS));
    if (this.lease && !renewed) {
      this.logger.warn('Another process does the jobs from now on');
      this.cutAll();
    }
    this.lease = renewed ?? (await this.leases.take(this.holder, now, LEASE_MS));
    if (this.lease && !renewed) this.logger.log('This process does the jobs from now on');
    return this.lease;
  }

  private cutAll(): void {
    for (const { cut } of this.underWay.values()) cut.abort(new LeaseLostError());
  }

  private start(job: Job, state: JobState | undefined, lease: JobLease, now: Date): Promise<boolean> {
    const fence: Fence = (transaction) => this.leases.lock(transaction, lease);
    const { cut, isOverdue, clear } = timeLimits(job.maxBatchMs ?? MAX_BATCH_MS);
    const work = fenced(fence, async () => {
      await this.states.begin(lease, job.name, now);
      return job.run(now, cut.signal, state?.cursor ?? null);
    });
    const settled = this.settle(job, state, now, lease, Promise.race([work, isOverdue]));
    // A batch that does not end when it is told to keeps its place, so that none of its job runs beside it.
    const ended = Promise.allSettled([work, settled]).then(() => {
      clear();
      this.underWay.delete(job.name);
    });
    this.underWay.set(job.name, { cut, ended });
    return settled;
  }

  private async settle(
    job: Job,
    state: JobState | undefined,
    now: Date,
    lease: JobLease,
    outcome: Promise<BatchResult>,
  ): Promise<boolean> {
    try {
      const result = await outcome;
      const nextDue = dueAfter(job, result, now);
      await this.states.succeed(lease, job.name, now, nextDue, result.cursor);
      return result.more;
    } catch (error) {
      if (this.isStopping || error instanceof LeaseLostError)
        this.logger.log(`A batch of ${job.name} was broken off: ${messageOf(error)}`);
      else if (isSqlState(error, LOCK_NOT_AVAILABLE)) await this.putOff(job, now, lease);
      else await this.recordFailure(job, state?.failures ?? 0, now, lease, error);
      return false;
    }
  }

  /** An import holds what the batch would write, for minutes when it builds the dataset anew: that is no failure. */
  private async putOff(job: Job, now: Date, lease: JobLease): Promise<void> {
    this.logger.debug(`${job.name} is put off: others hold what it would write`);
    await this.record(job, this.states.putOff(lease, job.name, dueWhenUnlocked(now)));
  }

  private async recordFailure(
    job: Job,
    failuresBefore: number,
    now: Date,
    lease: JobLease,
    error: unknown,
  ): Promise<void> {
    const message = messageOf(error).slice(0, MAX_ERROR_LENGTH);
    this.logger.warn(`${job.name} failed and backs off: ${message}`);
    const nextDue = dueAfterFailure(failuresBefore, now);
    await this.record(job, this.states.fail(lease, job.name, now, nextDue, message));
  }

  private async record(job: Job, recording: Promise<void>): Promise<void> {
    try {
      await recording;
    } catch (unrecorded) {
      this.logger.warn(`When ${job.name} is due next could not be recorded: ${messageOf(unrecorded)}`);
      // It is due at once, then. Who cannot write must show first that the lease can be held.
      this.lease = null;
    }
  }
}

/** Tells a batch to end after `limitMs`, and gives it up when it has not done so a while later. */
function timeLimits(limitMs: number): {
  cut: AbortController;
  isOverdue: Promise<never>;
  clear: () => void;
} {
  const cut = new AbortController();
  const error = new Error(`a batch took longer than ${limitMs} ms`);
  const told = setTimeout(() => cut.abort(error), limitMs).unref();
  let overdue: NodeJS.Timeout | undefined;
  const isOverdue = new Promise<never>((_, fail) => {
    overdue = setTimeout(() => fail(error), limitMs + CUT_GRACE_MS).unref();
  });
  const clear = () => {
    clearTimeout(told);
    clearTimeout(overdue);
  };
  return { cut, isOverdue, clear };
}

function earliest(times: readonly Date[]): Date | null {
  return times.reduce<Date | null>((first, at) => (first && first <= at ? first : at), null);
}
