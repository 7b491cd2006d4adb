import { SUFFIXES, type Suffix } from '../../domains/schema/domain.js';
import { faultOfLabel } from '../../domains/name/rules/label-fault.js';
import { LabelMaker } from './label-maker.js';
import { NameSet } from './name-set.js';
import { Random, WeightedChoice } from './random.js';

/** A made-up row of a drop list. */
export interface GeneratedName {
  readonly domain: string;
  readonly wayback: number;
  /** YYYY-MM-DD */
  readonly firstSeen: string;
}

export const MAX_GENERATED_NAMES = 50_000_000;

// There are only so many short names: past this many repeats in a row something is wrong.
const MAX_REPEATS = 10_000;

/**
 * Makes up `count` distinct .au names; the same seed gives the same names, and a longer run begins with the shorter one's.
 *
 * @param count at most {@link MAX_GENERATED_NAMES}; memory grows by 16 bytes a name
 */
export function* generateNames(count: number, seed: number): Generator<GeneratedName> {
  const random = new Random(seed);
  const labels = new LabelMaker(random);
  const seen = new NameSet(count);
  let repeats = 0;
  for (let made = 0; made < count;) {
    const label = labels.make();
    const domain = `${label}.${SUFFIX_SHARES.pick(random)}`;
    if (faultOfLabel(label) !== null) continue;
    if (!seen.add(domain)) {
      repeats += 1;
      if (repeats > MAX_REPEATS) throw new Error(`only ${made} distinct names could be made up`);
      continue;
    }
    repeats = 0;
    made += 1;
    yield { domain, wayback: makeScore(random), firstSeen: makeDay(random) };
  }
}

// As in the deletion lists that the names are modelled on.
const SUFFIX_SHARES = new WeightedChoice<Suffix>([
  ['com.au', 88.4],
  ['au', 9.1],
  ['id.au', 0.83],
  ['net.au', 0.69],
  ['org.au', 0.55],
  ['asn.au', 0.41],
] satisfies [(typeof SUFFIXES)[number], number][]);

// 55 % were never archived; the rest is log-normal, so that each tenfold score is rarer by more and more.
const ZERO_SHARE = 0.55;
const LOG_MEAN = 2.47;
const LOG_DEVIATION = 1.59;

function makeScore(random: Random): number {
  if (random.chance(ZERO_SHARE)) return 0;
  return Math.max(1, Math.floor(Math.exp(LOG_MEAN + LOG_DEVIATION * random.nextNormal())));
}

const FIRST_DAY = Date.UTC(2024, 6, 1);
const DAYS = 730;
const DAY_MS = 86_400_000;

function makeDay(random: Random): string {
  return new Date(FIRST_DAY + random.nextIndex(DAYS) * DAY_MS).toISOString().slice(0, 10);
}
