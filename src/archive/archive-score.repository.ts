import { Injectable } from '@nestjs/common';
import { Config } from '../config/config.js';
import { Database, type Queryable } from '../db/database.js';
import type { ArchiveScore } from './archive-score.js';

export type DaysByYear = ArchiveScore['daysByYear'];

/** A score with when it was computed, and from whose answer. */
export interface KeptScore extends ArchiveScore {
  readonly computedAt: Date;
  readonly source: Config['archive']['source'];
}

// Planning takes longer than reading the rows of a page.
const LIST_YEARS = {
  name: 'archive_years',
  text: `SELECT domain, days_by_year AS "daysByYear" FROM domain_archive
          WHERE domain = ANY ($1) AND computed_at IS NOT NULL`,
};

/** All SQL on stored archive scores; the columns of `domain` belong to the lifecycle. */
@Injectable()
export class ArchiveScoreRepository {
  constructor(private readonly database: Database) {}

  /** The last score of a name; null when it has none. */
  async find(domain: string, source: Queryable = this.database): Promise<KeptScore | null> {
    const [row] = await source.query<{ [Column in keyof KeptScore]: KeptScore[Column] }>(
      `SELECT source, computed_at AS "computedAt", version::int, wayback, captures, days,
              to_char(first_capture, 'YYYY-MM-DD') AS "firstCapture",
              to_char(last_capture, 'YYYY-MM-DD') AS "lastCapture",
              active_years::int AS "activeYears", longest_gap_days AS "longestGapDays", days_by_year AS "daysByYear"
         FROM domain_archive WHERE domain = $1 AND computed_at IS NOT NULL`,
      [domain],
    );
    return row ?? null;
  }

  /** Days with a capture in each year, of those of the names that have a score. */
  async listYears(domains: readonly string[], source: Queryable): Promise<Map<string, DaysByYear>> {
    if (domains.length === 0) return new Map();
    const rows = await source.prepared<{ domain: string; daysByYear: DaysByYear }>({
      ...LIST_YEARS,
      values: [domains],
    });
    return new Map(rows.map(({ domain, daysByYear }) => [domain, daysByYear]));
  }

  /** A name that waits for another try goes on waiting until `endRetry`, or it would be lost with a kill in between. */
  async save(domain: string, score: KeptScore): Promise<void> {
    await this.database.query(
      `INSERT INTO domain_archive (domain, source, computed_at, version, wayback, captures, days, first_capture,
                                   last_capture, active_years, longest_gap_days, days_by_year)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
       ON CONFLICT (domain) DO UPDATE
         SET source = excluded.source, computed_at = excluded.computed_at, version = excluded.version,
             wayback = excluded.wayback, captures = excluded.captures, days = excluded.days,
             first_capture = excluded.first_capture, last_capture = excluded.last_capture,
             active_years = excluded.active_years, longest_gap_days = excluded.longest_gap_days,
             days_by_year = excluded.days_by_year`,
      [
        domain,
        score.source,
        score.computedAt,
        score.version,
        score.wayback,
        score.captures,
        score.days,
        score.firstCapture,
        score.lastCapture,
        score.activeYears,
        score.longestGapDays,
        JSON.stringify(score.daysByYear),
      ],
    );
  }

  /** How often in a row the archive has given no answer about the name. */
  async countFailures(domain: string): Promise<number> {
    const [row] = await this.database.query<{ failures: number }>(
      'SELECT failures::int AS failures FROM domain_archive WHERE domain = $1',
      [domain],
    );
    return row?.failures ?? 0;
  }

  /** The archive gave no answer: the score stays as it is, and the name is asked about again. */
  async saveFailure(domain: string, failures: number, failure: string, nextCheckAt: Date): Promise<void> {
    await this.database.query(
      `INSERT INTO domain_archive (domain, failures, failure, ask_at) VALUES ($1, $2, $3, $4)
       ON CONFLICT (domain) DO UPDATE
         SET failures = excluded.failures, failure = excluded.failure, ask_at = excluded.ask_at`,
      [domain, failures, failure, nextCheckAt],
    );
  }

  /** The dataset has the score. */
  async endRetry(domain: string): Promise<void> {
    await this.database.query(
      'UPDATE domain_archive SET failures = 0, failure = NULL, ask_at = NULL WHERE domain = $1 AND ask_at IS NOT NULL',
      [domain],
    );
  }
}
