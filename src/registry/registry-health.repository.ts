import { Injectable } from '@nestjs/common';
import { Database } from '../db/database.js';
import type { RegistrySource, Service } from './answer.js';

/** Health of a registry service, by the instance that asked it last; `unknown` and null before the first answer. */
export interface RegistryHealth {
  readonly source: RegistrySource;
  readonly breaker: 'open' | 'closed' | 'probing';
  readonly pausedUntil: Date | null;
  /** Whether the names that are surely registered were found in the last round. */
  readonly canary: Canary;
  readonly canaryAt: Date | null;
  readonly lastAnsweredAt: Date | null;
}

export type Canary = 'ok' | 'failed' | 'unknown';

/**
 * All SQL on how the services are. Shared by all instances, by PostgreSQL's clock: this is about the service of this
 * moment.
 */
@Injectable()
export class RegistryHealthRepository {
  constructor(private readonly database: Database) {}

  async read({ source, address }: Service): Promise<RegistryHealth> {
    const [row] = await this.database.kept<{
      breaker: RegistryHealth['breaker'];
      paused_until: Date | null;
      canary: Canary | null;
      canary_at: Date | null;
      last_answered_at: Date | null;
    }>(
      `SELECT CASE WHEN open_until > clock_timestamp() THEN 'open'
                   WHEN open_until IS NOT NULL THEN 'probing'
                   ELSE 'closed' END AS breaker,
              (SELECT until FROM registry_pause WHERE source = $1 AND until > clock_timestamp()) AS paused_until,
              canary, canary_at, last_answered_at
         FROM (VALUES ($1, $2)) AS service (source, address)
         LEFT JOIN registry_health USING (source, address)`,
      [source, address],
    );
    return {
      source,
      breaker: row?.breaker ?? 'closed',
      pausedUntil: row?.paused_until ?? null,
      canary: row?.canary ?? 'unknown',
      canaryAt: row?.canary_at ?? null,
      lastAnsweredAt: row?.last_answered_at ?? null,
    };
  }

  /** Seconds since the last round that said something; null when there was none. */
  async readCanary({ source, address }: Service): Promise<{ canary: Canary; ageMs: number } | null> {
    const [row] = await this.database.kept<{ canary: Canary; age_ms: number }>(
      `SELECT canary, (extract(epoch FROM clock_timestamp() - canary_at) * 1000)::float8 AS age_ms
         FROM registry_health WHERE source = $1 AND address = $2 AND canary IS NOT NULL`,
      [source, address],
    );
    return row ? { canary: row.canary, ageMs: row.age_ms } : null;
  }

  /** Writes down what a round found. What a service that failed has said before is not reused either. */
  async noteCanary({ source, address }: Service, canary: 'ok' | 'failed'): Promise<void> {
    await this.database.kept(
      `WITH noted AS (
         INSERT INTO registry_health (source, address, canary, canary_at) VALUES ($1, $2, $3, clock_timestamp())
         ON CONFLICT (source, address) DO UPDATE SET canary = excluded.canary, canary_at = excluded.canary_at
       )
       DELETE FROM registry_answer WHERE source = $1 AND $3 = 'failed'`,
      [source, address, canary],
    );
  }

  /** An answer of a service, on any instance, ends its pause. */
  async noteAnswer({ source, address }: Service): Promise<void> {
    await this.database.kept(
      `INSERT INTO registry_health (source, address, last_answered_at)
       SELECT $1, $2, clock_timestamp()
        -- Once a second is enough, and each is a commit.
        WHERE NOT EXISTS (SELECT FROM registry_health WHERE source = $1 AND address = $2 AND open_until IS NULL
                             AND last_answered_at > clock_timestamp() - interval '1 s')
       ON CONFLICT (source, address) DO UPDATE
         SET last_answered_at = excluded.last_answered_at, open_until = NULL`,
      [source, address],
    );
  }

  /** Lets one probe at a time through a breaker that has been open for long enough. @returns whether it is this one */
  async beginProbe({ source, address }: Service, forMs: number): Promise<boolean> {
    const rows = await this.database.kept(
      `UPDATE registry_health SET open_until = clock_timestamp() + make_interval(secs => $3::float8 / 1000)
        WHERE source = $1 AND address = $2 AND open_until <= clock_timestamp() RETURNING source`,
      [source, address, forMs],
    );
    return rows.length > 0;
  }

  /** The service works, though it gave no answer. */
  async close({ source, address }: Service): Promise<void> {
    await this.database.kept(
      'UPDATE registry_health SET open_until = NULL WHERE source = $1 AND address = $2',
      [source, address],
    );
  }

  /** Opens the circuit breaker, for all instances. */
  async noteBreak({ source, address }: Service, forMs: number): Promise<void> {
    await this.database.kept(
      `INSERT INTO registry_health (source, address, open_until)
       VALUES ($1, $2, clock_timestamp() + make_interval(secs => $3::float8 / 1000))
       ON CONFLICT (source, address) DO UPDATE SET open_until = excluded.open_until`,
      [source, address, forMs],
    );
  }
}
