import { fileWriter, ParquetWriter } from 'hyparquet-writer';
import { closeSync, openSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { FILE_MODE } from './export.repository.js';
import type { Column, Cell } from './exported-rows.js';

type SchemaElement = ConstructorParameters<typeof ParquetWriter>[0]['schema'][number];

/** Rows that are gathered and encoded together: 20 columns of them take 10 MB. */
const ROW_GROUP_ROWS = 20_000;
const DAY_MS = 86_400_000;

const TYPES: Readonly<Record<Column<unknown>['type'], Omit<SchemaElement, 'name'>>> = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  link: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  // Of a column that is written as text of JSON the writer would write the text as JSON once more.
  json: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  integer: { type: 'INT32' },
  boolean: { type: 'BOOLEAN' },
  date: { type: 'INT32', converted_type: 'DATE' },
  // The converted type alone says nothing of UTC: readers take the time for that of their own zone.
  time: {
    type: 'INT64',
    converted_type: 'TIMESTAMP_MILLIS',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
  },
};

/** A new Parquet file, compressed with Snappy. What it has is on disk when it is closed. */
export class ParquetFile<Row> {
  private readonly writer: ParquetWriter;
  private gathered: (Cell | bigint)[][];
  private rows = 0;

  constructor(
    private readonly path: string,
    private readonly columns: readonly Column<Row>[],
  ) {
    const elements = columns.map(({ name, type, nullable }) => ({
      ...TYPES[type],
      name,
      repetition_type: nullable ? ('OPTIONAL' as const) : ('REQUIRED' as const),
    }));
    const schema = [{ name: 'root', num_children: columns.length }, ...elements];
    // The writer opens it again and keeps its mode.
    closeSync(openSync(path, 'wx', FILE_MODE));
    this.writer = new ParquetWriter({ writer: fileWriter(path), schema, createdBy: 'bowerbird' });
    this.gathered = columns.map(() => []);
  }

  add(row: Row): Promise<void> | undefined {
    for (const [place, { type, of }] of this.columns.entries())
      this.gathered[place]?.push(cellOf(type, of(row)));
    this.rows += 1;
    return this.rows < ROW_GROUP_ROWS ? undefined : this.flush();
  }

  async close(): Promise<void> {
    await this.flush();
    await this.writer.finish();
    const handle = await open(this.path, 'r+');
    await handle.sync();
    await handle.close();
  }

  private async flush(): Promise<void> {
    if (this.rows === 0) return;
    const columnData = this.columns.map(({ name }, place) => ({ name, data: this.gathered[place] ?? [] }));
    this.gathered = this.columns.map(() => []);
    this.rows = 0;
    await this.writer.write({ columnData, rowGroupSize: ROW_GROUP_ROWS });
  }
}

function cellOf(type: Column<unknown>['type'], cell: Cell): Cell | bigint {
  if (typeof cell !== 'string') return cell;
  if (type === 'date') return Date.parse(cell) / DAY_MS;
  return type === 'time' ? BigInt(Date.parse(cell)) : cell;
}
