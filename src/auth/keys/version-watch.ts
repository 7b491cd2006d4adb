import { setTimeout as pause } from 'node:timers/promises';

/** How long what was read is relied on after the version was last seen unchanged: a revocation works within this time. */
export const TRUST_MS = 800;
const ASK_EVERY_MS = 300;
/** When nobody has used a key for so long, asking stops. */
const QUIET_MS = 30_000;

/**
 * Tells whether something read from the database is still true, without asking for it again. The database counts every
 * change in one version; what was read at the version that still held a moment ago is true.
 *
 * Unlike LISTEN, this cannot be deaf without knowing it: when the answers stop coming, for whatever reason, the trust
 * runs out by itself. It also works through connection poolers.
 */
export class VersionWatch {
  private newest = { version: -1, askedAt: Number.NEGATIVE_INFINITY };
  private usedAt = Number.NEGATIVE_INFINITY;
  private readonly stopping = new AbortController();
  private asking = false;

  constructor(private readonly readVersion: () => Promise<number>) {}

  /** Whether what was read at `version` is true as of {@link TRUST_MS} ago or less. */
  holds(version: number): boolean {
    this.usedAt = performance.now();
    if (!this.asking) void this.keepAsking();
    return version === this.newest.version && performance.now() - this.newest.askedAt < TRUST_MS;
  }

  /** Tells what a question that was asked at `askedAt` has shown, by performance.now(): that clock never steps. */
  observe(version: number, askedAt: number): void {
    const { newest } = this;
    if (version > newest.version || (version === newest.version && askedAt > newest.askedAt))
      this.newest = { version, askedAt };
  }

  /** Asks for the version now. */
  async look(): Promise<void> {
    const askedAt = performance.now();
    try {
      this.observe(await this.readVersion(), askedAt);
    } catch {
      // Trust runs out by itself then; the next look-up meets the same trouble and tells its caller.
    }
  }

  stop(): void {
    this.stopping.abort();
  }

  private async keepAsking(): Promise<void> {
    this.asking = true;
    while (!this.stopping.signal.aborted && performance.now() - this.usedAt < QUIET_MS) {
      await pause(ASK_EVERY_MS, undefined, { ref: false, signal: this.stopping.signal }).catch(
        () => undefined,
      );
      await this.look();
    }
    this.asking = false;
  }
}
