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

/** A bounded map: setting a new key when it is full evicts the oldest one. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  constructor(private readonly room: number) {
    super();
  }

  override set(key: Key, value: Value): this {
    // A key that is set again becomes the newest.
    this.delete(key);
    // A Map remembers the order in which its keys were set.
    const oldest = this.keys().next();
    if (this.size >= this.room && !oldest.done) this.delete(oldest.value);
    return super.set(key, value);
  }
}
