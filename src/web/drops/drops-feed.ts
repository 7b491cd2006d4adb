import { type CalendarDate } from '../../domains/schema/calendar-date.js';
import type { DayCount } from '../../domains/drops/day-event.repository.js';
import { boundsOfDay } from '../../domains/drops/purge-zone.js';
import { type AtomEntry, renderAtom } from '../feeds/atom.js';
import { counted, dayInWords } from '../words.js';
import { addressOf } from './drops-address.js';

/** A day of the feed. */
export interface FeedDay {
  readonly day: CalendarDate;
  readonly counts: readonly DayCount[];
  /** The best of the names that dropped. */
  readonly best: readonly string[];
}

/** Days as Atom, the newest first. What happens on the last one goes on, so its entry is as new as the feed. */
export function atomOf(baseUrl: string, days: readonly FeedDay[], now: Date): string {
  return renderAtom({
    title: 'Dropped .au names, day by day',
    subtitle: 'What came on offer, was rescued and taken again, in Australian eastern time.',
    selfUrl: `${baseUrl}/drops.atom`,
    pageUrl: `${baseUrl}/drops`,
    since: now,
    entries: days.map((day) => entryOf(baseUrl, day, now)),
  });
}

function entryOf(baseUrl: string, { day, counts, best }: FeedDay, now: Date): AtomEntry {
  const url = `${baseUrl}${addressOf(day)}`;
  const ends = boundsOfDay(day).to;
  const of = (type: DayCount['type']) => counts.find((one) => one.type === type)?.names ?? 0;
  const dropped = counted(of('domain.dropped'), 'name');
  const rest = `${counted(of('domain.rescued'), 'name')} rescued, ${counted(of('domain.taken'), 'name')} found taken again.`;
  const names = best.length > 0 ? ` The best: ${best.join(', ')}.` : '';
  return {
    id: url,
    title: `${dayInWords(day)}: ${dropped} dropped`,
    url,
    updated: ends < now ? ends : now,
    summary: `${dropped} dropped and came on offer, ${rest}${names}`,
  };
}
