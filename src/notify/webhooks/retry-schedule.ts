import type { ReceiverAnswer } from './receivers/receiver-request.js';

/** Part of a delay by which it is stretched at most, so that what failed together does not come back together. */
const JITTER = 0.1;
/** The longest that a receiver can have itself left alone. */
const MAX_RETRY_AFTER_SECONDS = 86_400;
/** Answers whose Retry-After is listened to. */
const BUSY: readonly (number | null)[] = [429, 503];

/** For how many seconds a receiver asks to be left alone; null when it does not. */
export function pauseAsked({
  status,
  retryAfter,
}: Pick<ReceiverAnswer, 'status' | 'retryAfter'>): number | null {
  if (retryAfter === null || !BUSY.includes(status)) return null;
  return Math.min(retryAfter, MAX_RETRY_AFTER_SECONDS);
}

/**
 * When to try again; null when enough has been tried.
 *
 * @param attempts how many there were
 * @param seconds before each attempt, the first included
 * @param asked the pause that the receiver asked for, in seconds
 */
export function nextDelay(
  attempts: number,
  seconds: readonly number[],
  asked: number | null,
  random: () => number = Math.random,
): number | null {
  const delay = seconds[attempts];
  if (delay === undefined) return null;
  return Math.max(delay * (1 + JITTER * random()), asked ?? 0);
}
