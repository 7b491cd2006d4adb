/** After {@link LONG_IN_A_ROW} longer batches the next is half as large, after a shorter one a tenth larger. */
interface Bounds {
  readonly first: number;
  readonly least: number;
  readonly most: number;
  readonly longMs: number;
}

/** Rows of the file that a batch takes. Every change of the dataset waits for the row of `dataset` that it locks. */
const ROWS: Bounds = { first: 300, least: 200, most: 500, longMs: 25 };
/** Names of the dataset that it changes: checks of them wait until it commits. */
const KNOWN: Bounds = { first: 150, least: 100, most: 500, longMs: 60 };

/** A busy machine makes single batches long, and smaller ones would be no shorter: most of it is the commit. */
const LONG_IN_A_ROW = 3;
const GROWTH = 1.1;
/** Names that are taken and then put back were read for nothing. */
const SPARE = 1.1;

/** What a batch locked, and for how long. */
export interface BatchLocks {
  readonly rows: number;
  readonly known: number;
  /** The names that it changed. */
  readonly namesMs: number;
  /** The row of `dataset`. */
  readonly datasetMs: number;
}

/**
 * Sizes of an import's batches. A large batch costs less for each row, a small batch has short locks.
 */
export class BatchSize {
  private readonly mostRows: Size;
  private readonly mostKnown: Size;
  /** Of the rows of the last batch, how many were names that it changed. */
  private knownShare = 1;

  /** @param limit on both */
  constructor(limit = ROWS.most) {
    this.mostRows = new Size(ROWS, limit);
    this.mostKnown = new Size(KNOWN, limit);
  }

  get known(): number {
    return this.mostKnown.value;
  }

  get rows(): number {
    const wanted = Math.ceil((this.known * SPARE) / Math.max(this.knownShare, 1 / ROWS.most));
    return Math.min(this.mostRows.value, Math.max(wanted, this.known));
  }

  adapt({ rows, known, namesMs, datasetMs }: BatchLocks): void {
    if (rows > 0) this.knownShare = known / rows;
    this.mostRows.adapt(datasetMs);
    if (known > 0) this.mostKnown.adapt(namesMs);
  }
}

class Size {
  value: number;
  private longInARow = 0;

  constructor(
    private readonly bounds: Bounds,
    private readonly limit: number,
  ) {
    this.value = this.within(bounds.first);
  }

  adapt(ms: number): void {
    this.longInARow = ms > this.bounds.longMs ? this.longInARow + 1 : 0;
    if (this.longInARow === 0) this.value = this.within(Math.ceil(this.value * GROWTH));
    if (this.longInARow < LONG_IN_A_ROW) return;
    this.value = this.within(this.value >> 1);
    this.longInARow = 0;
  }

  private within(value: number): number {
    return Math.min(Math.max(value, this.bounds.least), this.bounds.most, this.limit);
  }
}
