import { type Contestant, contestants } from './contest.js';
import { makePopulation, type Scale } from './population.js';
import { meanFrom, simulate } from './simulate.js';
import { type World, WORLDS } from './world.js';

// A thirty-fifth of the worlds of `npm run simulate`, whose figures are in test/bench/results/freshness.md. So few names of the
// highest bands make the figures rougher, and the limits wider, than those of the full size.
const SMALL: Scale = { names: 20_000, dropsPerDay: 57, days: 60, questionsPerDay: 1_086, sweptAtOnce: 6 };
const SEED = 11;

function falseShown(world: World, ...policies: Contestant[]): number[] {
  const population = makePopulation(world, SMALL, SEED);
  return policies.map((title) =>
    meanFrom(30, simulate(population, SMALL, contestants(world, SMALL.sweptAtOnce)[title])),
  );
}

describe('the choice of the next question, played through 90 days', () => {
  it('leaves fewer than one in a thousand shown offers false, and fewer than any simpler order', () => {
    const [ours = 1, ...others] = falseShown(
      WORLDS.base,
      'interval, learned',
      'nothing is asked',
      'youngest first',
      'best rank first',
      'round robin',
    );
    expect(ours).toBeLessThan(0.001);
    // Asking the best rank first comes closest in a dataset this small; the full one is in test/bench/results/freshness.md.
    for (const theirs of others) expect(theirs / ours).toBeGreaterThan(3);
  });

  it.each([
    ['takers do not look at scores', WORLDS.flat, 3],
    ['takers come back after a year', WORLDS.wave, 4],
    ['bursts by theme cannot be seen coming', WORLDS.bursts, 1.5],
  ])('leaves several times fewer than round robin where %s', (_, world, times) => {
    const [theirs = 0, ours = 1] = falseShown(world, 'round robin', 'interval, learned');
    expect(theirs / ours).toBeGreaterThan(times);
  });
});
