import { ImportError, printable } from './import-error.js';
import { readCsvRows } from './reading/csv-rows.js';
import type { ImportSource } from './reading/import-source.js';
import { type Listing, type RowLayout, rowLayoutOf } from './reading/row-layout.js';
import type { Rejects } from './rejects.js';

/** Ten times the whole of .au and more; lines are counted in 32 bits. */
const MAX_ROWS = 100_000_000;

/** Judges the rows of a source, one batch at a time, and counts them. */
export class RowFeed {
  /** Rows below the header. */
  read = 0;
  rejected = 0;

  /** @param onBatch called for every batch, some thousand rows; what it throws ends the feed */
  constructor(
    private readonly source: ImportSource,
    private readonly rejects: Rejects,
    private readonly now: Date,
    private readonly onBatch: () => void,
  ) {}

  /** The listings, each as the text that `encodeRow` makes of it. @throws {ImportError} when the source is not a list of names */
  async *encode(encodeRow: (listing: Listing, line: number) => string): AsyncGenerator<string> {
    let layout: RowLayout | undefined;
    for await (const rows of readCsvRows(this.source.chunks())) {
      let batch = '';
      for (const { cells, line } of rows) {
        if (!layout) {
          layout = rowLayoutOf(cells, this.now);
          continue;
        }
        if (++this.read > MAX_ROWS) throw new ImportError(`The file has more than ${MAX_ROWS} rows.`);
        const listing = layout.read(cells);
        if (typeof listing === 'string') this.reject(line, cells[layout.nameAt], listing);
        else batch += encodeRow(listing, line);
      }
      if (layout) await this.rejects.flush();
      this.onBatch();
      if (batch !== '') yield batch;
    }
    if (!layout)
      throw new ImportError('The file is empty; the first row must be a header with a column "domain".');
  }

  private reject(line: number, name: string | undefined, reason: string): void {
    this.rejected++;
    this.rejects.add({ line, text: printable(name ?? ''), reason });
  }
}
