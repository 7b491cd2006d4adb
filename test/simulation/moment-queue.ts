/** Names by the moment at which they are due, the earliest first: a binary heap in which a name can be moved. */
export class MomentQueue {
  private readonly heap: Int32Array;
  private readonly place: Int32Array;
  private readonly moment: Float64Array;
  private size = 0;

  constructor(capacity: number) {
    this.heap = new Int32Array(capacity);
    this.place = new Int32Array(capacity).fill(-1);
    this.moment = new Float64Array(capacity);
  }

  /** The name that is due first; -1: none is left. */
  get first(): number {
    return this.size === 0 ? -1 : (this.heap[0] ?? -1);
  }

  momentOf(name: number): number {
    return this.moment[name] ?? Infinity;
  }

  has(name: number): boolean {
    return this.place[name] !== -1;
  }

  /** Names that are due, in no order; those of the first places of the heap where they are more. */
  listUpTo(moment: number, limit: number): number[] {
    const found: number[] = [];
    const places = [0];
    for (let looked = 0; looked < places.length && found.length < limit; looked += 1) {
      const place = places[looked] ?? 0;
      const name = place < this.size ? (this.heap[place] ?? -1) : -1;
      if (name === -1 || this.momentOf(name) > moment) continue;
      found.push(name);
      places.push(2 * place + 1, 2 * place + 2);
    }
    return found;
  }

  /** Adds the name, or moves it. */
  set(name: number, moment: number): void {
    const before = this.momentOf(name);
    this.moment[name] = moment;
    if (!this.has(name)) {
      this.size += 1;
      this.rise(name, this.size - 1);
    } else if (moment < before) this.rise(name, this.place[name] ?? 0);
    else this.sink(name, this.place[name] ?? 0);
  }

  remove(name: number): void {
    const place = this.place[name] ?? -1;
    if (place === -1) return;
    this.place[name] = -1;
    this.size -= 1;
    const last = this.heap[this.size] ?? -1;
    if (last === name) return;
    if (this.momentOf(last) < this.momentOf(name)) this.rise(last, place);
    else this.sink(last, place);
  }

  private rise(name: number, from: number): void {
    const moment = this.momentOf(name);
    let place = from;
    while (place > 0) {
      const above = (place - 1) >> 1;
      const other = this.heap[above] ?? 0;
      if (this.momentOf(other) <= moment) break;
      this.put(other, place);
      place = above;
    }
    this.put(name, place);
  }

  private sink(name: number, from: number): void {
    const moment = this.momentOf(name);
    let place = from;
    for (;;) {
      let below = 2 * place + 1;
      if (below >= this.size) break;
      if (
        below + 1 < this.size &&
        this.momentOf(this.heap[below + 1] ?? 0) < this.momentOf(this.heap[below] ?? 0)
      ) {
        below += 1;
      }
      const other = this.heap[below] ?? 0;
      if (this.momentOf(other) >= moment) break;
      this.put(other, place);
      place = below;
    }
    this.put(name, place);
  }

  private put(name: number, place: number): void {
    this.heap[place] = name;
    this.place[name] = place;
  }
}
