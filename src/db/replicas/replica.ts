import { Logger } from '@nestjs/common';
import { DatabaseError } from 'pg';
import { setTimeout as pause } from 'node:timers/promises';
import { Outage } from '../../errors/outage.js';
import { failuresIn, hasCode, messageOf } from '../../validation/unknown-values.js';
import type { Mark, PrimaryWatch } from './primary-watch.js';
import { ReplicaPools, type PoolSettings } from './replica-pools.js';
import { readWalPosition, type WalPosition } from './wal-position.js';
import { WalSession } from './wal-session.js';

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

/** When the last look began, and whether it showed that nobody can be reading there what is old. */
interface Look {
  readonly begunAt: number;
  readonly isOutOfUse: boolean;
}

/** One replica: its connections, and whether it is fresh enough to be read from. The rules and why they hold: README.md. */
export class Replica {
  readonly pools: ReplicaPools;
  private readonly session: WalSession;
  private readonly outage: Outage;
  private isUsed = false;
  /** All that was committed by this moment is there. */
  private freshAt = -Infinity;
  private replayed: WalPosition | null = null;
  private learnedAt = -Infinity;
  /** When it was last seen to be late, or not seen. */
  private lateAt = performance.now();
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
    this.outage = new Outage(new Logger('Replicas'), `The replica at ${placeOf(url)} is not read from`);
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
    if (!this.isUsed || performance.now() - this.freshAt > this.maxLagMs) return false;
    return seen === null || (this.replayed !== null && this.replayed >= seen);
  }

  /** A read there failed. A conflict with what is replayed is no fault of the server; whatever else it was, it is left alone for a while. */
  fail(error: unknown): void {
    if (isConflict(error)) return;
    this.leave(error);
    this.restUntil = performance.now() + PAUSE_MS;
  }

  /**
   * Resolves once nobody, on whatever instance, reads there what is older than a change.
   *
   * @param position behind the change
   * @param since when it was committed at the latest
   * @param deadline from then on it is so by the rule of the longest lag
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

  /** Those who want to look at the same time share one look. Never throws. */
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
      // Who cannot connect because nobody listens knows that all connections are gone, and those of others with them.
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
    this.freshAt = Math.max(this.freshAt, this.primary.momentOf(replayed));
    const now = performance.now();
    const lagMs = now - this.freshAt;
    const gapMs = now - this.learnedAt;
    this.learnedAt = now;
    // One that was only just met has not had the time to be known.
    if (lagMs > this.maxLagMs && (this.isUsed || this.primary.isBehind(replayed, this.maxLagMs)))
      this.leave(`what was written ${describe(lagMs)} ago is not known to be there`);
    if (this.isUsed) return;
    if (Math.max(lagMs, gapMs) > this.maxLagMs / 2) this.lateAt = now;
    else if (this.freshAt > this.lateAt) {
      this.isUsed = true;
      this.outage.end();
    }
  }

  /** It is not read from until it was seen to have all that was committed by now. */
  private leave(reason: unknown): void {
    this.isUsed = false;
    this.lateAt = performance.now();
    if (!this.isClosed) this.outage.begin(reason);
  }

  /** The same for one that is gone: when it comes back it may be older than it was. */
  private lose(error: unknown): void {
    this.session.close();
    this.freshAt = -Infinity;
    this.learnedAt = -Infinity;
    this.replayed = null;
    this.leave(messageOf(error));
    this.restUntil = performance.now() + PAUSE_MS;
  }
}

// 40001: a row that the read needs is removed on the primary; 40P01: the same, where the read held what the replay needs.
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
