import { readWalPosition, type WalPosition, WalSession } from './wal.js';

/** How far the primary was at a moment. */
export interface Mark {
  /**
   * In milliseconds of performance.now(), before it was asked: all that was committed by then lies before the
   * position.
   */
  readonly takenAt: number;
  readonly position: WalPosition;
  /** Which cluster it is: a copy of it says the same. */
  readonly system: string;
}

/** Where a server that writes stands. */
export const WRITTEN = `
  SELECT (place - CASE WHEN begun = 40 THEN 40 WHEN begun % 8192 = 24 THEN 24 ELSE 0 END)::text AS position
    FROM (SELECT pg_current_wal_insert_lsn() AS place) AS log,
         LATERAL (SELECT (pg_walfile_name_offset(place)).file_offset AS begun) AS file`;
// The place of the next record is behind the header of a page (24 bytes, the first of a segment 40) where the last
// record ended with the page before, and there a replica has nothing to replay until the next record comes: an idle
// primary would look like one ahead.

const STANDING = `
  SELECT position, clock_timestamp() AS now, (SELECT system_identifier::text FROM pg_control_system()) AS system
    FROM (${WRITTEN}) AS written`;

/** Marks closer to each other tell no more. */
const MIN_GAP_MS = 10;

/** What the replicas are compared with: how far the primary was, at moments of the last while. */
export class PrimaryWatch {
  private readonly session: WalSession;
  private readonly marks: Mark[] = [];
  /** How far the primary's clock is ahead of this machine's. */
  private aheadMs = 0;

  /** @param keptMs how long marks are of use */
  constructor(
    url: string,
    private readonly keptMs: number,
  ) {
    this.session = new WalSession(url);
  }

  /** Asks how far the primary is now. @throws when it does not answer, or is none */
  async mark(): Promise<Mark> {
    const takenAt = performance.now();
    const row = await this.session.ask<{ position: string; now: Date; system: string }>(STANDING);
    this.aheadMs = row.now.getTime() - Date.now();
    const mark = { takenAt, position: readWalPosition(row.position), system: row.system };
    if (takenAt - (this.marks.at(-1)?.takenAt ?? -Infinity) >= MIN_GAP_MS) this.marks.push(mark);
    while ((this.marks[0]?.takenAt ?? Infinity) < takenAt - this.keptMs) this.marks.shift();
    return mark;
  }

  /** The latest moment up to which every commit is known to lie before the position. */
  momentOf(position: WalPosition): number {
    return this.marks.findLast((mark) => mark.position <= position)?.takenAt ?? -Infinity;
  }

  /** Whether a commit of so long ago is certainly missing before the position. */
  isBehind(position: WalPosition, ms: number): boolean {
    const then = performance.now() - ms;
    return this.marks.some((mark) => mark.takenAt < then && mark.position > position);
  }

  /** How long ago a time of the database was. */
  ageOf(time: Date): number {
    return Date.now() + this.aheadMs - time.getTime();
  }

  get size(): number {
    return this.marks.length;
  }

  close(): void {
    this.session.end();
  }
}
