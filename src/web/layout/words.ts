import { SEARCH_PARAMETERS } from '../../domains/schema/filters/parameters.js';
import { dayInPurgeZone, timeInPurgeZone } from '../../domains/schema/calendar-date.js';
import type { RegistryStatusDto } from '../../api/status/status.dto.js';
import { counted, fillIn, t } from '../../texts/texts.js';
import { voucherOf } from '../../domains/lifecycle/listings/listing.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** How long ago, or how far ahead, in the largest unit that fits: `12 min ago`, `in 3 h`, `just now`. */
export function distanceInWords(moment: Date, now: Date): string {
  const ms = now.getTime() - moment.getTime();
  const far = Math.abs(ms);
  if (far < MINUTE_MS) return ms < 0 ? t.times.soon : t.times.now;
  return fillIn(ms < 0 ? t.times.ahead : t.times.ago, { amount: amount(far) });
}

function amount(ms: number): string {
  if (ms < HOUR_MS) return fillIn(t.times.minutes, { count: Math.floor(ms / MINUTE_MS) });
  if (ms < 2 * DAY_MS) return fillIn(t.times.hours, { count: Math.floor(ms / HOUR_MS) });
  return counted(Math.floor(ms / DAY_MS), 'day');
}

/** @param day YYYY-MM-DD @returns such as `18 Nov 2026` */
export function dayInWords(day: string): string {
  const [year = '', month = '', date = ''] = day.split('-');
  return `${Number(date)} ${t.times.months[Number(month) - 1] ?? ''} ${year}`;
}

/** The same with the whole name of the month. */
export function dayInFull(day: string): string {
  const [year = '', month = '', date = ''] = day.split('-');
  return `${Number(date)} ${t.times.wholeMonths[Number(month) - 1] ?? ''} ${year}`;
}

/** Until a moment ahead: `2 h 11 min`. */
export function leftInWords(moment: Date, now: Date): string {
  const ms = Math.max(0, moment.getTime() - now.getTime());
  if (ms < HOUR_MS || ms >= DAY_MS) return amount(ms);
  const minutes = Math.floor((ms % HOUR_MS) / MINUTE_MS);
  return fillIn(t.script.left, { hours: Math.floor(ms / HOUR_MS), minutes });
}

/** `18 Nov 2026, 13:00 AEST (03:00 UTC)`. AEST is the registry's time all year. */
export function momentInWords(moment: Date): string {
  const utc = moment.toISOString().slice(11, 16);
  return `${dayInWords(dayInPurgeZone(moment))}, ${timeInPurgeZone(moment)} AEST (${utc} UTC)`;
}

/** A moment as pages show it: words, ISO 8601 for machines, and the full time as a tooltip. */
export interface TimeView {
  readonly iso: string;
  readonly words: string;
  readonly full: string;
}

export function timeView(moment: Date, now: Date): TimeView {
  return {
    iso: moment.toISOString(),
    words: distanceInWords(moment, now),
    // Rows of lists do without it.
    get full() {
      return momentInWords(moment);
    },
  };
}

/** A range of scores. @param to null: there is no upper limit */
export function scoresInWords(from: number, to: number | null): string {
  if (to === null) return fillIn(t.times.scoreFrom, { from });
  return fillIn(from === to ? t.times.score : t.times.scoreTo, { from, to });
}

/** A validation message of the API as a sentence for people. */
export function messageInWords(message: string): string {
  const text = message.replace(/^domain /, t.errors.theText);
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

const SOURCES: Readonly<Record<string, string>> = {
  ...t.sources,
  [voucherOf('sandbox')]: t.sources.sandbox,
};

/** The source of an answer. @param source as in `confirmed_by` */
export function sourceInWords(source: string): string {
  return SOURCES[source] ?? source.replace(/^vouched:/, '');
}

/** Whether one of these has answered, and is asked now: a registry that cannot be reached is not said to answer. */
export function registryStateOf({ breaker, canary, last_answered_at: at }: RegistryStatusDto): RegistryState {
  if (canary === 'failed') return 'failing';
  if (breaker !== 'closed') return 'paused';
  return at === null ? 'silent' : 'answered';
}

type RegistryState = 'failing' | 'paused' | 'silent' | 'answered';

/** A search in words: `with “cafe”, .com.au, up to 8 letters`. @param search its query string */
export function searchInWords(search: string): string {
  const fields = new URLSearchParams(search);
  const mode = fields.get('mode') ?? 'contains';
  const words = [...fields].map(([field, value]) =>
    SEARCH_PARAMETERS.find(({ parameter }) => parameter === field)?.words(value, mode),
  );
  return words.filter(Boolean).join(', ');
}

/** In this order: most browsers also name the ones they imitate. */
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/Edg(?:e|A|iOS)?\//, 'Edge'],
  [/OPR\/|Opera/, 'Opera'],
  [/SamsungBrowser\//, 'Samsung Internet'],
  [/Firefox\/|FxiOS\//, 'Firefox'],
  [/Chrome\/|CriOS\/|Chromium\//, 'Chrome'],
  [/Safari\//, 'Safari'],
];
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/iPhone/, t.devices.iPhone],
  [/iPad/, t.devices.iPad],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X|Macintosh/, t.devices.mac],
  [/CrOS/, 'ChromeOS'],
  [/Linux|X11/, 'Linux'],
];

/** A user agent as `Firefox on Linux`. */
export function deviceInWords(userAgent: string | null): string {
  const named = (table: typeof BROWSERS) => table.find(([pattern]) => pattern.test(userAgent ?? ''))?.[1];
  const browser = named(BROWSERS);
  const system = named(SYSTEMS);
  const { devices } = t;
  if (browser === undefined && system === undefined) return devices.program;
  return fillIn(devices.on, { browser: browser ?? devices.browser, system: system ?? devices.system });
}
