import { setTimeout as pause } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { DatabaseError } from 'pg';
import { OutageLogger } from '../../errors/outage.js';
import { failuresIn, hasCode, messageOf } from '../../validation/unknown-values.js';
import { type Mark, type PrimaryWatch, readWalPosition, type WalPosition, WalSession } from './wal.js';
import { ReplicaPools, type PoolSettings } from './read-servers.js';

/** What a look at a replica changed: it is no longer read from, it is read from again, or neither. */
type Turn = 'late' | 'back' | null;

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

/** After a failure a replica is left alone for so long. */
const PAUSE_MS = 1_000;
const LOOK_EVERY_MS = 250;
/** As many looks fit into the longest lag; two of them must fit into its half (README.md). */
const LOOKS_PER_LAG = 8;
const FIRST_WAIT_MS = 2;
const MAX_WAIT_MS = 50;

const STANDING = `
  SELECT pg_is_in_recovery() AS replays, pg_last_wal_replay_lsn()::text AS position,
         (SELECT system_identifier::text FROM pg_control_system()) AS system`;

interface Standing {
  readonly replays: boolean;
  readonly position: string | null;
  readonly system: string;
}

/** When the last look began, and whether it showed that no instance can be reading old data there. */
interface Look {
  readonly begunAt: number;
  readonly isOutOfUse: boolean;
}

/**
 * One replica: its connections, and whether it is fresh enough to be read from. The rules and why they hold:
 * README.md.
 */
export class Replica {
  readonly pools: ReplicaPools;
  private readonly session: WalSession;
  private readonly outage: OutageLogger;
  private readonly freshness: Freshness;
  private replayed: WalPosition | null = null;
  private restUntil = -Infinity;
  private lastLook: Look = { begunAt: -Infinity, isOutOfUse: false };
  private looking: Promise<void> | null = null;
  private timer: NodeJS.Timeout | null = null;
  private isClosed = false;

  constructor(
    url: string,
    settings: PoolSettings,
    private readonly primary: PrimaryWatch,
    private readonly maxLagMs: number,
  ) {
    this.freshness = new Freshness(maxLagMs, performance.now());
    this.outage = new OutageLogger(new Logger('Replicas'), `The replica at ${placeOf(url)} is not read from`);
    this.pools = new ReplicaPools(url, settings, (position) => {
      if (this.replayed !== null && this.replayed < position) this.replayed = position;
    });
    this.session = new WalSession(url, () => this.lose(new Error('the connection was lost')));
  }

  /** Begins to look how far it is, until it is closed. */
  watch(): void {
    if (this.isClosed) return;
    const isResting = performance.now() < this.restUntil;
    void (isResting ? Promise.resolve() : this.look()).finally(() => {
      if (this.isClosed) return;
      const waitMs = Math.min(LOOK_EVERY_MS, this.maxLagMs / LOOKS_PER_LAG);
      this.timer = setTimeout(() => this.watch(), waitMs).unref();
    });
  }

  /** Whether a read may go there now. @param seen what it must have replayed at least */
  serves(seen: WalPosition | null): boolean {
    if (!this.freshness.serves(performance.now())) return false;
    return seen === null || (this.replayed !== null && this.replayed >= seen);
  }

  /**
   * A read there failed. A conflict with the replay is no fault of the server; after any other failure it rests
   * for a while.
   */
  fail(error: unknown): void {
    if (isConflict(error)) return;
    this.freshness.leave(performance.now());
    this.say(error);
    this.restUntil = performance.now() + PAUSE_MS;
  }

  /**
   * Resolves once no instance reads data there that is older than a change.
   *
   * @param position behind the change
   * @param since when it was committed at the latest
   * @param deadline after it the rule of the longest lag guarantees it
   */
  async passes(position: WalPosition, since: number, deadline: number): Promise<void> {
    const isPast = () => {
      const { begunAt, isOutOfUse } = this.lastLook;
      return (this.replayed !== null && this.replayed >= position) || (begunAt > since && isOutOfUse);
    };
    for (let wait = FIRST_WAIT_MS; !isPast() && !this.isClosed; wait = Math.min(2 * wait, MAX_WAIT_MS)) {
      const leftMs = deadline - performance.now();
      if (leftMs <= 0) return;
      await Promise.race([this.look(), pause(leftMs, undefined, { ref: false })]);
      if (!isPast()) await pause(Math.min(wait, leftMs));
    }
  }

  async close(): Promise<void> {
    this.isClosed = true;
    if (this.timer) clearTimeout(this.timer);
    this.session.end();
    await this.looking;
    await this.pools.close();
  }

  /** Concurrent callers share one look. Never throws. */
  private look(): Promise<void> {
    this.looking ??= this.lookNow().finally(() => {
      this.looking = null;
    });
    return this.looking;
  }

  private async lookNow(): Promise<void> {
    const begunAt = performance.now();
    try {
      await this.session.open();
    } catch (error) {
      this.lose(error);
      // A refused connection means that the server is down, and with it the sessions of all instances.
      this.lastLook = { begunAt, isOutOfUse: failuresIn(error).some((one) => hasCode(one, 'ECONNREFUSED')) };
      return;
    }
    const before = this.replayed;
    // A primary that does not answer says nothing about the replica, which grows old meanwhile.
    const mark = await this.primary.mark().catch(() => null);
    try {
      const standing = await this.session.ask<Standing>(STANDING);
      if (mark) assertCopy(standing, mark, before);
      this.learn(readWalPosition(standing.position));
    } catch (error) {
      this.lose(error);
    }
    const isOutOfUse = this.replayed !== null && this.primary.isBehind(this.replayed, this.maxLagMs);
    this.lastLook = { begunAt, isOutOfUse };
  }

  private learn(replayed: WalPosition): void {
    this.replayed = replayed;
    const now = performance.now();
    const isBehind = this.primary.isBehind(replayed, this.maxLagMs);
    const turn = this.freshness.learn(this.primary.momentOf(replayed), isBehind, now);
    if (turn === 'back') this.outage.end();
    if (turn === 'late') {
      const lagMs = this.freshness.lagMs(now);
      this.say(`what was written ${describe(lagMs)} ago is not known to be there`);
    }
  }

  /** Its server is gone. */
  private lose(error: unknown): void {
    this.session.close();
    this.replayed = null;
    this.freshness.lose(performance.now());
    this.say(messageOf(error));
    this.restUntil = performance.now() + PAUSE_MS;
  }

  /** Why it is not read from. */
  private say(reason: unknown): void {
    if (!this.isClosed) this.outage.begin(reason);
  }
}

// 40001: a row that the read needs is removed on the primary; 40P01: the same, where the read held what the replay
// needs.
function isConflict(error: unknown): boolean {
  return error instanceof DatabaseError && (error.code === '40001' || error.code === '40P01');
}

/** @throws in words for the operator when the server is no copy of the primary */
function assertCopy({ replays, system }: Standing, mark: Mark, before: WalPosition | null): void {
  if (system !== mark.system) throw new Error('it is a copy of another server');
  if (!replays) throw new Error('it is no replica: it takes writes itself');
  // After a failover: one that still follows the former primary.
  if (before !== null && before > mark.position) throw new Error('it has what the primary has never written');
}

/** Without user and password. */
const placeOf = (url: string) => (URL.canParse(url) ? new URL(url).host : 'the given address');
const describe = (ms: number) => (Number.isFinite(ms) ? `${Math.round(ms)} ms` : 'long');
