import { Injectable } from '@nestjs/common';
import { Lifecycle } from '../domains/lifecycle/lifecycle.js';
import type { Job, JobCursor, BatchResult } from './job.js';

/** 1,000 names every 5 s meet ten million in 14 hours. */
const EVERY_MS = 5_000;
const MAX_NAMES = 1_000;
/** From the end of one round to the next. */
const REST_MS = 15 * 60_000;

/** Meets every name in turn, so that each name on offer has a time for its next question. */
@Injectable()
export class RecheckSweepJob implements Job {
  readonly name = 'recheck-sweep';
  readonly everyMs = EVERY_MS;

  constructor(private readonly lifecycle: Lifecycle) {}

  async run(_now: Date, _signal: AbortSignal, cursor: JobCursor | null): Promise<BatchResult> {
    const { next } = await this.lifecycle.scheduleRechecks(String(cursor?.after ?? ''), MAX_NAMES);
    if (next === null) return { more: false, againInMs: REST_MS, cursor: { after: '' } };
    return { more: false, cursor: { after: next } };
  }
}
