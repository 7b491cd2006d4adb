/** Rows of the file that a batch takes. */
const FIRST_ROWS = 200;
const MIN_ROWS = 50;
const MAX_ROWS = 2_000;
/** Names of the dataset that it changes: checks of them wait until it commits. */
const FIRST_KNOWN = 100;
const MIN_KNOWN = 25;
const MAX_KNOWN = 500;

/** After a longer lock the next batch is half as large, otherwise a tenth larger. */
const LONG_NAMES_MS = 100;
/** Every change of the dataset waits for its row. */
const LONG_DATASET_MS = 30;
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
 * Sizes of an import's batches. A large batch costs less for each row, a small batch has short locks. New names are
 * locked by this import alone, so a batch may have many.
 */
export class BatchSize {
  private mostRows: number;
  private mostKnown: number;
  /** Of the rows of the last batch, how many were names that it changed. */
  private knownShare = 1;

  /** @param limit on both */
  constructor(private readonly limit = MAX_ROWS) {
    this.mostRows = this.within(FIRST_ROWS, MIN_ROWS, MAX_ROWS);
    this.mostKnown = this.within(FIRST_KNOWN, MIN_KNOWN, MAX_KNOWN);
  }

  get known(): number {
    return this.mostKnown;
  }

  get rows(): number {
    const wanted = Math.ceil((this.mostKnown * SPARE) / Math.max(this.knownShare, 1 / MAX_ROWS));
    return Math.min(this.mostRows, Math.max(wanted, this.mostKnown));
  }

  adapt({ rows, known, namesMs, datasetMs }: BatchLocks): void {
    if (rows > 0) this.knownShare = known / rows;
    this.mostRows = this.within(next(this.mostRows, datasetMs, LONG_DATASET_MS), MIN_ROWS, MAX_ROWS);
    if (known > 0)
      this.mostKnown = this.within(next(this.mostKnown, namesMs, LONG_NAMES_MS), MIN_KNOWN, MAX_KNOWN);
  }

  private within(value: number, least: number, most: number): number {
    return Math.min(Math.max(value, least), most, this.limit);
  }
}

function next(size: number, ms: number, longMs: number): number {
  return ms > longMs ? size >> 1 : Math.ceil(size * GROWTH);
}
