/** What a look at a replica changed: it is no longer read from, it is read from again, or neither. */
export type Turn = 'late' | 'back' | null;

/**
 * Whether a replica is fresh enough to be read from. The rules and why they hold: README.md. Times are those of
 * performance.now().
 */
export class Freshness {
  private isUsed = false;
  /** All that was committed by this moment is replayed. */
  private freshAt = -Infinity;
  private learnedAt = -Infinity;

  /** @param lateAt when it was last seen to be late, or not seen */
  constructor(
    private readonly maxLagMs: number,
    private lateAt: number,
  ) {}

  serves(now: number): boolean {
    return this.isUsed && this.lagMs(now) <= this.maxLagMs;
  }

  lagMs(now: number): number {
    return now - this.freshAt;
  }

  /**
   * Takes in the result of a look.
   *
   * @param freshAt the latest moment up to which every commit is replayed
   * @param isBehind whether it certainly lacks a change that is older than the longest lag
   */
  learn(freshAt: number, isBehind: boolean, now: number): Turn {
    this.freshAt = Math.max(this.freshAt, freshAt);
    const lagMs = this.lagMs(now);
    const gapMs = now - this.learnedAt;
    this.learnedAt = now;
    // A replica that was met a moment ago has had no time to be known.
    if (lagMs > this.maxLagMs && (this.isUsed || isBehind)) {
      this.leave(now);
      return 'late';
    }
    if (this.isUsed) return null;
    if (Math.max(lagMs, gapMs) > this.maxLagMs / 2) {
      this.lateAt = now;
      return null;
    }
    this.isUsed = this.freshAt > this.lateAt;
    return this.isUsed ? 'back' : null;
  }

  /** It is read from again once it has everything that was committed by now. */
  leave(now: number): void {
    this.isUsed = false;
    this.lateAt = now;
  }

  /** Its server is gone: when it comes back it may be older than it was. */
  lose(now: number): void {
    this.freshAt = -Infinity;
    this.learnedAt = -Infinity;
    this.leave(now);
  }
}
