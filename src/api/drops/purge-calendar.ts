import { createHash } from 'node:crypto';
import { createEvents, type EventAttributes } from 'ics';
import { dayInPurgeZone, PURGE_ZONE, timeInPurgeZone } from '../../domains/schema/calendar-date.js';
import type { PurgeRun, UpcomingDrop, UpcomingFilter } from '../../domains/feed/upcoming-drop.repository.js';
import { canonicalText } from './upcoming-cursor.js';

export const MAX_NAMES_PER_RUN = 10;

/** The two runs of a day are half an hour apart; a run takes minutes. */
const RUN_MINUTES = 30;
const CALENDAR = {
  productId: '-//Bowerbird//Upcoming drops//EN',
  calName: '.au names about to drop',
  method: 'PUBLISH',
};

export interface CalendarContent {
  readonly runs: readonly PurgeRun[];
  /** Of every run the best names, best first. */
  readonly best: readonly UpcomingDrop[];
  readonly filter: UpcomingFilter;
  readonly now: Date;
  readonly baseUrl: string;
}

/**
 * The purge runs as iCalendar (RFC 5545), one event per run. The text is ASCII because lines are folded by
 * characters, not by bytes.
 */
export function calendarOf(content: CalendarContent): string {
  const { error, value } = createEvents(
    content.runs.map((run) => eventOf(run, content)),
    CALENDAR,
  );
  if (value === null) throw error ?? new Error('the calendar was not written');
  return withZone(value);
}

function eventOf(run: PurgeRun, { best, filter, now, baseUrl }: CalendarContent): EventAttributes {
  const names = best.filter(
    ({ purgeAt, kind }) => purgeAt.getTime() === run.purgeAt.getTime() && kind === run.kind,
  );
  const event = {
    uid: `${uidOf(run, filter)}@${new URL(baseUrl).hostname}`,
    // Not in the package's types, and then the time of its own clock.
    timestamp: now.getTime(),
    start: run.purgeAt.getTime(),
    startInputType: 'utc' as const,
    startOutputType: 'utc' as const,
    duration: { minutes: RUN_MINUTES },
    title: `${counted(run)} to be purged`,
    description: describe(run, names),
    url: `${baseUrl}/api/v1/drops/upcoming?date=${dayInPurgeZone(run.purgeAt)}`,
    transp: 'TRANSPARENT' as const,
  };
  return event;
}

/** The same for the same run, whenever it is asked for; filters make a calendar of their own. */
function uidOf({ purgeAt, kind }: PurgeRun, filter: UpcomingFilter): string {
  const of = createHash('sha256').update(canonicalText(filter)).digest('hex').slice(0, 12);
  const at = purgeAt.toISOString().replace(/[-:]|\.\d+/g, '');
  return `purge-${at}-${kind ?? 'any'}-${of}`;
}

function counted({ names, kind }: PurgeRun): string {
  return `${names} ${kind ?? 'listed'} .au ${names === 1 ? 'name' : 'names'}`;
}

function describe(run: PurgeRun, best: readonly UpcomingDrop[]): string {
  const time =
    `${timeInPurgeZone(run.purgeAt)} AEST (${PURGE_ZONE}, UTC+10), ` +
    `${run.purgeAt.toISOString().slice(11, 16)} UTC`;
  const names = best.map(({ domain }) => `${domain.domain} (${domain.wayback})`);
  return [
    `${counted(run)}, purged at ${time}.`,
    ...(run.approximate > 0 ? [`${run.approximate} of them may go a day earlier.`] : []),
    ...(names.length > 0 ? [`Best archive scores: ${names.join(', ')}.`] : []),
    'A listed name may be rescued until its purge; nothing is known to be available before a registry says so.',
  ].join('\n');
}

// A calendar must have a component, also while nothing is listed; and so it says which zone its texts speak of.
function withZone(calendar: string): string {
  const zone = [
    'BEGIN:VTIMEZONE',
    `TZID:${PURGE_ZONE}`,
    'BEGIN:STANDARD',
    'DTSTART:19700101T000000',
    'TZOFFSETFROM:+1000',
    'TZOFFSETTO:+1000',
    'TZNAME:AEST',
    'END:STANDARD',
    'END:VTIMEZONE',
    '',
  ].join('\r\n');
  return calendar.replace(/(?=BEGIN:VEVENT|END:VCALENDAR)/, zone);
}
