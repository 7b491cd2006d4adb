import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip, type Gzip } from 'node:zlib';
import { csvLine } from '../validation/formats.js';
import {
  FILE_MODE,
  type ExportedFile,
  fileNameOf,
  type Format,
  FORMAT_NAMES,
  MAX_PART_ROWS,
} from './export.repository.js';
import type { Column } from './exported-rows.js';
import type { ParquetFile } from './parquet-file.js';

export interface Written {
  readonly rows: number;
  /** Of all lines, uncompressed. */
  readonly ndjsonSha256: string;
  readonly files: readonly ExportedFile[];
}

/** Writes the rows of one export into a new folder, part by part. An export without rows has one part all the same. */
export class ExportWriter<Row> {
  private readonly hash = createHash('sha256');
  private readonly files: ExportedFile[] = [];
  private parts = 1;
  private rows = 0;

  private constructor(
    private readonly place: PartPlace<Row>,
    private part: Part<Row>,
    private readonly maxPartRows: number,
  ) {}

  static async begin<Row>(place: PartPlace<Row>, maxPartRows = MAX_PART_ROWS): Promise<ExportWriter<Row>> {
    await mkdir(place.folder);
    return new ExportWriter(place, await Part.begin(place, 1), maxPartRows);
  }

  /**
   * @param json the row as JSON
   * @returns a promise when the caller has to wait before the next row; waiting for each row would take longer than
   *   writing it
   */
  add(row: Row, json: string): Promise<unknown> | undefined {
    if (this.part.rows === this.maxPartRows) return this.turn().then(() => this.write(row, json));
    return this.write(row, json);
  }

  async close(): Promise<Written> {
    this.files.push(...(await this.part.close()));
    return { rows: this.rows, ndjsonSha256: this.hash.digest('hex'), files: this.files };
  }

  async abandon(): Promise<void> {
    await this.part.abandon();
  }

  private write(row: Row, json: string): Promise<unknown> | undefined {
    this.rows += 1;
    const line = `${json}\n`;
    this.hash.update(line);
    return this.part.add(row, line);
  }

  private async turn(): Promise<void> {
    this.files.push(...(await this.part.close()));
    this.parts += 1;
    this.part = await Part.begin(this.place, this.parts);
  }
}

export interface PartPlace<Row> {
  readonly folder: string;
  readonly id: string;
  readonly columns: readonly Column<Row>[];
}

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
   * @returns a promise when the caller has to wait before the next row
   */
  add(row: Row, line: string): Promise<unknown> | undefined {
    this.rows += 1;
    const ndjson = this.ndjson.add(line);
    const csv = this.csv.add(csvLine(this.place.columns.map(({ of }) => of(row))));
    const parquet = this.parquet.add(row);
    return ndjson || csv || parquet ? Promise.all([ndjson, csv, parquet].filter(isWait)) : undefined;
  }

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

/** As small as level 6 within a twentieth, in half of its time. */
const LEVEL = 4;
/** Characters that are gathered before they are compressed. */
const MAX_GATHERED = 64 * 1024;

/** A new file of compressed text. What it has is on disk when it is closed. */
export class GzipFile {
  private gathered = '';

  private readonly gzip: Gzip;
  private readonly written: Promise<void>;

  constructor(path: string) {
    this.gzip = createGzip({ level: LEVEL });
    this.written = pipeline(
      this.gzip,
      createWriteStream(path, { flags: 'wx', mode: FILE_MODE, flush: true }),
    );
    // The next wait reports the error.
    this.written.catch(() => undefined);
  }

  /** @returns a promise when the caller has to wait before it adds more */
  add(text: string): Promise<void> | undefined {
    this.gathered += text;
    return this.gathered.length < MAX_GATHERED ? undefined : this.flush();
  }

  async close(): Promise<void> {
    await this.flush();
    this.gzip.end();
    await this.written;
  }

  async abandon(): Promise<void> {
    this.gzip.destroy();
    await this.written.catch(() => undefined);
  }

  private async flush(): Promise<void> {
    const text = this.gathered;
    this.gathered = '';
    if (this.gzip.write(text)) return;
    // What fails to be written (a full disk) makes no room.
    await Promise.race([once(this.gzip, 'drain'), this.written]);
  }
}
