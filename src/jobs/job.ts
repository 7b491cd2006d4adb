/** Where a job goes on at its next piece: what its last one returned. */
export type JobCursor = Readonly<Record<string, string | number | boolean | null>>;

export interface PieceResult {
  /** Whether there is more to do at once. */
  readonly more: boolean;
  /** When there may be more, where that is sooner or later than the job's own interval, in milliseconds from `now`. */
  readonly againInMs?: number;
  /** Replaces the cursor; left out, it stays. */
  readonly cursor?: JobCursor;
}

/**
 * Work that keeps the dataset true. It is done in pieces, any of which may be killed at any moment and is then done
 * again: what is to be done next is read from PostgreSQL, never remembered. A piece writes in `Database.transaction` (or
 * through Lifecycle), where it is refused once the lease is another's.
 */
export interface Job {
  /** Names its row in job_state. */
  readonly name: string;
  /** From the beginning of a piece after which nothing is left to do to the next piece, in milliseconds. */
  readonly everyMs: number;
  /** Longest that a piece may take, in milliseconds; MAX_PIECE_MS where left out. */
  readonly maxPieceMs?: number;

  /**
   * Does one piece.
   *
   * @param now the database's time; tests hand in another
   * @param signal aborted when the piece has taken too long, the lease was lost, or the process is told to stop
   * @throws what went wrong: it is recorded, and the job backs off
   */
  run(now: Date, signal: AbortSignal, cursor: JobCursor | null): Promise<PieceResult>;
}

/** Longest that a piece takes which does not say so itself. */
export const MAX_PIECE_MS = 20_000;

/** The jobs of one installation. */
export class JobSet {
  constructor(readonly jobs: readonly Job[]) {}
}
