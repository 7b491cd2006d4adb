import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { type ExportedFile, MAX_PART_ROWS } from '../export.js';
import { Part, type PartPlace } from './part.js';

/** What was written. */
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
   * @returns what is to be waited for before the next one, now and then: to wait for every row would take longer than to write it
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
