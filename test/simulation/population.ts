import { SCORE_BANDS } from '../../src/domains/schema/filters/score-bands.js';
import { Bursts } from './bursts.js';
import { SeededRandom } from './random.js';
import { TakenDays, type World } from './world.js';

export interface Scale {
  /** Offered at the beginning, dropped in the 18 months before and all confirmed that day. */
  readonly names: number;
  readonly dropsPerDay: number;
  readonly days: number;
  readonly questionsPerDay: number;
  /** Names that each upkeep of the policy looks over. */
  readonly sweptAtOnce: number;
}

/**
 * From the lowest band to the highest: each is rarer by more and more. Such that 4.56 % of what is shown is false when nothing is
 * asked, the one figure of research/freshness.md that no policy has a part in.
 */
const BAND_SHARES_FROM_LOWEST = [0.6, 0.25, 0.1, 0.034, 0.0125, 0.0035];
const OLDEST_DAYS = 548;
const CONFIRMATION_DAYS = 4_000 / 86_400;

/** Every name of a simulation: those of the beginning first, then the drops of each day. Days count from the beginning. */
export interface Population {
  readonly size: number;
  readonly band: Uint8Array;
  /** Negative for those of the beginning. */
  readonly droppedDay: Float64Array;
  /** The day on which somebody takes it, asked or not; Infinity: later than anybody looks. */
  readonly takenDay: Float64Array;
  /** Draws lots within a band; the greater, the better the rank. */
  readonly rank: Float32Array;
}

export function makePopulation(world: World, { names, dropsPerDay, days }: Scale, seed: number): Population {
  const size = names + dropsPerDay * days;
  const population: Population = {
    size,
    band: new Uint8Array(size),
    droppedDay: new Float64Array(size),
    takenDay: new Float64Array(size),
    rank: new Float32Array(size),
  };
  const random = new SeededRandom(seed);
  const takenDays = new TakenDays(world);
  const bursts = world.bursts ? new Bursts(random, days) : null;
  for (let name = 0; name < size; name += 1) {
    const band = drawBand(random);
    const dropped = name < names ? -random.next() * OLDEST_DAYS : dropTime(name - names, dropsPerDay);
    const offered = Math.max(0, dropped);
    const taken = dropped + takenDays.draw(random, offered - dropped, band);
    population.band[name] = band;
    population.droppedDay[name] = dropped;
    population.takenDay[name] = Math.min(taken, bursts?.draw(random, offered) ?? Infinity);
    population.rank[name] = SCORE_BANDS.length - band + random.next();
  }
  return population;
}

/** Drops are confirmed one after the other, at half a question a second. */
function dropTime(place: number, perDay: number): number {
  const [day, placeOfDay] = [Math.floor(place / perDay), place % perDay];
  return day + (placeOfDay / perDay) * CONFIRMATION_DAYS;
}

function drawBand(random: SeededRandom): number {
  let left = random.next();
  for (const [place, share] of BAND_SHARES_FROM_LOWEST.entries()) {
    left -= share;
    if (left < 0) return SCORE_BANDS.length - 1 - place;
  }
  return 0;
}
