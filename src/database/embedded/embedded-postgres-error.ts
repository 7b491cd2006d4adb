/** The embedded PostgreSQL cannot be used; the message is for the operator and says what to do. */
export class EmbeddedPostgresError extends Error {
  constructor(problem: string, options: { advice?: string; cause?: unknown } = {}) {
    super(`${problem} ${options.advice ?? OR_OWN_SERVER}`, { cause: options.cause });
  }
}

const OR_OWN_SERVER = 'To use a PostgreSQL server of your own instead, set DATABASE_URL.';

/** Whether this is a system error with one of these codes. */
export function hasCode(error: unknown, ...codes: string[]): boolean {
  // Not instanceof: under Jest the errors of Node's own modules come from another realm.
  return typeof error === 'object' && error !== null && 'code' in error && codes.includes(String(error.code));
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
