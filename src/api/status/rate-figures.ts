import { SCORE_BANDS } from '../../domains/schema/filters/score-bands.js';
import {
  AGE_BUCKETS,
  cellOf,
  endOfBucket,
  startOfBucket,
  posteriorInterval,
  posteriorRate,
  priorRate,
} from '../../domains/freshness/rate-table.js';
import type { Evidence } from '../../domains/freshness/taken-rate.repository.js';
import type { TakenRateDto } from './rates.dto.js';

/** The whole table of rates, cells included that were never observed. */
export function ratesOf({ exposureDays, taken }: Evidence): TakenRateDto[] {
  return SCORE_BANDS.flatMap(({ from, to }, band) =>
    Array.from({ length: AGE_BUCKETS }, (_, bucket) => {
      const cell = cellOf(bucket, band);
      const evidence = { exposureDays: exposureDays[cell] ?? 0, taken: taken[cell] ?? 0 };
      const [prior, end] = [priorRate(bucket, band), endOfBucket(bucket)];
      const { low, high } = posteriorInterval(prior, evidence);
      return {
        age_from_days: startOfBucket(bucket),
        age_to_days: Number.isFinite(end) ? end : null,
        score_from: from,
        score_to: to,
        prior_per_day: rounded(prior),
        exposure_days: rounded(evidence.exposureDays),
        taken: rounded(evidence.taken),
        rate_per_day: rounded(posteriorRate(prior, evidence)),
        low_per_day: rounded(low),
        high_per_day: rounded(high),
      };
    }),
  );
}

/** More digits than six would only make the table long. */
function rounded(value: number): number {
  return Number(value.toPrecision(6));
}
