/** How many times as many cases a run draws: RUNS=10 npm test -- test/errors/fuzz looks for what is rare. */
const FACTOR = Number(process.env.RUNS ?? 1);

/** Cases that a property is tried with. @param usual in the suite, which everybody waits for */
export function runs(usual: number): number {
  return Math.ceil(usual * FACTOR);
}
