/** The time that is measured: whole minutes, the end not included. */
export interface Span {
  readonly from: Date;
  readonly to: Date;
}

const MINUTE_MS = 60_000;
/** After the end of a minute every instance has written what it counted in it: it does so every ten seconds. */
const WRITTEN_AFTER_MS = 20_000;

/** From the minute of `from` to the last that is over and written. */
export function writtenMinutes(from: Date, now: Date): Span {
  return { from: minuteOf(from.getTime()), to: minuteOf(now.getTime() - WRITTEN_AFTER_MS) };
}

function minuteOf(timeMs: number): Date {
  return new Date(Math.floor(timeMs / MINUTE_MS) * MINUTE_MS);
}
