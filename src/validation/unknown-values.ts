/**
 * Whether the value has members to look at: an object, and no list. By shape and not by instanceof, because
 * under Jest the errors of Node's own modules come from another realm.
 */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

// Facts about a thrown value of any type. Not by instanceof Error alone: under Jest the errors of Node's own
// modules come from another realm.

/** Whether this is a system error with one of these codes. */
export function hasCode(error: unknown, ...codes: string[]): boolean {
  return isObject(error) && codes.includes(String(error.code));
}

/**
 * The failures that it stands for: a connection fails with one error for each address of a name; itself where it
 * is alone.
 */
export function failuresIn(error: unknown): unknown[] {
  if (isObject(error) && Array.isArray(error.errors)) return error.errors.flatMap(failuresIn);
  return [error];
}

/** What it says, without its kind where that is known. */
export function messageOf(error: unknown): string {
  return failuresIn(error)
    .map((one) => (one instanceof Error ? one.message : String(one)))
    .join('; ');
}
