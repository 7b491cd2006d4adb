/**
 * Whether the value has members to look at: an object, and no list. By shape and not by instanceof, because under Jest the
 * errors of Node's own modules come from another realm.
 */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
