import { SCORE_BANDS } from '../../domains/schema/filters/score-bands.js';
import {
  RANKS,
  type SampleOutcome,
  STRATA,
  type Stratum,
  wilsonShare,
} from '../../domains/truth/sample-plan.js';
import type { SampleCount } from '../../domains/truth/truth-sample.repository.js';
import type { FoundTakenDto, TruthDto } from './truth.dto.js';

/** Puts the counts of the samples together. @param days that they speak of */
export function truthOf(counts: readonly SampleCount[], days: number): TruthDto {
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
  };
}

function foundTaken(counts: readonly SampleCount[]): FoundTakenDto {
  const of = (outcome: SampleOutcome) =>
    counts.reduce((sum, one) => sum + (one.outcome === outcome ? one.count : 0), 0);
  const [taken, sampled] = [of('taken'), of('free') + of('taken')];
  const { share, low, high } = wilsonShare(taken, sampled) ?? { share: null, low: null, high: null };
  return { sampled, taken, unknown: of('unknown'), share, low, high };
}
