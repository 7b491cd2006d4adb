import type { Job, BatchResult } from '../job.js';
import type { JobState } from './job-state.repository.js';

const FIRST_BACK_OFF_MS = 5_000;
const MAX_BACK_OFF_MS = 15 * 60_000;
const UNLOCKED_IN_MS = 5_000;

/**
 * Whether it is time for a batch of the job: it has never run, or its time has come. One that an operator has paused waits, but
 * for the batch that an operator wants.
 */
export function isDue(job: Job, state: JobState | undefined, now: Date): boolean {
  if (!state || isWanted(state, now)) return true;
  if (state.pausedAt) return false;
  const aheadMs = state.nextDue.getTime() - now.getTime();
  // Further ahead than anything puts it: the clock was set back, or the job has become more frequent.
  return aheadMs <= 0 || aheadMs > longestMs(job);
}

/** When the job is due after a batch that was begun at `now`. */
export function dueAfter(job: Job, { more, againInMs }: BatchResult, now: Date): Date {
  const inMs = more ? 0 : Math.min(againInMs ?? job.everyMs, longestMs(job));
  return new Date(now.getTime() + Math.max(0, inMs));
}

/** When it is due after a failure, the failures before it counted: 5 s, 10 s, 20 s, to 15 minutes. */
export function dueAfterFailure(failuresBefore: number, now: Date): Date {
  const backOffMs = Math.min(MAX_BACK_OFF_MS, FIRST_BACK_OFF_MS * 2 ** Math.min(failuresBefore, 20));
  return new Date(now.getTime() + backOffMs);
}

/** When it looks again whether others have let go of what it would write. */
export function dueWhenUnlocked(now: Date): Date {
  return new Date(now.getTime() + UNLOCKED_IN_MS);
}

/** Whether no batch was begun since an operator wanted one. */
export function isWanted({ wantedAt, lastRunAt }: JobState, now: Date): boolean {
  // One that is ahead was wanted before the clock was set back: every batch would be begun before it.
  return wantedAt !== null && wantedAt <= now && (lastRunAt === null || lastRunAt < wantedAt);
}

const longestMs = ({ everyMs }: Job): number => Math.max(everyMs, MAX_BACK_OFF_MS);
