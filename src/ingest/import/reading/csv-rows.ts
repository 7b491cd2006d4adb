import { CsvError, parse, type Parser } from 'csv-parse';
import { ImportError } from './import-error.js';

export interface CsvRow {
  readonly cells: readonly string[];
  /** Counted from 1, the header included; of a row that spans lines, the last one. */
  readonly line: number;
}

/** Rows of lists are under 100 bytes. A longer one is not buffered: the file is not a list of names. */
export const MAX_ROW_BYTES = 16_384;

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const QUOTE = 0x22;
const BYTE_ORDER_MARK = '\ufeff';

/**
 * The rows of a CSV stream (RFC 4180; any line ending, a byte order mark, blank lines skipped), in batches as they
 * come.
 *
 * csv-parse takes 2.9 s for a million rows; lists of names hardly ever have a quote, and without one a row is a line
 * cut at the commas (0.3 s). So lines are cut until the first quote in the stream, and csv-parse reads from there.
 * That both read the same rows is a property test.
 *
 * @throws {ImportError} naming the line, when the text is not CSV or a row is out of bounds
 */
export async function* readCsvRows(chunks: AsyncIterable<Buffer>): AsyncGenerator<CsvRow[]> {
  const plain = new PlainLines();
  let quoted: QuotedRows | undefined;
  for await (const chunk of chunks) {
    if (quoted) {
      yield await quoted.write(chunk);
      continue;
    }
    const { rows, remainder } = plain.write(chunk);
    yield rows;
    if (remainder) {
      quoted = new QuotedRows(plain.line);
      yield await quoted.write(remainder);
    }
  }
  yield quoted ? await quoted.end() : plain.end();
}

/** Cuts text without quotes into rows. */
class PlainLines {
  /** How many lines have been read. */
  line = 0;
  private rest: Buffer = Buffer.alloc(0);

  /** @returns the rows of the complete lines, and the text from the line with the first quote on */
  write(chunk: Buffer): { rows: CsvRow[]; remainder?: Buffer } {
    const bytes = this.rest.length > 0 ? Buffer.concat([this.rest, chunk]) : chunk;
    const quoteAt = bytes.indexOf(QUOTE);
    const end = endOfLines(quoteAt === -1 ? bytes : bytes.subarray(0, quoteAt));
    const rows = this.cut(bytes.toString('utf8', 0, end));
    this.rest = bytes.subarray(end);
    if (quoteAt !== -1) return { rows, remainder: this.rest };
    if (this.rest.length > MAX_ROW_BYTES) throw tooLong(this.line + 1);
    return { rows };
  }

  end(): CsvRow[] {
    return this.rest.length > 0 ? this.cut(this.rest.toString('utf8')) : [];
  }

  private cut(text: string): CsvRow[] {
    const lines = text.includes('\r') ? text.split(/\r\n|\n|\r/) : text.split('\n');
    // What follows the last line ending is no line.
    if (lines.at(-1) === '') lines.pop();
    const rows: CsvRow[] = [];
    for (let text of lines) {
      this.line++;
      if (text.length > MAX_ROW_BYTES) throw tooLong(this.line);
      if (this.line === 1 && text.startsWith(BYTE_ORDER_MARK)) text = text.slice(1);
      if (text.trim() !== '') rows.push({ cells: text.split(','), line: this.line });
    }
    return rows;
  }
}

// A carriage return at the very end may be half of a line ending; it waits for the next chunk.
function endOfLines(bytes: Buffer): number {
  const carriageReturn = bytes.length > 1 ? bytes.lastIndexOf(CARRIAGE_RETURN, bytes.length - 2) : -1;
  return Math.max(bytes.lastIndexOf(LINE_FEED), carriageReturn) + 1;
}

/** csv-parse, told that some lines have been read before. */
class QuotedRows {
  private rows: CsvRow[] = [];
  private lastLine: number;
  /** Line endings that csv-parse has counted twice. */
  private twice = 0;
  private readonly parser: Parser;

  constructor(linesBefore: number) {
    this.lastLine = linesBefore;
    this.parser = parse({
      bom: linesBefore === 0,
      // Found out from the first line otherwise, and a mixed file would keep carriage returns in its cells.
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
      max_record_size: MAX_ROW_BYTES,
      on_record: (cells: string[], { lines }) => {
        // Inside quotes it counts a carriage return and the line feed behind it as two lines.
        this.twice += cells.join().split('\r\n').length - 1;
        this.lastLine = linesBefore + lines - this.twice;
        if (cells.length > 1 || cells[0]?.trim()) this.rows.push({ cells, line: this.lastLine });
        // Nothing goes through the stream's own queue, so it never pauses.
        return null;
      },
    });
    this.parser.on('error', () => undefined).resume();
  }

  async write(chunk: Buffer): Promise<CsvRow[]> {
    await this.run((done) => this.parser.write(chunk, done));
    return this.take();
  }

  async end(): Promise<CsvRow[]> {
    await this.run((done) => {
      this.parser.once('end', () => done()).once('error', done);
      this.parser.end();
    });
    return this.take();
  }

  private take(): CsvRow[] {
    const rows = this.rows;
    this.rows = [];
    return rows;
  }

  private run(step: (done: (error?: Error | null) => void) => void): Promise<void> {
    return new Promise((resolve, reject) =>
      step((error) => (error ? reject(this.explain(error)) : resolve())),
    );
  }

  private explain(error: Error): Error {
    if (!(error instanceof CsvError)) return error;
    const line = this.lastLine + 1;
    switch (error.code) {
      case 'CSV_QUOTE_NOT_CLOSED':
        return new ImportError(`A quote that opens on line ${line} is never closed.`);
      case 'CSV_MAX_RECORD_SIZE':
        return tooLong(line);
      case 'CSV_INVALID_CLOSING_QUOTE':
        return new ImportError(
          `On line ${line} something follows a closing quote; a quote inside a cell is written twice.`,
        );
      case 'INVALID_OPENING_QUOTE':
        return new ImportError(
          `On line ${line} a quote stands inside a cell; write the whole cell in quotes.`,
        );
      default:
        return new ImportError(`Line ${line} is not CSV: ${error.message}`);
    }
  }
}

function tooLong(line: number): ImportError {
  return new ImportError(
    `Line ${line} is longer than ${MAX_ROW_BYTES} bytes, or a quote opened there is never closed.`,
  );
}
