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
