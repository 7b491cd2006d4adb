import { ImportError, printable } from './reading/import-error.js';
import type { Listing } from '../../domains/lifecycle/listings/listing.js';
import { judgeDomainName } from '../../domains/name/domain-name.js';
import { type CsvRow, readCsvRows } from './reading/csv-rows.js';
import type { ImportSource } from './reading/import-source.js';
import { type FileSubject, type ReadingTerms, type RowLayout, rowLayoutOf } from './reading/row-layout.js';
import type { Rejects } from './rejects.js';

/** Ten times the whole of .au and more; lines are counted in 32 bits. */
const MAX_ROWS = 100_000_000;

/** A list has a few thousand rows; of more rejects their names are not kept. */
const MAX_REJECTED_NAMES = 10_000;

/** Judges the rows of a source, one batch at a time, and counts them. */
export class RowFeed {
  /** Rows below the header. */
  read = 0;
  rejected = 0;
  /** Of a drop list, the valid names of rejected rows; null when they are too many. */
  rejectedNames: string[] | null = [];
  private readonly batches: AsyncGenerator<CsvRow[]>;
  /** What came with the header. */
  private first: readonly CsvRow[] = [];
  private layout: RowLayout | undefined;

  /** @param onBatch called for every batch, some thousand rows; what it throws ends the feed */
  constructor(
    source: ImportSource,
    private readonly rejects: Rejects,
    private readonly terms: ReadingTerms,
    private readonly onBatch: () => void,
  ) {
    this.batches = readCsvRows(source.chunks());
  }

  /**
   * What the file is about, by its header. To be asked first.
   *
   * @throws {ImportError} when the source is not a list of names
   */
  async readHeader(): Promise<FileSubject> {
    for (;;) {
      const next = await this.batches.next();
      if (next.done)
        throw new ImportError('The file is empty; the first row must be a header with a column "domain".');
      const [header, ...rows] = next.value;
      try {
        this.onBatch();
        if (!header) continue;
        this.layout = rowLayoutOf(header.cells, this.terms);
      } catch (error) {
        await this.close();
        throw error;
      }
      this.first = rows;
      return this.layout.subject;
    }
  }

  /** Leaves the source when nothing below the header is to be read. */
  async close(): Promise<void> {
    await this.batches.return(undefined);
  }

  /**
   * The listings below the header, each as the text that `encodeRow` makes of it.
   *
   * @throws {ImportError} as readHeader does
   */
  async *encode(encodeRow: (listing: Listing, line: number) => string): AsyncGenerator<string> {
    const { layout } = this;
    if (!layout) throw new Error('the header is read first');
    yield* this.encodeBatch(layout, this.first, encodeRow);
    for await (const rows of this.batches) yield* this.encodeBatch(layout, rows, encodeRow);
  }

  private async *encodeBatch(
    layout: RowLayout,
    rows: readonly CsvRow[],
    encodeRow: (listing: Listing, line: number) => string,
  ): AsyncGenerator<string> {
    let batch = '';
    for (const { cells, line } of rows) {
      if (++this.read > MAX_ROWS) throw new ImportError(`The file has more than ${MAX_ROWS} rows.`);
      const listing = layout.read(cells);
      if (typeof listing === 'string') this.reject(line, cells[layout.nameAt], listing);
      else batch += encodeRow(listing, line);
    }
    await this.rejects.flush();
    this.onBatch();
    if (batch !== '') yield batch;
  }

  private reject(line: number, name: string | undefined, reason: string): void {
    this.rejected++;
    if (this.rejectedNames && this.layout?.subject === 'drops') {
      // A reserved name is rejected, but its list has not lost it.
      const judged = judgeDomainName(name);
      if (judged.ok) this.rejectedNames.push(judged.domain.domain);
      if (this.rejectedNames.length > MAX_REJECTED_NAMES) this.rejectedNames = null;
    }
    this.rejects.add({ line, text: printable(name ?? ''), reason });
  }
}
