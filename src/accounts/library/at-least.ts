import { setTimeout as pause } from 'node:timers/promises';

/** Does the work and answers, well or badly, not before `ms` have passed, so that the time says nothing about the work. */
export async function atLeast<Result>(ms: number, work: () => Promise<Result>): Promise<Result> {
  const [outcome] = await Promise.allSettled([work(), pause(ms)]);
  if (outcome.status === 'rejected') throw outcome.reason;
  return outcome.value;
}
