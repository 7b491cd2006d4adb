/** What a file is that is no text, by its first bytes: the mistakes that people make with lists. */
const KINDS: readonly (readonly [head: string, what: string, remedy: string])[] = [
  ['504b0304', 'a zip archive', 'Unpack it and import the CSV file in it'],
  ['504b0506', 'an empty zip archive', 'Import a CSV file'],
  [
    'd0cf11e0a1b11ae1',
    'an Excel workbook of the old kind (.xls)',
    'Save the sheet as "CSV UTF-8" and import that',
  ],
  ['50415231', 'a Parquet file', 'Export it as CSV'],
  ['25504446', 'a PDF', 'Import a CSV file'],
  ['425a68', 'packed with bzip2', 'Unpack it, or pack it with gzip'],
  ['28b52ffd', 'packed with Zstandard', 'Unpack it, or pack it with gzip'],
  ['fd377a585a00', 'packed with xz', 'Unpack it, or pack it with gzip'],
  ['377abcaf271c', 'a 7-Zip archive', 'Unpack it and import the CSV file in it'],
];

const ZIP = '504b0304';
/** As the first entries of an archive are named that a spreadsheet program wrote (ECMA-376, part 2). */
const WORKBOOKS: readonly (readonly [name: string, what: string])[] = [
  ['[Content_Types].xml', 'an Excel workbook (.xlsx)'],
  ['xl/', 'an Excel workbook (.xlsx)'],
  ['mimetypeapplication/vnd.oasis.opendocument.spreadsheet', 'an OpenDocument spreadsheet (.ods)'],
];

/** Bytes that tell: the name of an archive's first entry stands behind 30 others. */
export const HEAD_BYTES = 96;

/** @returns the kind of a file with these first bytes and what to do, as one sentence; null if it may be a list */
export function notAList(head: Buffer): string | null {
  const hex = head.subarray(0, 8).toString('hex');
  const found = KINDS.find(([start]) => hex.startsWith(start));
  if (!found) return null;
  const [start, what, remedy] = found;
  const workbook =
    start === ZIP && WORKBOOKS.find(([name]) => head.subarray(30).toString('latin1').startsWith(name));
  return workbook
    ? `It is ${workbook[1]}. Save the sheet as "CSV UTF-8" and import that.`
    : `It is ${what}. ${remedy}.`;
}
