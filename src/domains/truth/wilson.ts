/** A share from 0 to 1 with its interval. */
export interface Share {
  readonly share: number;
  readonly low: number;
  readonly high: number;
}

/** The two-sided 95 % point of the normal distribution. */
const Z = 1.959963984540054;

/**
 * The 95 % interval of Wilson (1927) for a share that was counted in a sample. Unlike the textbook one it is not empty where
 * nothing was found, which is what a small share mostly comes to.
 *
 * @returns null for an empty sample: nothing is known then
 */
export function wilsonShare(found: number, sampled: number): Share | null {
  if (sampled === 0) return null;
  const share = found / sampled;
  const spread = (Z * Z) / sampled;
  const middle = (share + spread / 2) / (1 + spread);
  const half = (Z / (1 + spread)) * Math.sqrt((share * (1 - share)) / sampled + spread / (4 * sampled));
  return {
    share,
    low: found === 0 ? 0 : Math.max(0, middle - half),
    high: found === sampled ? 1 : Math.min(1, middle + half),
  };
}
