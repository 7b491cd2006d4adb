/** The embedded PostgreSQL cannot be used; the message is for the operator and says what to do. */
export class EmbeddedPostgresError extends Error {
  constructor(problem: string, options: { advice?: string; cause?: unknown } = {}) {
    super(`${problem} ${options.advice ?? OR_OWN_SERVER}`, { cause: options.cause });
  }
}

const OR_OWN_SERVER = 'To use a PostgreSQL server of your own instead, set DATABASE_URL.';
