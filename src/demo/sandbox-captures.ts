import { hashOf } from './sandbox-names.js';

/** As a CDX server gives it: YYYYMMDDhhmmss, and the status or `-` for a revisit. */
export type CaptureRow = readonly [timestamp: string, status: string];

const DAY_MS = 86_400_000;
/** All captures that are made up lie in these days, which are more than any sample name was captured on. */
const FIRST_DAY = Date.UTC(1998, 0, 1);
const DAYS = 10_220;
/** Most days between two captures. */
const MAX_STEP = 60;
const MAX_DAYS = 400;

/**
 * The captures of a name, as rows of a CDX server that was asked for one a day and no errors: always the same for the same name.
 *
 * @param days on how many days it was captured; made up from the name where it is left out: one in four on none, most on a few
 *   dozen, a few on hundreds
 */
export function capturesOf(domain: string, days?: number): CaptureRow[] {
  const next = numbersOf(hashOf(`captures of ${domain}`));
  const count = days ?? (next() < 0.25 ? 0 : 1 + Math.floor(next() ** 3 * MAX_DAYS));
  const widest = Math.min(MAX_STEP, DAYS / Math.max(1, count));
  const step = 1 + next() * (widest - 1);
  const start = Math.floor(next() * (DAYS - count * step));
  return Array.from({ length: count }, (_, place) => {
    const day = start + Math.floor(place * step) + Math.floor(next() * Math.floor(step));
    const moment = new Date(FIRST_DAY + day * DAY_MS + Math.floor(next() * DAY_MS));
    return [moment.toISOString().replace(/\D/g, '').slice(0, 14), statusOf(next())];
  });
}

function statusOf(number: number): string {
  if (number < 0.6) return '200';
  return number < 0.8 ? '-' : '301';
}

/** Even numbers from 0 to 1 that belong to the seed (mulberry32). */
function numbersOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
