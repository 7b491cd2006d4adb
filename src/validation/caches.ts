/**
 * Works it out when it is first asked for, and keeps it: what the first answer of a service does not need is not
 * waited for at its start.
 */
export function once<Value extends object | string>(work: () => Value): () => Value {
  let kept: Value | undefined;
  return () => (kept ??= work());
}

/** The same for asynchronous work. A failure is not kept: the next call tries again. */
export function onceDone<Value>(work: () => Promise<Value>): () => Promise<Value> {
  let kept: Promise<Value> | undefined;
  return () =>
    (kept ??= work().catch((error: unknown) => {
      kept = undefined;
      throw error;
    }));
}

/** Of the keys that there is room for. */
const EVICTED_SHARE = 1 / 16;

/**
 * Takes the oldest keys out of a full map or set. A large one loses several at once, as V8 finds the oldest key by reading
 * the places of all keys that were deleted before it: with 100,000 keys that took 48 us.
 *
 * @returns the keys
 */
export function makeRoom<Key>(kept: Map<Key, unknown> | Set<Key>, room: number): readonly Key[] {
  if (kept.size < room) return [];
  const left = room - Math.ceil(room * EVICTED_SHARE);
  const evicted: Key[] = [];
  // Both remember the order in which keys were added.
  for (const oldest of kept.keys()) {
    if (kept.size <= left) break;
    kept.delete(oldest);
    evicted.push(oldest);
  }
  return evicted;
}

/** A bounded map: setting a new key when it is full evicts the oldest ones. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  constructor(private readonly room: number) {
    super();
  }

  override set(key: Key, value: Value): this {
    // A key that is set again becomes the newest.
    this.delete(key);
    makeRoom(this, this.room);
    return super.set(key, value);
  }
}
