import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import type { RegistryAnswer, RegistrySource, RegistryState, Service } from './registry-lookup.js';

/** What keeps all instances from asking a service now. */
export interface Obstacles {
  /** How long the registry still wants to be left alone; null when it does not. */
  readonly pausedMs: number | null;
  /** How long the circuit breaker stays open; 0 or less where somebody has to probe; null when it is closed. */
  readonly openMs: number | null;
}

/** What the bucket of turns said: how long until the turn, and whether it was taken. */
export interface TurnRow extends Obstacles {
  readonly granted: boolean;
  readonly waitMs: number;
}

/** How fast the installation asks; maxWaitMs is the longest time that anybody waits for a turn. */
export interface Pace {
  readonly ratePerSecond: number;
  readonly burst: number;
  readonly maxWaitMs: number;
}

/** Who wants a turn, and when. */
export interface TurnWish {
  /** Longest time until the turn. */
  readonly maxWaitMs: number;
  /** Turns that are to be left in the bucket for others. */
  readonly reserve: number;
  readonly now: Date;
}

/** An answer that is kept. */
export interface KeptAnswer extends RegistryAnswer {
  /** Whether the dataset says something else on older evidence: an import held the row, or brought it, when the answer was new. */
  readonly isMissed: boolean;
}

interface AnswerRow {
  readonly state: RegistryState;
  readonly source: RegistrySource;
  readonly checked_at: Date;
  readonly registered_at: Date | null;
  readonly message: string | null;
  readonly missed: boolean;
}

// Planning takes longer than reading two rows.
const FIND_ANSWER = `
  SELECT state, source, checked_at, registered_at, message,
         EXISTS (SELECT FROM domain
                  WHERE domain.domain = answer.domain
                    AND domain.available <> (answer.state = 'available')
                    AND (domain.checked_at IS NULL OR domain.checked_at < answer.checked_at)) AS missed
    FROM registry_answer AS answer
   WHERE domain = $1 AND source = ANY ($2::text[]) AND expires_at > clock_timestamp()`;

// By PostgreSQL's clock: it is about the service of this moment.
const OPEN_MS = `
  (SELECT extract(epoch FROM open_until - clock_timestamp()) * 1000
     FROM registry_health WHERE source = $1 AND address = $2)::float8`;

/** All SQL on what the instances share about the registry: recent answers, and whose turn it is to ask. */
@Injectable()
export class RegistryRepository {
  constructor(private readonly database: Database) {}

  /** @param sources who may have said it: an answer of the sandbox is no answer of the registry */
  async findAnswer(domain: string, sources: readonly RegistrySource[]): Promise<KeptAnswer | null> {
    const values = [domain, sources];
    const [row] = await this.database.prepared<AnswerRow>({ name: 'answer_find', text: FIND_ANSWER, values });
    if (!row) return null;
    const { state, source, message } = row;
    return {
      ...{ state, source, message, checkedAt: row.checked_at, registeredAt: row.registered_at },
      ...{ cached: true, isMissed: row.missed },
    };
  }

  /** Keeps the newer answer when two instances asked at the same time. */
  async saveAnswer(domain: string, answer: RegistryAnswer, seconds: number): Promise<void> {
    await this.database.query(
      `INSERT INTO registry_answer AS kept (domain, state, source, checked_at, registered_at, message, expires_at)
       VALUES ($1, $2, $3, $4, $5, $6, clock_timestamp() + make_interval(secs => $7))
       ON CONFLICT (domain) DO UPDATE
         SET state = excluded.state, source = excluded.source, checked_at = excluded.checked_at,
             registered_at = excluded.registered_at, message = excluded.message, expires_at = excluded.expires_at
         WHERE kept.checked_at <= excluded.checked_at`,
      [domain, answer.state, answer.source, answer.checkedAt, answer.registeredAt, answer.message, seconds],
    );
  }

  /** Those that expired an hour ago: until then an import that was running meanwhile may need them. */
  async deleteExpiredAnswers(): Promise<void> {
    await this.database.query(
      `DELETE FROM registry_answer WHERE expires_at <= clock_timestamp() - interval '1 hour'`,
    );
  }

  /**
   * Takes the next turn of the installation if it comes within maxWaitMs; a refused one stays for the next who asks. One
   * statement: the row lock puts all instances in one line. A row further ahead than these rules can bring it (after a
   * changed configuration or a clock set back; a round of canaries waits two turns longer) starts again, without a burst.
   */
  async takeTurn(service: Service, pace: Pace, wish: TurnWish): Promise<TurnRow> {
    const [row] = await this.database.query<TurnRow>(
      `WITH line AS MATERIALIZED (
         SELECT full_at FROM registry_pace FOR UPDATE
       ), moment AS MATERIALIZED (
         SELECT full_at, $7::timestamptz AS now, make_interval(secs => 1 / $3::float8) AS gap FROM line
       ), pace AS MATERIALIZED (
         SELECT now, gap, full_at AS known_full_at,
                CASE WHEN full_at > now + ($4::int + 2) * gap + make_interval(secs => $5::float8 / 1000)
                     THEN now + ($4::int - 1) * gap
                     ELSE full_at END AS full_at
           FROM moment
       ), offer AS MATERIALIZED (
         SELECT known_full_at, full_at, greatest(full_at, now) + gap AS next_full_at,
                greatest(0, extract(epoch FROM full_at - ($4::int - $8::int - 1) * gap - now) * 1000)::float8 AS wait_ms,
                (SELECT extract(epoch FROM until - now) * 1000
                   FROM registry_pause WHERE source = $1 AND until > now)::float8 AS paused_ms,
                ${OPEN_MS} AS open_ms
           FROM pace
       ), turn AS MATERIALIZED (
         SELECT *, wait_ms <= $6::float8 AND paused_ms IS NULL AND coalesce(open_ms <= 0, true) AS granted
           FROM offer
       ), written AS (
         UPDATE registry_pace SET full_at = CASE WHEN turn.granted THEN turn.next_full_at ELSE turn.full_at END
           FROM turn WHERE turn.granted OR turn.full_at <> turn.known_full_at
       )
       SELECT wait_ms AS "waitMs", paused_ms AS "pausedMs", open_ms AS "openMs", granted FROM turn`,
      [
        ...[service.source, service.address, pace.ratePerSecond, pace.burst, pace.maxWaitMs],
        ...[wish.maxWaitMs, wish.now, wish.reserve],
      ],
    );
    if (!row) throw new Error('registry_pace has lost its row');
    return row;
  }

  /** Leaves the source alone for so long, on all instances; a longer pause that is already known stays. */
  async pause(source: RegistrySource, seconds: number, now: Date): Promise<void> {
    await this.database.query(
      `INSERT INTO registry_pause AS known (source, until)
       VALUES ($1, $3::timestamptz + make_interval(secs => $2))
       ON CONFLICT (source) DO UPDATE SET until = greatest(known.until, excluded.until)`,
      [source, seconds, now],
    );
  }

  /** What keeps everybody from asking the service at this moment. */
  async readObstacles({ source, address }: Service, now: Date): Promise<Obstacles> {
    const [row] = await this.database.query<Obstacles>(
      `SELECT (SELECT extract(epoch FROM until - $3::timestamptz) * 1000
                 FROM registry_pause WHERE source = $1 AND until > $3)::float8 AS "pausedMs",
              ${OPEN_MS} AS "openMs"`,
      [source, address, now],
    );
    if (!row) throw new Error('this is always a row');
    return row;
  }
}
