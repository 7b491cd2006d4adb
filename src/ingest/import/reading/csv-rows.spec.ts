import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { type CsvRow, MAX_ROW_BYTES, readCsvRows } from './csv-rows.js';

describe('readCsvRows', () => {
  it.each([
    [
      'LF',
      'a,b\n1,2\n',
      [
        [['a', 'b'], 1],
        [['1', '2'], 2],
      ],
    ],
    [
      'CRLF',
      'a,b\r\n1,2\r\n',
      [
        [['a', 'b'], 1],
        [['1', '2'], 2],
      ],
    ],
    [
      'lone CR',
      'a,b\r1,2\r',
      [
        [['a', 'b'], 1],
        [['1', '2'], 2],
      ],
    ],
    [
      'mixed endings',
      'a\nb\r\nc\rd',
      [
        [['a'], 1],
        [['b'], 2],
        [['c'], 3],
        [['d'], 4],
      ],
    ],
    [
      'no ending at the end',
      'a\nb',
      [
        [['a'], 1],
        [['b'], 2],
      ],
    ],
    [
      'blank lines',
      '\n\na\n  \n\r\nb\n\n',
      [
        [['a'], 3],
        [['b'], 6],
      ],
    ],
    [
      'a byte order mark',
      '\ufeffa,b\n1,2',
      [
        [['a', 'b'], 1],
        [['1', '2'], 2],
      ],
    ],
    [
      'a byte order mark before a quote',
      '\ufeff"a",b\n1,2',
      [
        [['a', 'b'], 1],
        [['1', '2'], 2],
      ],
    ],
    [
      'quoted cells',
      'a,b\n"x,y","say ""hi"""\n3,4',
      [
        [['a', 'b'], 1],
        [['x,y', 'say "hi"'], 2],
        [['3', '4'], 3],
      ],
    ],
    [
      'a quoted line ending',
      'a\n"x\ny"\nz',
      [
        [['a'], 1],
        [['x\ny'], 3],
        [['z'], 4],
      ],
    ],
    [
      'quoted line endings of every kind',
      'a,b\r\n\r\n"x\r\n\r\ny",1\r\n"\n\r",2\r\n"\r\n"\r\nz,3\r\n',
      [
        [['a', 'b'], 1],
        [['x\r\n\r\ny', '1'], 5],
        [['\n\r', '2'], 8],
        [['z', '3'], 11],
      ],
    ],
    [
      'empty cells',
      'a,,\n,,\n',
      [
        [['a', '', ''], 1],
        [['', '', ''], 2],
      ],
    ],
    [
      'letters of several bytes',
      'é,日本\n"ü"\n',
      [
        [['é', '日本'], 1],
        [['ü'], 2],
      ],
    ],
    ['nothing', '', []],
  ])('reads %s, wherever the chunks are cut', async (_, text, expected) => {
    for (let size = 1; size <= Buffer.byteLength(text) + 1; size++) {
      expect((await read(text, size)).map(({ cells, line }) => [cells, line])).toEqual(expected);
    }
  });

  it.each([
    ['a\nb"c\n', 'On line 2 a quote stands inside a cell'],
    ['a\n"b"c\n', 'On line 2 something follows a closing quote'],
    ['a\nb\n"c\nd\n', 'A quote that opens on line 3 is never closed'],
    ['a\r\n"b\r\n"\r\n"c\r\n', 'A quote that opens on line 4 is never closed'],
    [`a\n${'x'.repeat(MAX_ROW_BYTES * 2)}\n`, `Line 2 is longer than ${MAX_ROW_BYTES} bytes`],
    [`"a"\nb\n${'x'.repeat(MAX_ROW_BYTES * 2)}\n`, `Line 3 is longer than ${MAX_ROW_BYTES} bytes`],
    [`a\n"${'x\n'.repeat(MAX_ROW_BYTES)}`, `Line 2 is longer than ${MAX_ROW_BYTES} bytes`],
  ])('refuses bad text %#: the message names the line', async (text, message) => {
    await expect(read(text, 1_000)).rejects.toThrow(message);
  });

  it('stops reading a line without an end', async () => {
    let given = 0;
    async function* endless() {
      for (;;) yield Buffer.alloc(1_000, (given++, 'x'));
    }
    await expect(collect(readCsvRows(endless()))).rejects.toThrow('Line 1 is longer');
    expect(given).toBeLessThan(20);
  });

  it('reads what csv-parse reads, with quotes or without', async () => {
    const plainCell = fc.string({ unit: fc.constantFrom('a', 'é', ' ', '-', ';', "'"), maxLength: 4 });
    const quotedCell = fc
      .string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r\n', ' '), maxLength: 4 })
      .map((text) => `"${text.replaceAll('"', '""')}"`);
    const rowOf = (cell: fc.Arbitrary<string>) =>
      fc.array(cell, { minLength: 1, maxLength: 4 }).map((row) => row.join(','));
    const ending = fc.constantFrom('\n', '\r\n', '\r');
    const row = fc.oneof(
      { weight: 4, arbitrary: rowOf(plainCell) },
      { weight: 1, arbitrary: rowOf(quotedCell) },
    );
    const file = fc.array(fc.tuple(row, ending), { maxLength: 12 }).map((rows) => rows.flat().join(''));

    await fc.assert(
      fc.asyncProperty(file, fc.integer({ min: 1, max: 9 }), async (text, size) => {
        const expected = parse(text, {
          relax_column_count: true,
          record_delimiter: ['\r\n', '\n', '\r'],
        }).filter((cells: string[]) => cells.length > 1 || cells[0]?.trim());
        expect((await read(text, size)).map((row) => row.cells)).toEqual(expected);
      }),
      { numRuns: 500 },
    );
  });
});

function read(text: string, chunkSize: number): Promise<CsvRow[]> {
  const bytes = Buffer.from(text);
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += chunkSize) yield bytes.subarray(at, at + chunkSize);
  }
  return collect(readCsvRows(chunks()));
}

async function collect(batches: AsyncIterable<CsvRow[]>): Promise<CsvRow[]> {
  const rows: CsvRow[] = [];
  for await (const batch of batches) rows.push(...batch);
  return rows;
}
