import { DatabaseError } from 'pg';

/**
 * - `away`: the server is gone, or does not answer in time; what became of a commit nobody knows
 * - `refusing`: it is there and takes no writes; what was begun is taken back
 */
export type Unavailability = 'away' | 'refusing';

/** What every statement throws while PostgreSQL cannot serve. `cause` is what the driver or the server said. */
export class DatabaseUnavailable extends Error {
  constructor(
    readonly kind: Unavailability,
    cause: unknown,
  ) {
    super(
      kind === 'away'
        ? 'The database is away, or does not answer.'
        : `The database takes no writes: ${wordsOf(cause)}`,
      { cause },
    );
  }
}

function wordsOf(error: unknown): string {
  if (!(error instanceof DatabaseError)) return String(error);
  return error.hint === undefined ? error.message : `${error.message}. ${error.hint}`;
}
