import { Injectable } from '@nestjs/common';

/** Where the work of a key resumes: what its last run returned. */
export type WorkCursor = Readonly<Record<string, string | number | boolean | null>>;

/** One key of one kind, as a run gets it. */
export interface Work {
  readonly kind: string;
  /** What the run is about: the id of a webhook or a bulk check; empty for a kind that has a single key. */
  readonly key: string;
  readonly cursor: WorkCursor | null;
  /** Failures since the last success. */
  readonly failures: number;
  readonly isSlow: boolean;
}

export interface WorkResult {
  /**
   * When the key is due again, in milliseconds from `now`. Left out: after the kind's own interval; a kind
   * without one waits until it is woken.
   */
  readonly againInMs?: number | undefined;
  /** Replaces the cursor; left out, the cursor stays. */
  readonly cursor?: WorkCursor;
  /** Whether the key waits with the slow ones from now on. */
  readonly isSlow?: boolean;
}

/**
 * Background work. Any run may be killed at any moment and is then repeated: the work to do is read from the
 * database, never remembered. A run writes in `Database.transaction`, which is refused once another process
 * has its key.
 */
export interface Kind {
  /** The first column of `work`, and the name that operators use. */
  readonly name: string;
  /** Of a kind with a single key: from the start of a run that leaves nothing to do to the next, in milliseconds. */
  readonly everyMs?: number;
  /** From the first registration of such a kind to its first run, in milliseconds; 0 where left out. */
  readonly firstInMs?: number;
  /** A channel of PostgreSQL: its notifications make such a kind due at once. */
  readonly channel?: string;
  /** Keys that one process runs at a time; 1 where left out. */
  readonly atOnce?: number;
  /** Of these places, the most for keys whose last run was slow. Left out: no run of the kind is slow. */
  readonly slowAtOnce?: number;
  /** Longest that a run takes, in milliseconds; then the key is free for another. DEADLINE_MS where left out. */
  readonly deadlineMs?: number;
  /** Time that a run gets to end once its signal is aborted; GRACE_MS where left out. */
  readonly graceMs?: number;

  /**
   * Does one run.
   *
   * @param now the database's time; tests pass another
   * @param signal aborted at the deadline, when the key is lost, and when the process stops
   * @param markSlow to be called when the run turns out to be slow: its place is free for another that is not
   * @throws what went wrong: it is recorded, and the key backs off
   */
  run(work: Work, now: Date, signal: AbortSignal, markSlow: () => void): Promise<WorkResult>;
}

/** Every kind of the service: each has a scene in test/work/kinds. */
export type KindName =
  | 'account-purge'
  | 'app-purge'
  | 'archive-score'
  | 'audit-purge'
  | 'backup'
  | 'backup-drill'
  | 'backup-log'
  | 'backup-prune'
  | 'budget-purge'
  | 'bulk-check'
  | 'bulk-check-purge'
  | 'card-purge'
  | 'card-refund'
  | 'cube-check'
  | 'event-purge'
  | 'export'
  | 'former-sites'
  | 'gram-filing'
  | 'ledger-proof'
  | 'list-fetch'
  | 'list-fetch-purge'
  | 'missed-answers'
  | 'order-key-rotation'
  | 'order-notices'
  | 'purge'
  | 'questions'
  | 'recheck-sweep'
  | 'recheck-upkeep'
  | 'registrar-exchange-purge'
  | 'registrar-reconcile'
  | 'registrar-watch'
  | 'registration'
  | 'registry-answer-purge'
  | 'registry-cache-purge'
  | 'renewals'
  | 'request-count-purge'
  | 'stale'
  | 'top-up'
  | 'truth-sample'
  | 'watch-mail'
  | 'watch-notice-purge'
  | 'watch-outbox'
  | 'webhook'
  | 'webhook-lanes'
  | 'webhook-outbox'
  | 'webhook-purge'
  | 'word-fill'
  | 'work-purge';
export type NamedKind = Kind & { readonly name: KindName };

/** Periodic maintenance, such as the deletion of expired rows. */
export function maintenance(
  name: KindName,
  everyMs: number,
  run: (now: Date) => Promise<unknown>,
): NamedKind {
  return {
    ...{ name, everyMs, firstInMs: everyMs, deadlineMs: MAINTENANCE_DEADLINE_MS },
    run: async (_work, now) => {
      await run(now);
      return {};
    },
  };
}

const MAINTENANCE_DEADLINE_MS = 10 * 60_000;
export const DEADLINE_MS = 20_000;
export const GRACE_MS = 5_000;

/** A run had to be ended at its deadline. */
export class DeadlineError extends Error {
  constructor(deadlineMs: number) {
    super(`a run took longer than ${deadlineMs} ms`);
  }
}

const FIRST_BACK_OFF_MS = 5_000;
export const MAX_BACK_OFF_MS = 15 * 60_000;

/** The wait after a failure, the failures before it counted: 5 s, 10 s, 20 s, up to 15 minutes. */
export function backOffMs(failuresBefore: number): number {
  return Math.min(MAX_BACK_OFF_MS, FIRST_BACK_OFF_MS * 2 ** Math.min(failuresBefore, 20));
}

/** Furthest ahead that a kind with an interval is ever due. */
export function longestMs({ everyMs = 0 }: Kind): number {
  return Math.max(everyMs, MAX_BACK_OFF_MS);
}

/** The kinds that this process runs. Each room adds its own. */
@Injectable()
export class WorkKinds {
  private readonly byName = new Map<string, NamedKind>();

  add(...kinds: readonly NamedKind[]): void {
    for (const kind of kinds) {
      if (this.byName.has(kind.name)) throw new Error(`two kinds of work are named ${kind.name}`);
      this.byName.set(kind.name, kind);
    }
  }

  /** @throws {Error} for a kind that this process does not run */
  get(name: string): Kind {
    const kind = this.byName.get(name);
    if (!kind) throw new Error(`there is no work of the kind ${name}`);
    return kind;
  }

  get all(): readonly NamedKind[] {
    return [...this.byName.values()];
  }
}
