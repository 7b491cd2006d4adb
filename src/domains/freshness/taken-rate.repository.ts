import { Injectable } from '@nestjs/common';
import { Database } from '../../db/database.js';
import { SCORE_BANDS } from '../schema/filters/score-bands.js';
import type { EvidenceShare } from './evidence.js';
import { AGE_BUCKETS, cellOf, RATE_CELLS, startOfBucket } from './rate-table.js';

/** What our own answers say of each cell (see cellOf); those of long ago count less. */
export interface Evidence {
  readonly exposureDays: Float64Array<ArrayBuffer>;
  readonly taken: Float64Array<ArrayBuffer>;
  /** When the last answer came in; null before the first. */
  readonly observedAt: Date | null;
}

interface Cell {
  readonly ageFrom: number;
  readonly scoreFrom: number;
}

/** Takers change their ways: after so long an answer counts half. */
const HALF_LIFE_SECONDS = 180 * 86_400;

const CELLS: readonly Cell[] = SCORE_BANDS.flatMap(({ from }) =>
  Array.from({ length: AGE_BUCKETS }, (_, bucket) => ({ ageFrom: startOfBucket(bucket), scoreFrom: from })),
);
const PLACES = new Map(CELLS.map((cell, place) => [keyOf(cell), place]));

/** All SQL on the evidence about how fast names are taken. */
@Injectable()
export class TakenRateRepository {
  constructor(private readonly database: Database) {}

  async add(shares: readonly EvidenceShare[], at: Date): Promise<void> {
    await this.database.transaction(async (transaction) => {
      await transaction.query(
        `INSERT INTO taken_rate AS known (age_from, score_from, exposure_days, taken, observed_at)
         SELECT age_from, score_from, exposure_days, taken, $5
           FROM unnest($1::int[], $2::int[], $3::float8[], $4::float8[])
             AS share (age_from, score_from, exposure_days, taken)
          ORDER BY age_from, score_from
         ON CONFLICT (age_from, score_from) DO UPDATE
           SET exposure_days = known.exposure_days * ${LEFT} + excluded.exposure_days,
               taken = known.taken * ${LEFT} + excluded.taken,
               observed_at = greatest(known.observed_at, excluded.observed_at)`,
        [
          shares.map(({ cell }) => CELLS[cell]?.ageFrom),
          shares.map(({ cell }) => CELLS[cell]?.scoreFrom),
          shares.map(({ exposureDays }) => exposureDays),
          shares.map(({ taken }) => taken),
          at,
        ],
      );
    });
  }

  async read(): Promise<Evidence> {
    const rows = await this.database.query<{
      age_from: number;
      score_from: number;
      exposure_days: number;
      taken: number;
      observed_at: Date;
    }>('SELECT age_from, score_from, exposure_days, taken, observed_at FROM taken_rate');
    const [exposureDays, taken] = [new Float64Array(RATE_CELLS), new Float64Array(RATE_CELLS)];
    let observedAt: Date | null = null;
    for (const row of rows) {
      // Rows of a table that was cut otherwise in an earlier release are left alone.
      const cell = PLACES.get(keyOf({ ageFrom: row.age_from, scoreFrom: row.score_from }));
      if (cell === undefined) continue;
      exposureDays[cell] = row.exposure_days;
      taken[cell] = row.taken;
      if (observedAt === null || row.observed_at > observedAt) observedAt = row.observed_at;
    }
    return { exposureDays, taken, observedAt };
  }
}

// The remaining evidence of the row; a late answer takes nothing away.
const LEFT = `power(0.5,
  greatest(0, extract(epoch FROM excluded.observed_at - known.observed_at)::float8) / ${HALF_LIFE_SECONDS})`;

function keyOf({ ageFrom, scoreFrom }: Cell): string {
  return `${ageFrom}/${scoreFrom}`;
}

/** The first score and the first day of a cell, as the table has it. */
export function limitsOf(ageBucket: number, band: number): Cell {
  return CELLS[cellOf(ageBucket, band)] ?? { ageFrom: 0, scoreFrom: 0 };
}
