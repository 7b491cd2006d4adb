/**
 * Seconds that a Retry-After header asks to wait: RFC 9110 allows a number of seconds or a date.
 *
 * @returns undefined when there is none, or none that makes sense
 */
export function readRetryAfter(header: string | null, now: Date): number | undefined {
  const text = header?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text);
  // Date.parse reads much more than an HTTP date ("-5" is the year 2005), so the shape comes first.
  if (!/^[A-Z][a-z]{2,8}, .* GMT$/.test(text)) return undefined;
  const moment = Date.parse(text);
  return Number.isNaN(moment) ? undefined : Math.max(0, Math.ceil((moment - now.getTime()) / 1000));
}
