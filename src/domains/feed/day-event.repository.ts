import { Injectable } from '@nestjs/common';
import { ReadDatabase } from '../../db/replicas/read-database.js';
import { type CalendarDate, boundsOfDay, PURGE_ZONE } from '../schema/calendar-date.js';
import { DOMAIN_COLUMNS, type DomainRow, toDomain } from '../schema/domain-row.js';
import type { Domain } from '../schema/domain.js';
import { DomainEventRepository } from './domain-event.repository.js';
import type { LifeType } from '../schema/events.js';

/** What happened to how many names on one day, in the registry's zone. */
export interface DayCount {
  readonly day: CalendarDate;
  readonly type: LifeType;
  readonly names: number;
  /** How many of these names are free now. */
  readonly free: number;
  readonly lastAt: Date;
}

export interface DayEvent {
  readonly domain: Domain;
  readonly occurredAt: Date;
}

/** A place in the order of a day: the highest score first, then by name. */
export interface DayPosition {
  readonly wayback: number;
  readonly domain: string;
}

/**
 * The events of days, without those of names that the operator withholds. Events are found by their numbers, which
 * rise with their times. Days of the first import may hold any number of them, so both questions have the time cap
 * of searches.
 */
@Injectable()
export class DayEventRepository {
  constructor(
    private readonly reads: ReadDatabase,
    private readonly events: DomainEventRepository,
  ) {}

  /** From the first day to the last. @returns null when the time cap struck */
  async countDays(first: CalendarDate, last: CalendarDate): Promise<DayCount[] | null> {
    const { rows, timedOut } = await this.reads.capped<DayCount>({
      name: 'day_counts',
      text: `SELECT to_char(occurred_at AT TIME ZONE '${PURGE_ZONE}', 'YYYY-MM-DD') AS day, type,
        count(*)::int AS names,
                    (count(*) FILTER (WHERE domain.available))::int AS free,
                    max(occurred_at) AS "lastAt"
               FROM domain_event JOIN domain USING (domain)
              WHERE number > $1 AND number <= $2 AND NOT domain.hidden
              GROUP BY day, type`,
      values: await this.numbersOf(first, last),
    });
    return timedOut ? null : rows;
  }

  /** The last day with events, in the registry's zone. */
  async readLastDay(): Promise<CalendarDate> {
    const [row] = await this.reads.query<{ day: CalendarDate }>(
      `SELECT to_char(last_event_at AT TIME ZONE '${PURGE_ZONE}', 'YYYY-MM-DD') AS day FROM dataset
        WHERE last_event > 0`,
    );
    return row?.day ?? '';
  }

  /** Names with such an event on the day, the best first. @returns null when the time cap struck */
  async listDay(
    day: CalendarDate,
    type: LifeType,
    after: DayPosition | null,
    limit: number,
  ): Promise<DayEvent[] | null> {
    const { rows, timedOut } = await this.reads.capped<DomainRow & { occurred_at: Date }>({
      name: 'day_list',
      text: `SELECT ${DOMAIN_COLUMNS}, event.occurred_at
               FROM (SELECT domain, max(occurred_at) AS occurred_at FROM domain_event
                      WHERE number > $1 AND number <= $2 AND type = $3 GROUP BY domain) AS event
               JOIN domain USING (domain)
              WHERE NOT domain.hidden
                AND ($4::int IS NULL OR wayback < $4 OR (wayback = $4 AND domain.domain > $5::text))
              ORDER BY wayback DESC, domain.domain LIMIT $6`,
      values: [
        ...(await this.numbersOf(day, day)),
        type,
        after?.wayback ?? null,
        after?.domain ?? null,
        limit,
      ],
    });
    if (timedOut) return null;
    return rows.map((row) => ({ domain: toDomain(row), occurredAt: row.occurred_at }));
  }

  private async numbersOf(first: CalendarDate, last: CalendarDate): Promise<[number, number]> {
    const [from, to] = await Promise.all([
      this.events.findStart(boundsOfDay(first).from.toISOString()),
      this.events.findStart(boundsOfDay(last).to.toISOString()),
    ]);
    return [from.number, to.number];
  }
}
