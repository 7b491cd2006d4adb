/** Works it out when it is first asked for, and keeps it: what the first answer of a service does not need is not waited for at its start. */
export function once<Value extends object | string>(work: () => Value): () => Value {
  let kept: Value | undefined;
  return () => (kept ??= work());
}

/** The same of work that takes its time. What failed is tried again by who asks next. */
export function onceDone<Value>(work: () => Promise<Value>): () => Promise<Value> {
  let kept: Promise<Value> | undefined;
  return () =>
    (kept ??= work().catch((error: unknown) => {
      kept = undefined;
      throw error;
    }));
}

/** A map with room for so many: what is set when it is full takes the place of what was set longest ago. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  constructor(private readonly room: number) {
    super();
  }

  override set(key: Key, value: Value): this {
    // Whatever is set anew is the newest.
    this.delete(key);
    // A Map remembers the order in which its keys were set.
    const oldest = this.keys().next();
    if (this.size >= this.room && !oldest.done) this.delete(oldest.value);
    return super.set(key, value);
  }
}
