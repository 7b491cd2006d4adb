import { type CalendarDate } from '../../domains/calendar-date.js';
import type { DayCount } from '../../domains/drops/day-event.repository.js';
import { boundsOfDay } from '../../domains/drops/purge-zone.js';
import { counted, dayInWords } from '../words.js';
import { addressOf } from './drops-address.js';

/** A day of the feed. */
export interface FeedDay {
  readonly day: CalendarDate;
  readonly counts: readonly DayCount[];
  /** The best of the names that dropped. */
  readonly best: readonly string[];
}

/** Days as Atom (RFC 4287), the newest first. What happens on the last one goes on, so its entry is as new as the feed. */
export function atomOf(baseUrl: string, days: readonly FeedDay[], now: Date): string {
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en-AU">
<id>${baseUrl}/drops.atom</id>
<title>Dropped .au names, day by day</title>
<subtitle>What came on offer, was rescued and taken again, in Australian eastern time.</subtitle>
<link rel="self" type="application/atom+xml" href="${baseUrl}/drops.atom"/>
<link rel="alternate" type="text/html" href="${baseUrl}/drops"/>
<author><name>Bowerbird</name></author>
<updated>${now.toISOString()}</updated>
${days.map((day) => entryOf(baseUrl, day, now)).join('\n')}
</feed>
`;
}

function entryOf(baseUrl: string, { day, counts, best }: FeedDay, now: Date): string {
  const address = escaped(`${baseUrl}${addressOf(day)}`);
  const ends = boundsOfDay(day).to;
  const of = (type: DayCount['type']) => counts.find((one) => one.type === type)?.names ?? 0;
  const dropped = of('domain.dropped');
  const rest = `${counted(of('domain.rescued'), 'name')} rescued, ${counted(of('domain.taken'), 'name')} found taken again.`;
  const names = best.length > 0 ? ` The best: ${best.join(', ')}.` : '';
  return `<entry>
<id>${address}</id>
<title>${dayInWords(day)}: ${counted(dropped, 'name')} dropped</title>
<link rel="alternate" type="text/html" href="${address}"/>
<updated>${(ends < now ? ends : now).toISOString()}</updated>
<summary>${counted(dropped, 'name')} dropped and came on offer, ${rest}${names}</summary>
</entry>`;
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;');
