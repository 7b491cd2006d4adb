import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type ExportedFile, fileNameOf, type Format, FORMAT_NAMES } from '../export.js';
import { csvLine } from '../../validation/formats.js';
import type { Column } from '../rows/columns.js';
import { GzipFile } from './gzip-file.js';
import type { ParquetFile } from './parquet-file.js';

/** Where the parts of an export go, and what they have. */
export interface PartPlace<Row> {
  readonly folder: string;
  readonly id: string;
  readonly columns: readonly Column<Row>[];
}

/** Some of the rows of an export, in every format. */
export class Part<Row> {
  rows = 0;

  private constructor(
    private readonly place: PartPlace<Row>,
    private readonly number: number,
    private readonly ndjson: GzipFile,
    private readonly csv: GzipFile,
    private readonly parquet: ParquetFile<Row>,
  ) {}

  /** @param number from 1 */
  static async begin<Row>(place: PartPlace<Row>, number: number): Promise<Part<Row>> {
    // Its library is fifty files, for which no start of a service has to wait.
    const { ParquetFile } = await import('./parquet-file.js');
    const pathOf = (format: Format) => join(place.folder, fileNameOf(place.id, number, format));
    const csv = new GzipFile(pathOf('csv.gz'));
    void csv.add(csvLine(place.columns.map(({ name }) => name)));
    const ndjson = new GzipFile(pathOf('ndjson.gz'));
    return new Part(place, number, ndjson, csv, new ParquetFile(pathOf('parquet'), place.columns));
  }

  /**
   * @param line the row as JSON, with the end of the line
   * @returns what is to be waited for before the next one, now and then
   */
  add(row: Row, line: string): Promise<unknown> | undefined {
    this.rows += 1;
    const ndjson = this.ndjson.add(line);
    const csv = this.csv.add(csvLine(this.place.columns.map(({ of }) => of(row))));
    const parquet = this.parquet.add(row);
    return ndjson || csv || parquet ? Promise.all([ndjson, csv, parquet].filter(isWait)) : undefined;
  }

  /** Brings it to disk. @returns its files */
  async close(): Promise<ExportedFile[]> {
    await Promise.all([this.ndjson.close(), this.csv.close(), this.parquet.close()]);
    const { folder, id } = this.place;
    return Promise.all(
      FORMAT_NAMES.map(async (format) => {
        const name = fileNameOf(id, this.number, format);
        const path = join(folder, name);
        return {
          name,
          format,
          rows: this.rows,
          bytes: (await stat(path)).size,
          sha256: await sha256OfFile(path),
        };
      }),
    );
  }

  /** Lets go of it unfinished. */
  async abandon(): Promise<void> {
    await Promise.all([this.ndjson.abandon(), this.csv.abandon()]);
  }
}

const isWait = (wait: Promise<void> | undefined) => wait !== undefined;

/** In hexadecimal digits. */
export async function sha256OfFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}
