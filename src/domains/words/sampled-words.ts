// A place takes 17 bits beside the 32 of a code: together they are a whole number that is exact.
const PLACES = 2 ** 17;
const LEAST_CODE = 2 ** 31;

/** The words of the labels of a sample, by name and by word: 4 and 8 bytes a word. */
export class SampledWords {
  private constructor(
    private readonly starts: Uint32Array,
    private readonly codes: Int32Array,
    /** A word's code and the place of a name that has it; rising. */
    private readonly postings: Float64Array,
  ) {}

  /** @param rows the codes of each name, in the order of the sample: at most 131,072 names */
  static of(rows: readonly (readonly number[])[]): SampledWords {
    const starts = new Uint32Array(rows.length + 1);
    for (const [place, row] of rows.entries()) starts[place + 1] = (starts[place] ?? 0) + row.length;
    const codes = Int32Array.from(rows.flat());
    const postings = new Float64Array(codes.length);
    for (const [place, row] of rows.entries())
      for (const [at, code] of row.entries()) postings[(starts[place] ?? 0) + at] = postingOf(code, place);
    return new SampledWords(starts, codes, postings.sort());
  }

  /** The words of the name at that place. */
  at(place: number): number[] {
    return [...this.codes.subarray(this.starts[place], this.starts[place + 1])];
  }

  /** The places of the names that have one of the words; rising. */
  having(codes: readonly number[]): Uint32Array {
    const places = new Set<number>();
    for (const code of codes)
      for (let at = this.firstFrom(postingOf(code, 0)); at < this.postings.length; at += 1) {
        const place = (this.postings[at] ?? 0) - postingOf(code, 0);
        if (place >= PLACES) break;
        places.add(place);
      }
    return Uint32Array.from(places).sort();
  }

  private firstFrom(posting: number): number {
    let [low, high] = [0, this.postings.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.postings[middle] ?? 0) < posting) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function postingOf(code: number, place: number): number {
  return (code + LEAST_CODE) * PLACES + place;
}
