/**
 * Seconds that a Retry-After header asks to wait: RFC 9110 allows a number of seconds or a date. Whoever obeys sets a bound of
 * their own: a number of four hundred digits is Infinity.
 *
 * @returns undefined when there is none, or none that makes sense
 */
export function readRetryAfter(header: string | null | undefined, now: Date): number | undefined {
  const text = header?.trim() ?? '';
  if (/^\d+$/.test(text)) return Number(text);
  const moment = readHttpDate(text);
  return moment && Math.max(0, Math.ceil((moment.getTime() - now.getTime()) / 1000));
}

/** An HTTP date as RFC 9110 has it sent, such as `Fri, 20 Nov 2026 12:00:30 GMT`; undefined for anything else. */
export function readHttpDate(text: string): Date | undefined {
  // Date.parse reads much more than an HTTP date ("-5" is the year 2005), so the shape comes first.
  if (!/^[A-Z][a-z]{2,8}, .* GMT$/.test(text)) return undefined;
  const moment = Date.parse(text);
  return Number.isNaN(moment) ? undefined : new Date(moment);
}
