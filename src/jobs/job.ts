/** Where a job goes on at its next batch: what its last one returned. */
export type JobCursor = Readonly<Record<string, string | number | boolean | null>>;

export interface BatchResult {
  /** Whether there is more to do at once. */
  readonly more: boolean;
  /** When there may be more, where that is sooner or later than the job's own interval, in milliseconds from `now`. */
  readonly againInMs?: number;
  /** Replaces the cursor; left out, it stays. */
  readonly cursor?: JobCursor;
}

/**
 * Work that keeps the dataset true. It is done in batches, any of which may be killed at any moment and is then done
 * again: what is to be done next is read from PostgreSQL, never remembered. A batch writes in `Database.transaction` (or
 * through Lifecycle), where it is refused once the lease is another's.
 */
export interface Job {
  /** Names its row in job_state. */
  readonly name: string;
  /** From the beginning of a batch after which nothing is left to do to the next batch, in milliseconds. */
  readonly everyMs: number;
  /** Longest that a batch may take, in milliseconds; MAX_BATCH_MS where left out. */
  readonly maxBatchMs?: number;

  /**
   * Does one batch.
   *
   * @param now the database's time; tests hand in another
   * @param signal aborted when the batch has taken too long, the lease was lost, or the process is told to stop
   * @throws what went wrong: it is recorded, and the job backs off
   */
  run(now: Date, signal: AbortSignal, cursor: JobCursor | null): Promise<BatchResult>;
}

/** Longest that a batch takes which does not say so itself. */
export const MAX_BATCH_MS = 20_000;

/** The jobs of one installation. */
export class JobSet {
  constructor(readonly jobs: readonly Job[]) {}
}
