import { Injectable } from '@nestjs/common';
import { Clock } from '../../db/database.js';
import { dayInPurgeZone, PURGE_ZONE } from '../../domains/schema/calendar-date.js';
import { writtenMinutes } from '../../observe/objectives.js';
import {
  type DayMinutes,
  type Recent,
  ServiceMinuteRepository,
} from '../../observe/service-minute.repository.js';

/** A day of the pages: the share of its minutes that were good; null: it was not measured. */
export interface ServiceDay {
  readonly day: string;
  readonly good: number | null;
}

export interface ServiceDays {
  /** The last 90 days, the oldest first. */
  readonly days: readonly ServiceDay[];
  /** Days of these that were measured. */
  readonly measuredDays: number;
  /** Share of the measured minutes in which pages answered; null: none was measured. */
  readonly good: number | null;
  /** Requests in the last minutes, by door. */
  readonly recent: ReadonlyMap<string, Recent>;
}

const DAYS = 90;
const RECENT_MS = 10 * 60_000;
/** The days that are over change no more: this is about today. */
const KEPT_MS = 10 * 60_000;

/** How the service was there, day by day, from the minutes that it has counted itself. */
@Injectable()
export class ServiceDaysReader {
  private kept: Promise<readonly DayMinutes[]> | null = null;
  private keptAtMs = -Infinity;

  constructor(
    private readonly minutes: ServiceMinuteRepository,
    private readonly clock: Clock,
  ) {}

  async read(): Promise<ServiceDays> {
    const now = await this.clock.now();
    const counted = new Map((await this.readDays(now)).map((one) => [one.day, one]));
    const recent = await this.minutes.sumRecent(writtenMinutes(new Date(now.getTime() - RECENT_MS), now));
    const first = [...counted.keys()].sort()[0];
    const days = Array.from({ length: DAYS }, (_, place) => {
      const day = dayInPurgeZone(now, place + 1 - DAYS);
      const { all = 0, good = 0 } = counted.get(day) ?? {};
      // Before the first day nothing was measured; on a later day without minutes no instance ran.
      const isMeasured = first !== undefined && day >= first;
      return { day, good: isMeasured ? (all > 0 ? Math.min(1, good / all) : 0) : null };
    });
    const measured = [...counted.values()];
    const all = measured.reduce((sum, one) => sum + one.all, 0);
    const good = measured.reduce((sum, one) => sum + one.good, 0);
    const measuredDays = days.filter((one) => one.good !== null).length;
    return { days, measuredDays, good: all > 0 ? Math.min(1, good / all) : null, recent };
  }

  private readDays(now: Date): Promise<readonly DayMinutes[]> {
    if (this.kept && performance.now() - this.keptAtMs < KEPT_MS) return this.kept;
    this.keptAtMs = performance.now();
    const from = new Date(`${dayInPurgeZone(now, 1 - DAYS)}T00:00:00+10:00`);
    const reading = this.minutes.countDays(writtenMinutes(from, now), PURGE_ZONE);
    this.kept = reading;
    reading.catch(() => {
      if (this.kept === reading) this.kept = null;
    });
    return reading;
  }
}
