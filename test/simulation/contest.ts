import {
  priorTable,
  type RateTable,
  AGE_BUCKETS,
  cellOf,
  endOfBucket,
  startOfBucket,
} from '../../src/domains/freshness/rate-table.js';
import { SCORE_BANDS } from '../../src/domains/schema/filters/score-bands.js';
import { FreshnessPolicy } from './freshness-policy.js';
import { askNothing, bestRankFirst, type MakePolicy, roundRobin, youngestFirst } from './policies.js';
import type { World } from './world.js';

/** The policies that are held against each other, by the title of their column. */
export function contestants(world: World, sweptAtOnce: number): Record<Contestant, MakePolicy> {
  const prior = priorTable().map((rate) => rate * world.priorFactor);
  const freshness =
    (rates: RateTable, learns: boolean): MakePolicy =>
    (names, offers) =>
      new FreshnessPolicy(names, offers, { prior: rates, learns, sweptAtOnce });
  return {
    'nothing is asked': askNothing,
    'youngest first': youngestFirst,
    'best rank first': bestRankFirst,
    'round robin': roundRobin,
    'interval, prior only': freshness(prior, false),
    'interval, learned': freshness(prior, true),
    'interval, true rates': freshness(trueTable(world), false),
  };
}

export type Contestant =
  | 'nothing is asked'
  | 'youngest first'
  | 'best rank first'
  | 'round robin'
  | 'interval, prior only'
  | 'interval, learned'
  | 'interval, true rates';

const MIN_RATE = 1e-9;
const STEPS = 100;

/** What nobody can know outside a simulation: the world's own rates, bursts aside, as a table of the policy's cells. */
export function trueTable(world: World): RateTable {
  const table = priorTable();
  for (let bucket = 0; bucket < AGE_BUCKETS; bucket += 1) {
    const start = startOfBucket(bucket);
    const length = Math.min(endOfBucket(bucket), 2 * start) - start;
    let mean = 0;
    for (let step = 0; step < STEPS; step += 1) {
      mean += world.rate(start + ((step + 0.5) / STEPS) * length) / STEPS;
    }
    SCORE_BANDS.forEach((_, band) => {
      table[cellOf(bucket, band)] = Math.max(MIN_RATE, mean * world.bandFactor(band));
    });
  }
  return table;
}
