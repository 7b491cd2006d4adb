import { Inject, Injectable } from '@nestjs/common';
import { type CalendarDate, calendarDateOf } from '../../domains/schema/calendar-date.js';
import type { DayCount } from '../../domains/feed/day-event.repository.js';
import { DomainRepository } from '../../domains/domain.repository.js';
import { BoundedMap } from '../../validation/caches.js';

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
