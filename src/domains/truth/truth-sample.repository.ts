import { Injectable } from '@nestjs/common';
import { Database } from '../../db/database.js';
import { SCORE_BANDS } from '../schema/filters/score-bands.js';
import type { DrawnOffer } from './offer-sampler.repository.js';
import type { SampleOutcome, Stratum } from './sample-plan.js';

/** How many offers of a stratum and a band had that outcome. */
export interface SampleCount {
  readonly stratum: Stratum;
  /** The least score of the band. */
  readonly scoreFrom: number;
  readonly outcome: SampleOutcome;
  readonly count: number;
}

/** Samples are kept for so many days: a little more than a year, to compare with. */
const DAYS_KEPT = 400;

@Injectable()
export class TruthSampleRepository {
  constructor(private readonly database: Database) {}

  async add(offer: DrawnOffer, stratum: Stratum, outcome: SampleOutcome, at: Date): Promise<void> {
    await this.database.transaction(async (transaction) => {
      await transaction.query(
        `INSERT INTO truth_sample (domain, stratum, wayback, dropped_at, offered_since, asked_at, outcome)
         VALUES ($1, $2, $3, $4, $5, $6, $7)`,
        [offer.domain, stratum, offer.wayback, offer.droppedAt, offer.offeredSince, at, outcome],
      );
      await transaction.query(
        `DELETE FROM truth_sample WHERE asked_at < $1::timestamptz - make_interval(days => $2)`,
        [at, DAYS_KEPT],
      );
    });
  }

  async count(since: Date): Promise<SampleCount[]> {
    return this.database.query<SampleCount & Record<string, unknown>>(
      `SELECT stratum, outcome, count(*)::int AS count,
              (SELECT max(band) FROM unnest($2::int[]) AS band WHERE band <= wayback) AS "scoreFrom"
         FROM truth_sample
        WHERE asked_at >= $1
        GROUP BY stratum, outcome, "scoreFrom"`,
      [since, SCORE_BANDS.map(({ from }) => from)],
    );
  }
}
