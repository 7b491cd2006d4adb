import { isObject } from '../../validation/unknown-values.js';

/**
 * A backup is gzipped text: a line of JSON about all of it; for each table a line that names it, its rows as COPY writes them, `\.` alone on a
 * line (which no row is), and a line with their number and checksum; in the end a line with the sequences.
 */
export const FORMAT = 'bowerbird backup 1';

export interface Head {
  readonly format: string;
  readonly version: string;
  readonly taken_at: string;
  /** By their names, the last one says which schema it is. */
  readonly migrations: readonly string[];
  readonly tables: number;
}

export interface TableHead {
  readonly table: string;
  readonly columns: readonly string[];
}

export interface TableFoot {
  readonly rows: number;
  readonly sha256: string;
}

export interface Foot {
  readonly sequences: Readonly<Record<string, string>>;
}

export const END_OF_ROWS = '\\.\n';
const END_WITHIN = `\n${END_OF_ROWS}`;
const MAX_LINE_BYTES = 1_000_000;

/** Reads a backup from its beginning to its end, however it comes in chunks. */
export class BackupReader {
  private rest: Buffer = Buffer.alloc(0);
  private readonly chunks: AsyncIterator<Buffer>;

  constructor(stream: AsyncIterable<Buffer>) {
    this.chunks = stream[Symbol.asyncIterator]();
  }

  /** The next line, which is an object in JSON. @throws {Error} when it is none */
  async object(): Promise<Record<string, unknown>> {
    const line = await this.line();
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch (cause) {
      throw new Error('The file is no backup, or is damaged.', { cause });
    }
    if (!isObject(value)) throw new Error('The file is no backup, or is damaged.');
    return value;
  }

  /** The rows that follow, as they are, to be read to their end. */
  async *rows(): AsyncGenerator<Buffer> {
    for (let isAtStart = true; ;) {
      if (isAtStart && this.rest.indexOf(END_OF_ROWS) === 0) {
        this.rest = this.rest.subarray(END_OF_ROWS.length);
        return;
      }
      const end = this.rest.indexOf(END_WITHIN);
      if (end >= 0) {
        yield this.rest.subarray(0, end + 1);
        this.rest = this.rest.subarray(end + END_WITHIN.length);
        return;
      }
      // What may be the beginning of the end is kept back.
      const sure = this.rest.length - END_OF_ROWS.length;
      if (sure > 0) {
        yield this.rest.subarray(0, sure);
        this.rest = this.rest.subarray(sure);
        isAtStart = false;
      }
      await this.more();
    }
  }

  private async line(): Promise<string> {
    for (;;) {
      const end = this.rest.indexOf('\n');
      if (end >= 0) {
        const line = this.rest.toString('utf8', 0, end);
        this.rest = this.rest.subarray(end + 1);
        return line;
      }
      if (this.rest.length > MAX_LINE_BYTES) throw new Error('The file is no backup, or is damaged.');
      await this.more();
    }
  }

  private async more(): Promise<void> {
    const next = await this.chunks.next();
    if (next.done === true) throw new Error('The backup is cut off: its end is missing.');
    this.rest = this.rest.length === 0 ? next.value : Buffer.concat([this.rest, next.value]);
  }
}
