import { dayInPurgeZone, timeInPurgeZone } from '../domains/drops/purge-zone.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** How long ago, or how far ahead, in the largest unit that fits: `12 min ago`, `in 3 h`, `just now`. */
export function distanceInWords(moment: Date, now: Date): string {
  const ms = now.getTime() - moment.getTime();
  const far = Math.abs(ms);
  if (far < MINUTE_MS) return ms < 0 ? 'in a moment' : 'just now';
  const words = amount(far);
  return ms < 0 ? `in ${words}` : `${words} ago`;
}

function amount(ms: number): string {
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)} min`;
  if (ms < 2 * DAY_MS) return `${Math.floor(ms / HOUR_MS)} h`;
  return `${Math.floor(ms / DAY_MS)} days`;
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'June', 'July', 'Aug', 'Sept', 'Oct', 'Nov', 'Dec'];

/** @param day YYYY-MM-DD @returns such as `18 Nov 2026` */
export function dayInWords(day: string): string {
  const [year = '', month = '', date = ''] = day.split('-');
  return `${Number(date)} ${MONTHS[Number(month) - 1] ?? ''} ${year}`;
}

/** `18 Nov 2026, 13:00 AEST (03:00 UTC)`. AEST is the registry's time all year. */
export function momentInWords(moment: Date): string {
  const utc = moment.toISOString().slice(11, 16);
  return `${dayInWords(dayInPurgeZone(moment))}, ${timeInPurgeZone(moment)} AEST (${utc} UTC)`;
}

/** A moment as pages show it: words, and the whole of it for machines and for who points at it. */
export interface TimeView {
  readonly iso: string;
  readonly words: string;
  readonly full: string;
}

export function timeView(moment: Date, now: Date): TimeView {
  return {
    iso: moment.toISOString(),
    words: distanceInWords(moment, now),
    full: momentInWords(moment),
  };
}

export function grouped(count: number): string {
  return count.toLocaleString('en-AU');
}

/** `1 letter`, `2,000 letters`. */
export function counted(count: number, noun: string): string {
  return `${grouped(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** A share of one, with the two digits that count. */
export function percent(share: number): string {
  return `${Number((share * 100).toPrecision(2))}\u00a0%`;
}

/** A range of scores. @param to null: there is no upper limit */
export function scoresInWords(from: number, to: number | null): string {
  if (to === null) return `score ${grouped(from)} and more`;
  return from === to ? `score ${grouped(from)}` : `score ${grouped(from)} to ${grouped(to)}`;
}

/** What is wrong with a text, which programs are told of a parameter. */
export function saidOfText(message: string): string {
  const text = message.replace(/^domain /, 'What was written ');
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
