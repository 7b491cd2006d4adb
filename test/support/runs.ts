import fc from 'fast-check';

/** How many times as many cases a run draws: RUNS=10 npm test -- test/errors/fuzz looks for what is rare. */
const FACTOR = Number(process.env.RUNS ?? 1);

/** Cases that a property is tried with. @param usual in the suite, which everybody waits for */
export function runs(usual: number): number {
  return Math.ceil(usual * FACTOR);
}

/**
 * Any character. As the unit of a text in the place of fast-check's 'binary', for which it makes a table of all 1.1
 * million: 1.7 s in each worker.
 */
export const anyCharacter = fc
  .integer({ min: 0, max: 0x10ffff })
  .map((code) => String.fromCodePoint(code))
  .filter((text) => !/\p{Surrogate}/u.test(text));
