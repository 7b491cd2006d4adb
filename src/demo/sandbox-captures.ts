import { hashOf } from './sandbox-names.js';

const DAY_MS = 86_400_000;
const YEAR_DAYS = 365;
/** All captures that are made up lie in these days. */
const FIRST_DAY = Date.UTC(1998, 0, 1);
const DAYS = 28 * YEAR_DAYS;

/**
 * The captures of a name, as rows of a CDX server that was asked for one a day and no errors: always the same for the same name.
 * One name in four has none, most have a few dozen, a few have hundreds.
 */
export function capturesOf(domain: string): [timestamp: string, status: string][] {
  const next = numbersOf(hashOf(`captures of ${domain}`));
  if (next() < 0.25) return [];
  // Few live for long: the square of an even number is mostly small.
  const years = 1 + Math.floor(next() ** 2 * 20);
  const start = FIRST_DAY + Math.floor(next() * (DAYS - years * YEAR_DAYS)) * DAY_MS;
  const stepDays = 5 + next() * 90;
  const rows: [string, string][] = [];
  for (let day = 0; day < years * YEAR_DAYS; day += stepDays * (0.2 + 1.6 * next())) {
    const moment = new Date(start + Math.floor(day) * DAY_MS + Math.floor(next() * DAY_MS));
    rows.push([moment.toISOString().replace(/\D/g, '').slice(0, 14), statusOf(next())]);
  }
  return rows;
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
