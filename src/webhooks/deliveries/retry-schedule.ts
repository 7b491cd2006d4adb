/** Part of a delay by which it is stretched at most, so that what failed together does not come back together. */
const JITTER = 0.1;
/** The longest that a receiver can have itself left alone. */
const MAX_RETRY_AFTER_SECONDS = 86_400;

/**
 * When to try again; null when enough has been tried.
 *
 * @param attempts how many there were
 * @param seconds before each attempt, the first included
 * @param retryAfter what the receiver asked for, in seconds
 */
export function nextDelay(
  attempts: number,
  seconds: readonly number[],
  retryAfter: number | null,
  random: () => number = Math.random,
): number | null {
  const delay = seconds[attempts];
  if (delay === undefined) return null;
  const asked = Math.min(retryAfter ?? 0, MAX_RETRY_AFTER_SECONDS);
  return Math.max(delay * (1 + JITTER * random()), asked);
}
