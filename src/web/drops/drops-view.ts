import { calendarDateOf, type CalendarDate } from '../../domains/schema/calendar-date.js';
import { drawBars } from '../charts/bars.js';
import { eta, renderLayout, type SiteView } from '../layout/layout.js';
import { renderNames } from '../names/name-rows.js';
import { counted, dayInWords, distanceInWords, grouped, momentInWords } from '../words.js';
import { addressOf, type DropList, LISTS } from './drops-address.js';
import type { DayOfDrops } from './drops-page.service.js';
import { DROPS_TEMPLATE } from './drops-template.js';

const LIST_WORDS: Readonly<Record<DropList, string>> = {
  due: 'due',
  dropped: 'dropped',
  rescued: 'rescued',
  taken: 'taken again',
};
const NEAR_DAYS = [-2, -1, 0, 1, 2];

const BODY = eta.compile(DROPS_TEMPLATE);

export function renderDrops(site: SiteView, view: DayOfDrops, signedIn: boolean): string {
  const { day, list, names } = view;
  const title = titleOf(view);
  const body = eta.render(BODY, {
    ...view,
    title,
    signedIn,
    lead: leadOf(view),
    runTimes: runTimesOf(view),
    days: NEAR_DAYS.map((plus) => linkOf(shifted(day, plus), view)),
    figures: figuresOf(view),
    tabs: LISTS.map((one) => ({ words: LIST_WORDS[one], href: addressOf(day, one), isOn: one === list })),
    listWords: LIST_WORDS[list],
    table: names.rows.length > 0 ? renderNames(names.rows, `Names that are ${LIST_WORDS[list]}`) : '',
    ...chartOf(view),
    month: calendarOf(view),
  });
  return renderLayout(site, {
    title,
    description: `${leadOf(view)} Dropped, due, rescued and taken .au names, day by day.`,
    canonical: names.rows.length > 0 ? addressOf(day) : undefined,
    section: '/drops',
    signedIn,
    scripted: true,
    body,
  });
}

function titleOf({ day, today, runs }: DayOfDrops): string {
  const names = runs.reduce((sum, run) => sum + run.names, 0);
  const when = day === today ? 'today' : `on ${dayInWords(day)}`;
  return names > 0
    ? `${counted(names, 'name')} to drop ${when}`
    : `Drops ${day === today ? 'today' : `of ${dayInWords(day)}`}`;
}

/** The purges that lie ahead, as words, and how far. */
function runTimesOf({ runs, now }: DayOfDrops): { words: string; iso: string; distance: string }[] {
  return runs.map(({ purgeAt, kind, names }) => ({
    words: `${counted(names, `${kind ?? 'listed'} name`)} at ${momentInWords(purgeAt).split(', ')[1] ?? ''}`,
    iso: purgeAt.toISOString(),
    distance: distanceInWords(purgeAt, now),
  }));
}

function leadOf(view: DayOfDrops): string {
  const { day, today, counts } = view;
  const times = runTimesOf(view).map(({ words, distance }) => `${words}, ${distance}`);
  if (times.length > 0) return `${times.join('; ')}.`;
  const happened = counts === null || counts.some((one) => one.day === day);
  return day >= today && !happened
    ? 'No list has named what drops on this day yet.'
    : 'What happened to names on this day, in Australian eastern time.';
}

function figuresOf({ counts, runs, day }: DayOfDrops): { words: string; value: string }[] {
  const of = (list: DropList) => counts?.find((one) => one.day === day && one.type === `domain.${list}`);
  const said = (count: number | undefined) => (counts === null ? 'not known' : grouped(count ?? 0));
  return [
    { words: 'still due', value: grouped(runs.reduce((sum, run) => sum + run.names, 0)) },
    { words: 'dropped and confirmed', value: said(of('dropped')?.names) },
    { words: 'of these still free', value: said(of('dropped')?.free) },
    { words: 'rescued', value: said(of('rescued')?.names) },
    { words: 'found taken again', value: said(of('taken')?.names) },
  ];
}

function chartOf({ manyCounts, firstOfChart, day }: DayOfDrops): {
  chart: string;
  bars: { label: string; value: number }[];
} {
  const days: CalendarDate[] = [];
  for (let one = firstOfChart; one <= day; one = shifted(one, 1)) days.push(one);
  const bars = days.map((one) => ({
    label: `${Number(one.slice(8))}/${Number(one.slice(5, 7))}`,
    value: droppedOn(one, manyCounts),
  }));
  const isEmpty = bars.every(({ value }) => value === 0);
  const words = `Names that dropped, by day, from ${dayInWords(firstOfChart)} to ${dayInWords(day)}; the table has the numbers`;
  return { chart: isEmpty ? '' : drawBars(bars, words), bars };
}

function droppedOn(day: CalendarDate, counts: DayOfDrops['manyCounts']): number {
  return counts?.find((one) => one.day === day && one.type === 'domain.dropped')?.names ?? 0;
}

function calendarOf(view: DayOfDrops): object {
  const { month } = view;
  return {
    name: dayInWords(`${month.name}-01`).replace(/^1 /, ''),
    weeks: month.weeks.map((week) => week.map((one) => one && cellOf(one, view))),
    before: addressOf(month.before),
    behind: addressOf(month.behind),
  };
}

/** A day with what is due on it, or what dropped. */
function cellOf(one: CalendarDate, view: DayOfDrops): object {
  const link = linkOf(one, view);
  const due = view.dueByDay.get(one) ?? 0;
  const dropped = droppedOn(one, view.manyCounts);
  const names = due > 0 ? due : dropped;
  return {
    ...link,
    // The date is shown, and the rest of the words is for those who do not see where it stands.
    rest: `${link.words.slice(String(link.date).length)}${names > 0 ? ', ' : ''}`,
    names: names > 0 ? grouped(names) : '',
    what: names === 0 ? '' : due > 0 ? ' due' : ' dropped',
    isDue: due > 0,
  };
}

function linkOf(
  one: CalendarDate,
  { day, today }: DayOfDrops,
): { href: string; words: string; date: number; isOn: boolean } {
  return {
    href: addressOf(one),
    words: one === today ? `${dayInWords(one)}, today` : dayInWords(one),
    date: Number(one.slice(8)),
    isOn: one === day,
  };
}

const shifted = (day: CalendarDate, plus: number) => calendarDateOf(new Date(`${day}T00:00:00Z`), plus);
