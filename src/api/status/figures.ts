import {
  AGE_BUCKETS,
  cellOf,
  endOfBucket,
  posteriorInterval,
  posteriorRate,
  priorRate,
  startOfBucket,
} from '../../domains/freshness/rate-table.js';
import type { Evidence } from '../../domains/freshness/freshness.repository.js';
import { SCORE_BANDS } from '../../domains/schema/filters/score-bands.js';
import {
  RANKS,
  type SampleOutcome,
  STRATA,
  type Stratum,
  wilsonShare,
} from '../../domains/truth/sample-plan.js';
import type { SampleCount } from '../../domains/truth/truth-sample.repository.js';
import { compareRechecks, type RecheckDay } from '../../domains/truth/recheck-change.js';
import {
  compareLastDay,
  type LastDay,
  measureWindow,
  type PeriodCount,
  WINDOW_HOURS,
  type WindowShare,
} from '../../domains/truth/truth-windows.js';
import type { FoundTakenDto, TakenRateDto, TruthChangeDto, TruthDto, TruthWindowDto } from './status.dto.js';

/** Puts the counts of the samples together. @param days that they speak of */
export function truthOf(
  counts: readonly SampleCount[],
  days: number,
  periods: readonly PeriodCount[],
  rechecks: readonly RecheckDay[],
): TruthDto {
  const of = (stratum: Stratum) => counts.filter((count) => count.stratum === stratum);
  const all = of('all');
  return {
    days,
    offers: foundTaken(all),
    by_band: SCORE_BANDS.map(({ from, to }) => ({
      score_from: from,
      score_to: to,
      ...foundTaken(all.filter(({ scoreFrom }) => scoreFrom === from)),
    })),
    by_rank: STRATA.flatMap((stratum) => {
      const top = RANKS[stratum];
      return top === null ? [] : [{ top, ...foundTaken(of(stratum)) }];
    }),
    windows: WINDOW_HOURS.map((hours) => windowOf(periods, hours)),
    changes: [
      changeOf('offers', compareLastDay(periods, 'offers')),
      changeOf('first_100', compareLastDay(periods, 'first_100')),
      changeOf('rechecks', compareRechecks(rechecks)),
    ],
  };
}

function windowOf(periods: readonly PeriodCount[], length: number): TruthWindowDto {
  const { hours, sampledHours, offers, byAge, firstShown } = measureWindow(periods, length);
  return {
    hours,
    sampled_hours: sampledHours,
    offers: shareOf(offers),
    by_age: byAge.map(({ from, to, ...measured }) => ({
      age_from_days: from,
      age_to_days: to,
      ...shareOf(measured),
    })),
    first_100: shareOf(firstShown),
  };
}

function shareOf({ share, low, high, ...counted }: WindowShare): WindowShare {
  const shown = (value: number | null) => value && rounded(value);
  return { ...counted, share: shown(share), low: shown(low), high: shown(high) };
}

function changeOf(
  of: TruthChangeDto['of'],
  { day, before, expected, chance, change }: LastDay,
): TruthChangeDto {
  return {
    of,
    change,
    chance: chance && rounded(chance),
    day_sampled: day.sampled,
    day_taken: day.taken,
    day_expected: expected && Math.round(expected * 10) / 10,
    before_sampled: before.sampled,
    before_taken: before.taken,
  };
}

function foundTaken(counts: readonly SampleCount[]): FoundTakenDto {
  const of = (outcome: SampleOutcome) =>
    counts.reduce((sum, one) => sum + (one.outcome === outcome ? one.count : 0), 0);
  const [taken, sampled] = [of('taken'), of('free') + of('taken')];
  const { share, low, high } = wilsonShare(taken, sampled) ?? { share: null, low: null, high: null };
  return { sampled, taken, unknown: of('unknown'), share, low, high };
}

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
