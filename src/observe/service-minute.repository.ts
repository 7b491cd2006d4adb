import { Injectable } from '@nestjs/common';
import { Database } from '../db/database.js';
import {
  BUCKETS,
  BAD_MINUTE_ONE_IN,
  DELAY_OBJECTIVES,
  type Delay,
  OPERATIONS,
  type Operation,
  type Span,
} from './objectives.js';

/** What one instance counted in a minute. */
export interface MinuteCount {
  readonly minute: Date;
  readonly subject: string;
  requests: number;
  failures: number;
  durations: number[];
}

export interface Minutes {
  /** From the first that was ever counted. */
  readonly all: number;
  /** Those in which some instance was there. */
  readonly served: number;
  /** Of those, by door, the ones with too many failures. */
  readonly bad: ReadonlyMap<string, number>;
}

/** Minutes of a day, in the registry's time, from the first that was ever counted to the last. */
export interface DayMinutes {
  readonly day: string;
  readonly all: number;
  /** An instance was there, and pages answered. */
  readonly good: number;
}

export interface Recent {
  readonly requests: number;
  readonly failures: number;
  readonly minutes: number;
}

export interface Delays {
  readonly events: number;
  readonly inTime: number;
  readonly p50: number | null;
  readonly p95: number | null;
  readonly p99: number | null;
}

/** What the status page looks back on; the report of the last month is whole as well. */
const KEPT = '92 days';
/** The newest events among which those of a span are looked for, and deliveries drawn by lot: their ids are random. */
const MAX_EVENTS = 100_000;
const MAX_DELIVERIES = 20_000;

const SUMS = Array.from(
  { length: BUCKETS },
  (_, place) => `coalesce(sum(durations[${place + 1}]), 0)::float8`,
);

/** All SQL on the minutes of the service, and on how long events take to reach people. */
@Injectable()
export class ServiceMinuteRepository {
  constructor(private readonly database: Database) {}

  /** Adds to the counts of other instances. */
  async add(counts: readonly MinuteCount[]): Promise<void> {
    await this.database.query(
      `INSERT INTO service_minute AS known (minute, subject, requests, failures, durations)
       SELECT minute, subject, requests, failures, durations
         FROM jsonb_to_recordset($1::jsonb)
           AS count (minute timestamptz, subject text, requests int, failures int, durations int[])
        ORDER BY minute, subject
       ON CONFLICT (minute, subject) DO UPDATE
         SET requests = known.requests + excluded.requests, failures = known.failures + excluded.failures,
             durations = ARRAY(SELECT mine + more FROM unnest(known.durations, excluded.durations)
                                 WITH ORDINALITY AS place (mine, more, number) ORDER BY number)`,
      [JSON.stringify(counts)],
    );
  }

  async deleteOld(now: Date): Promise<void> {
    await this.database.query(
      `DELETE FROM service_minute WHERE minute < $1::timestamptz - interval '${KEPT}'`,
      [now],
    );
  }

  async countMinutes({ from, to }: Span): Promise<Minutes> {
    const [row] = await this.database.query<{ all: number; served: number }>(
      // greatest() passes over NULL: of a service that has counted nothing yet it would make one that was never there.
      `SELECT coalesce((SELECT greatest(0, extract(epoch FROM $2::timestamptz - greatest($1, min(minute))) / 60)
                          FROM service_minute HAVING min(minute) IS NOT NULL), 0)::float8 AS all,
              count(*)::float8 AS served
         FROM service_minute WHERE minute >= $1 AND minute < $2 AND subject = 'instance'`,
      [from, to],
    );
    const bad = await this.database.query<{ subject: string; minutes: number }>(
      `SELECT subject, count(*)::float8 AS minutes FROM service_minute
        WHERE minute >= $1 AND minute < $2 AND failures > 0 AND failures * $3 > requests AND subject LIKE 'door:%'
        GROUP BY subject`,
      [from, to, BAD_MINUTE_ONE_IN],
    );
    return {
      all: Math.max(0, row?.all ?? 0),
      served: row?.served ?? 0,
      bad: new Map(bad.map(({ subject, minutes }) => [subject.slice('door:'.length), minutes])),
    };
  }

  /** Every day from the first minute on, days without any included. */
  async countDays({ from, to }: Span, zone: string): Promise<DayMinutes[]> {
    return this.database.query<{ day: string; all: number; good: number }>(
      `WITH counted AS (
         SELECT minute, bool_or(subject = 'instance') AND
                NOT coalesce(bool_or(subject = 'door:pages' AND failures > 0 AND failures * $3 > requests), false) AS good
           FROM service_minute
          WHERE minute >= $1 AND minute < $2 AND subject IN ('instance', 'door:pages') GROUP BY minute),
       days AS (
         SELECT local, greatest(local AT TIME ZONE $4, (SELECT min(minute) FROM counted)) AS begin,
                least((local + interval '1 day') AT TIME ZONE $4, $2) AS until
           FROM generate_series(date_trunc('day', (SELECT min(minute) FROM counted) AT TIME ZONE $4),
                                $2::timestamptz AT TIME ZONE $4, interval '1 day') AS local)
       SELECT to_char(local, 'YYYY-MM-DD') AS day,
              greatest(0, extract(epoch FROM until - days.begin) / 60)::float8 AS "all",
              (count(*) FILTER (WHERE good))::float8 AS good
         FROM days LEFT JOIN counted ON date_trunc('day', minute AT TIME ZONE $4) = local
        GROUP BY local, days.begin, until ORDER BY local`,
      [from, to, BAD_MINUTE_ONE_IN, zone],
    );
  }

  async sumRecent({ from, to }: Span): Promise<ReadonlyMap<string, Recent>> {
    const rows = await this.database.query<Recent & { subject: string } & Record<string, unknown>>(
      `SELECT subject, sum(requests)::float8 AS requests, sum(failures)::float8 AS failures,
              extract(epoch FROM $2::timestamptz - min(minute))::float8 / 60 AS minutes
         FROM service_minute WHERE minute >= $1 AND minute < $2 AND subject LIKE 'door:%' GROUP BY subject`,
      [from, to],
    );
    return new Map(rows.map(({ subject, ...one }) => [subject.slice('door:'.length), one]));
  }

  async sumDurations({ from, to }: Span): Promise<ReadonlyMap<Operation, readonly number[]>> {
    const rows = await this.database.query<{ subject: string; buckets: number[] }>(
      `SELECT subject, ARRAY[${SUMS.join(', ')}] AS buckets FROM service_minute
        WHERE minute >= $1 AND minute < $2 AND subject = ANY ($3) GROUP BY subject`,
      [from, to, OPERATIONS.map((operation) => `operation:${operation}`)],
    );
    const found = new Map(rows.map(({ subject, buckets }) => [subject, buckets]));
    return new Map(OPERATIONS.map((operation) => [operation, found.get(`operation:${operation}`) ?? []]));
  }

  /** How long events took. @param ends of a wait for the registry's word: a condition on the type of event */
  async readDelays(delay: Delay, { from, to }: Span, ends: string): Promise<Delays> {
    const { text, limit } = WAITS[delay];
    const [row] = await this.database.query<Delays & Record<string, unknown>>(
      `SELECT count(*)::int AS events, count(*) FILTER (WHERE seconds <= $4)::int AS "inTime",
              percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds) AS p50,
              percentile_cont(0.95) WITHIN GROUP (ORDER BY seconds) AS p95,
              percentile_cont(0.99) WITHIN GROUP (ORDER BY seconds) AS p99
         FROM (${text(ends)}) AS wait`,
      [from, to, limit, DELAY_OBJECTIVES[delay]],
    );
    if (!row) throw new Error('an aggregate gave no row');
    return row;
  }
}

/** The waits that ended in a span ($1 to $2), in seconds, of the last or of any $3. */
const WAITS: Readonly<Record<Delay, { text: (ends: string) => string; limit: number }>> = {
  feed: {
    limit: MAX_EVENTS,
    // A purge from before the span, or from after the event, is not the one that the event answers.
    text: (ends) => `SELECT extract(epoch FROM event.occurred_at - domain.purge_at)::float8 AS seconds
             FROM domain_event AS event JOIN domain USING (domain)
            WHERE event.number > (SELECT last_event FROM dataset) - $3
              AND event.type = ${ends}
              AND event.occurred_at >= $1 AND event.occurred_at < $2
              AND domain.purge_at BETWEEN $1 AND event.occurred_at`,
  },
  webhook: {
    limit: MAX_DELIVERIES,
    text: () => `SELECT extract(epoch FROM delivery.attempted_at - event.occurred_at)::float8 AS seconds
             FROM (SELECT attempted_at, events FROM webhook_delivery
                    -- What an account sends to hosts that it has not proven takes turns.
                    WHERE webhook_id NOT IN (SELECT id FROM webhook JOIN webhook_turn USING (account_id)
                                               LEFT JOIN webhook_proof AS proof
                                                      ON proof.account_id = webhook.account_id AND place IN (host, url)
                                              WHERE next_at IS NOT NULL AND proven_at IS NULL)
                      AND status = 'delivered' AND type <> 'webhook.test' AND attempted_at >= $1 AND attempted_at < $2
                    ORDER BY id LIMIT $3) AS delivery
             JOIN domain_event AS event ON event.number = delivery.events[1]`,
  },
  diff: {
    limit: MAX_EVENTS,
    text: () => `SELECT extract(epoch FROM export.finished_at - event.occurred_at)::float8 AS seconds
             FROM export JOIN domain_event AS event ON event.number BETWEEN export.first_event AND export.last_event
            WHERE export.kind = 'diff' AND export.finished_at >= $1 AND export.finished_at < $2
              AND event.number > (SELECT last_event FROM dataset) - $3`,
  },
};
