import { Inject, Injectable } from '@nestjs/common';
import { timeOfDatabase } from '../../db/database-time.js';
import {
  calendarDateOf,
  type CalendarDate,
  dayOfWord,
  isCalendarDate,
  timeInPurgeZone,
} from '../../domains/schema/calendar-date.js';
import type { DayCount } from '../../domains/feed/day-event.repository.js';
import type { PurgeRun, UpcomingPosition } from '../../domains/feed/upcoming-drop.repository.js';
import { withSandboxWords } from '../../domains/first-offers.js';
import { drawBars } from '../layout/charts.js';
import { type AtomEntry, renderAtom, renderLayout, type SiteView } from '../layout/layout.js';
import { template } from '../layout/templates.js';
import { counted, fillIn, grouped, t } from '../../texts/texts.js';
import { dayInFull, dayInWords, leftInWords, timeView } from '../layout/words.js';
import { BADGES } from '../names/status-badge.js';
import { type NameRow, rowHeads } from '../names/name-row.js';
import { DomainRepository } from '../../domains/domain.repository.js';
import { BoundedMap } from '../../validation/caches.js';
import { MAX_WAYBACK } from '../../domains/schema/domain.js';
import { isIntegerFrom, isNameText, readCursor, writeCursor } from '../../domains/schema/page-cursor.js';
import { ApiError } from '../../errors/api-error.js';

const LISTS = ['due', 'dropped', 'rescued', 'taken'] as const;
export type DropList = (typeof LISTS)[number];

/** Null: the page chooses. */
export interface DropsAddress {
  readonly day: CalendarDate | null;
  readonly list: DropList | null;
  readonly cursor: string | null;
}

interface DropsPlace {
  readonly page: number;
  readonly after: UpcomingPosition;
}

const FIRST_DAY = '2000-01-01';
const LAST_DAY = '2099-12-31';
const MAX_PAGE = 1_000_000;

/** Ignores other parameters. @throws {ApiError} invalid_parameter */
export function readAddress({ date, list, cursor }: Readonly<Record<string, unknown>>): DropsAddress {
  const given = typeof date === 'string' && date !== '' ? date : null;
  const day = dayOfWord(given, 'AEST', timeOfDatabase()) ?? given;
  if (day !== null && (!isCalendarDate(day) || day < FIRST_DAY || day > LAST_DAY))
    throw new ApiError('invalid_parameter', 'The date must be a day, such as 2026-11-23.');
  return {
    day,
    list: LISTS.find((one) => one === list) ?? null,
    cursor: typeof cursor === 'string' && cursor !== '' ? cursor : null,
  };
}

export function addressOf(day: CalendarDate, list?: DropList, cursor?: string): string {
  const query = new URLSearchParams({ date: day, ...(list && { list }), ...(cursor && { cursor }) });
  return `/drops?${query.toString()}`;
}

export function cursorOf(day: CalendarDate, list: DropList, { page, after }: DropsPlace): string {
  const { purgeAt, wayback, domain } = after;
  return writeCursor(JSON.stringify(['drops-page', day, list]), [page, purgeAt.getTime(), wayback, domain]);
}

/** @throws {ApiError} invalid_parameter */
export function placeOf(day: CalendarDate, list: DropList, cursor: string): DropsPlace {
  const [page, time, wayback, domain] = readCursor(JSON.stringify(['drops-page', day, list]), cursor) ?? [];
  if (
    !isIntegerFrom(2, MAX_PAGE, page) ||
    !isIntegerFrom(0, Date.parse(`${LAST_DAY}T23:59:59Z`), time) ||
    !isIntegerFrom(0, MAX_WAYBACK, wayback) ||
    !isNameText(domain)
  )
    throw new ApiError(
      'invalid_parameter',
      'This address is not complete. Begin again at the first page of the day.',
    );
  return { page, after: { purgeAt: new Date(time), wayback, domain } };
}

/** A page of one list of a day. */
export interface ListedNames {
  readonly rows: readonly NameRow[];
  /** Number of the first row, from 1. */
  readonly from: number;
  readonly next: string | null;
  /** Rows that the visitor's tier shows; null at the true end of the list. */
  readonly endsAt: number | null;
  readonly timedOut: boolean;
}

interface DayOfDrops extends ShownDays {
  readonly day: CalendarDate;
  readonly today: CalendarDate;
  readonly list: DropList;
  readonly runs: readonly PurgeRun[];
  /** Of this day; null when counting took too long. */
  readonly counts: readonly DayCount[] | null;
  /** Of all days shown; null when counting took too long. */
  readonly manyCounts: readonly DayCount[] | null;
  /** Names whose purge lies ahead, by day. */
  readonly dueByDay: ReadonlyMap<CalendarDate, number>;
  readonly names: ListedNames;
  readonly now: Date;
}

const DAYS_OF_WEEK = 7;
const MONDAY = 1;
const WEEKDAYS = t.times.weekdays;
const NEAR_DAYS = [-2, -1, 0, 1, 2];

const nearDays = (day: CalendarDate): CalendarDate[] => NEAR_DAYS.map((plus) => shifted(day, plus));

const CHART_DAYS = 30;

interface ShownDays {
  readonly firstOfChart: CalendarDate;
  readonly month: Month;
  /** Of all days that the page of a day counts: those of the chart, the month, and the days that it leads to. */
  readonly first: CalendarDate;
  readonly last: CalendarDate;
}

export function shownDays(day: CalendarDate): ShownDays {
  const firstOfChart = shifted(day, 1 - CHART_DAYS);
  const month = monthOf(day);
  const days = [firstOfChart, month.first, month.last, ...nearDays(day)].sort();
  return { firstOfChart, month, first: days[0] ?? day, last: days.at(-1) ?? day };
}

/** How a row says when its name drops. */
export function dueOf(purgeAt: Date, now: Date): Pick<NameRow, 'chip' | 'said'> {
  const words = fillIn(t.drops.dueAt, { time: timeInPurgeZone(purgeAt) });
  const said = timeView(purgeAt, now);
  const left = leftInWords(purgeAt, now);
  const isSoon = said.words === t.times.soon;
  return {
    chip: { ...BADGES.about_to_be_purged, words },
    said: isSoon ? said : { ...said, words: fillIn(t.times.ahead, { amount: left }) },
  };
}

const dropsPage = template('drops');

export function renderDrops(site: SiteView, view: DayOfDrops, signedIn: boolean): string {
  const { day, list, names } = view;
  const title = titleOf(view);
  const body = dropsPage({
    ...view,
    title,
    signedIn,
    lead: leadOf(view),
    days: nearDays(day).map((one) => linkOf(one, view)),
    figures: figuresOf(view),
    range: rangeOf(view),
    dayWords: weekdayInWords(day),
    weekdays: WEEKDAYS.map((long) => [long.slice(0, 3), long]),
    heads: rowHeads(view.now.getUTCFullYear()),
    tabs: LISTS.map((one) => ({
      words: t.drops.tabs[one],
      count: countOf(view, one),
      href: addressOf(day, one),
      isOn: one === list,
    })),
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
  const isToday = day === today;
  const values = { names: counted(names, 'dropping'), day: dayInWords(day) };
  if (names > 0) return fillIn(isToday ? t.drops.toDropToday : t.drops.toDrop, values);
  return isToday ? t.drops.today : fillIn(t.drops.ofDay, values);
}

function leadOf({ day, today, counts, runs }: DayOfDrops): string {
  if (runs.length > 0) {
    const times = runs.map(({ purgeAt, kind }) =>
      fillIn(t.drops.dropAt[kind ?? 'listed'], { time: timeInPurgeZone(purgeAt) }),
    );
    return [...new Set(times), t.drops.untilThen].join(' ');
  }
  const happened = counts === null || counts.some((one) => one.day === day);
  return day >= today && !happened ? t.drops.noList : t.drops.lead;
}

/** Of a list of the day; empty where it was not counted in time. */
function countOf({ counts, runs, day }: DayOfDrops, list: DropList): string {
  if (list === 'due') return grouped(runs.reduce((sum, run) => sum + run.names, 0));
  if (counts === null) return '';
  return grouped(counts.find((one) => one.day === day && one.type === `domain.${list}`)?.names ?? 0);
}

/** Which rows of the list these are. */
function rangeOf(view: DayOfDrops): { text: string; slots: Record<string, string | number> } {
  const { rows, from } = view.names;
  const names = countOf(view, view.list);
  const text = names === '' ? t.drops.range : t.drops.rangeOf;
  return { text, slots: { from, to: from + rows.length - 1, names } };
}

interface Figure {
  readonly words: string;
  readonly value: string;
  /** Where the value is the time until then. */
  readonly until?: string;
}

/** Before the first drop of the day: how long until then. */
function figuresOf(view: DayOfDrops): Figure[] {
  const { counts, day, runs, now } = view;
  const dropped = counts?.find((one) => one.day === day && one.type === 'domain.dropped');
  const [first] = runs;
  const confirmed = { words: t.drops.confirmed, value: countOf(view, 'dropped') || t.drops.unknown };
  const until = first && {
    ...{ words: t.drops.toFirst, value: leftInWords(first.purgeAt, now), until: first.purgeAt.toISOString() },
  };
  return [
    until ?? confirmed,
    { words: t.drops.keptByHolders, value: countOf(view, 'rescued') || t.drops.unknown },
    { words: t.drops.stillFree, value: counts === null ? t.drops.unknown : grouped(dropped?.free ?? 0) },
  ];
}

function chartOf({ manyCounts, firstOfChart, day }: DayOfDrops): {
  chart: string;
  peak: string;
  bars: { label: string; value: number }[];
} {
  const days: CalendarDate[] = [];
  for (let one = firstOfChart; one <= day; one = shifted(one, 1)) days.push(one);
  const bars = days.map((one) => ({
    label: dayInWords(one).replace(/ \d{4}$/, ''),
    value: droppedOn(one, manyCounts),
  }));
  const peak = bars.reduce((best, bar) => (bar.value > best.value ? bar : best), { label: '', value: 0 });
  const isEmpty = bars.every(({ value }) => value === 0);
  const words = fillIn(t.drops.chartLabel, { first: dayInWords(firstOfChart), last: dayInWords(day) });
  const chart = isEmpty ? '' : drawBars(bars, words, (bar) => bar === bars.at(-1));
  return { chart, peak: isEmpty ? '' : fillIn(t.drops.peak, { names: peak.value, day: peak.label }), bars };
}

function droppedOn(day: CalendarDate, counts: DayOfDrops['manyCounts']): number {
  return counts?.find((one) => one.day === day && one.type === 'domain.dropped')?.names ?? 0;
}

function calendarOf(view: DayOfDrops): object {
  const { month } = view;
  return {
    name: dayInFull(`${month.name}-01`).replace(/^1 /, ''),
    weeks: month.weeks.map((week) => week.map((one) => one && cellOf(one, view))),
    previous: { href: addressOf(month.previous), words: monthInWords(month.previous) },
    next: { href: addressOf(month.next), words: monthInWords(month.next) },
  };
}

/** A day with the number of names that are due, or dropped. */
function cellOf(one: CalendarDate, view: DayOfDrops): object {
  const link = linkOf(one, view);
  const due = view.dueByDay.get(one) ?? 0;
  const dropped = droppedOn(one, view.manyCounts);
  const names = due > 0 ? due : dropped;
  return {
    ...link,
    weekday: WEEKDAYS[(dateOf(one).getUTCDay() + DAYS_OF_WEEK - MONDAY) % DAYS_OF_WEEK],
    heat: heatOf(names, view),
    // The date alone is visible; the rest is for screen readers.
    rest: `${dayInWords(one).slice(String(link.date).length)}${one === view.today ? ', today' : ''}${names > 0 ? ', ' : ''}`,
    names: names > 0 ? grouped(names) : '',
    what: names === 0 ? '' : due > 0 ? ' due' : ' dropped',
    isDue: due > 0,
  };
}

/** Thirds of the busiest day in sight. */
function heatOf(names: number, { month, manyCounts, dueByDay }: DayOfDrops): string {
  const all = month.weeks
    .flat()
    .map((one) => (one === null ? 0 : (dueByDay.get(one) ?? droppedOn(one, manyCounts))));
  const most = Math.max(1, ...all);
  return names === 0 ? '' : `h${Math.max(1, Math.ceil((3 * names) / most))}`;
}

function linkOf(
  one: CalendarDate,
  { day, today, dueByDay, manyCounts }: DayOfDrops,
): { href: string; words: string; count: string; date: number; isOn: boolean } {
  const date = Number(one.slice(8));
  const names = dueByDay.get(one) ?? droppedOn(one, manyCounts);
  return {
    href: addressOf(one),
    words: one === today ? t.drops.todayShort : `${weekdayInWords(one).slice(0, 3)} ${date}`,
    count: names > 0 ? grouped(names) : '',
    date,
    isOn: one === day,
  };
}

/** `Monday 23 November 2026`. */
function weekdayInWords(day: CalendarDate): string {
  const weekday = WEEKDAYS[(dateOf(day).getUTCDay() + DAYS_OF_WEEK - MONDAY) % DAYS_OF_WEEK] ?? '';
  return `${weekday} ${dayInFull(day)}`;
}

const dateOf = (day: CalendarDate) => new Date(`${day}T00:00:00Z`);

/** `Oct`. */
const monthInWords = (day: CalendarDate): string => dayInWords(day).split(' ')[1] ?? '';

const shifted = (day: CalendarDate, plus: number) => calendarDateOf(dateOf(day), plus);

interface FeedDay {
  readonly day: CalendarDate;
  readonly counts: readonly DayCount[];
  /** Names with the best score that dropped. */
  readonly best: readonly string[];
}

/** Days with events as Atom, newest first. An entry is as new as its last event, so readers see news alone. */
export function renderDayFeed({ baseUrl, isSandbox }: SiteView, days: readonly FeedDay[]): string {
  return renderAtom({
    title: t.layout.dropsFeed,
    subtitle: withSandboxWords(t.drops.feedAbout, isSandbox ? 'sandbox' : null),
    selfUrl: `${baseUrl}/drops.atom`,
    pageUrl: `${baseUrl}/drops`,
    entries: days.map((day) => entryOf(baseUrl, day)),
  });
}

function entryOf(baseUrl: string, { day, counts, best }: FeedDay): AtomEntry {
  const url = `${baseUrl}${addressOf(day)}`;
  const of = (type: DayCount['type']) => counts.find((one) => one.type === type)?.names ?? 0;
  const dropped = counted(of('domain.dropped'), 'name');
  const rescued = `${counted(of('domain.rescued'), 'name')} rescued`;
  const taken = `${counted(of('domain.taken'), 'name')} taken`;
  const names = best.length > 0 ? ` The best: ${best.join(', ')}.` : '';
  return {
    id: url,
    title: `${dayInWords(day)}: ${dropped} dropped`,
    url,
    updated: new Date(Math.max(...counts.map(({ lastAt }) => lastAt.getTime()))),
    summary: `${dropped} dropped and became free, ${rescued}, ${taken}.${names}`,
  };
}

/** A month as weeks from Monday; null for a day of another month. */
interface Month {
  /** YYYY-MM */
  readonly name: string;
  readonly weeks: readonly (readonly (CalendarDate | null)[])[];
  readonly first: CalendarDate;
  readonly last: CalendarDate;
  /** A day of the previous month, and of the next. */
  readonly previous: CalendarDate;
  readonly next: CalendarDate;
}

export function monthOf(day: CalendarDate): Month {
  const name = day.slice(0, 7);
  const first = new Date(`${name}-01T00:00:00Z`);
  const blanks = (first.getUTCDay() - MONDAY + DAYS_OF_WEEK) % DAYS_OF_WEEK;
  const days: (CalendarDate | null)[] = Array.from({ length: blanks }, () => null);
  for (let place = 0; place < 31; place += 1) {
    const day = calendarDateOf(first, place);
    if (day.startsWith(name)) days.push(day);
  }
  while (days.length % DAYS_OF_WEEK > 0) days.push(null);
  const weeks = Array.from({ length: days.length / DAYS_OF_WEEK }, (_, week) =>
    days.slice(week * DAYS_OF_WEEK, (week + 1) * DAYS_OF_WEEK),
  );
  return {
    name,
    weeks,
    first: calendarDateOf(first),
    last: days.findLast((day) => day !== null) ?? name,
    previous: calendarDateOf(first, -1),
    next: calendarDateOf(first, 31),
  };
}

/** The counts of a past day change only when the operator hides names. */
const KEPT_MS = 3_600_000;
/** Days kept: a few years. */
const MAX_KEPT = 1_000;

interface Kept {
  readonly counts: readonly DayCount[];
  readonly atMs: number;
}

/** Events a day. Past days are cached, so that a month costs no more than its last day. */
@Injectable()
export class DayCounts {
  private readonly kept = new BoundedMap<CalendarDate, Kept>(MAX_KEPT);

  constructor(@Inject(DomainRepository) private readonly domains: Pick<DomainRepository, 'days'>) {}

  /** From the first day to the last. @returns null when counting took too long */
  async count(first: CalendarDate, last: CalendarDate): Promise<DayCount[] | null> {
    const lastWithEvents = await this.domains.days.readLastDay();
    // Events are in order of time. The day before the last may be incomplete on a replica.
    const lastOver = lastWithEvents && dayBehind(lastWithEvents, -2);
    const found = new Map<CalendarDate, readonly DayCount[]>();
    const days = daysBetween(first, last).filter((day) => day <= lastWithEvents);
    for (const day of days) {
      const kept = this.kept.get(day);
      if (kept && performance.now() - kept.atMs < KEPT_MS) found.set(day, kept.counts);
    }
    for (const [from, to] of rangesOf(days.filter((day) => !found.has(day)))) {
      const counts = await this.domains.days.countDays(from, to);
      if (!counts) return null;
      for (const day of daysBetween(from, to)) {
        const ofDay = counts.filter((one) => one.day === day);
        found.set(day, ofDay);
        if (day <= lastOver) this.kept.set(day, { counts: ofDay, atMs: performance.now() });
      }
    }
    return days.flatMap((day) => [...(found.get(day) ?? [])]);
  }
}

/** Runs of consecutive days as pairs of first and last day. */
function rangesOf(days: readonly CalendarDate[]): [CalendarDate, CalendarDate][] {
  const ranges: [CalendarDate, CalendarDate][] = [];
  for (const day of days) {
    const last = ranges.at(-1);
    if (last && dayBehind(last[1], 1) === day) last[1] = day;
    else ranges.push([day, day]);
  }
  return ranges;
}

function daysBetween(first: CalendarDate, last: CalendarDate): CalendarDate[] {
  const days: CalendarDate[] = [];
  for (let day = first; day <= last; day = dayBehind(day, 1)) days.push(day);
  return days;
}

const dayBehind = (day: CalendarDate, plus: number) => calendarDateOf(new Date(`${day}T00:00:00Z`), plus);
