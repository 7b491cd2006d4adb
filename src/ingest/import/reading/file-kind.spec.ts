import { HEAD_BYTES, notAList } from './file-kind.js';

/** The head of an archive whose first entry has that name. */
const zip = (name: string) =>
  Buffer.concat([Buffer.from('504b0304', 'hex'), Buffer.alloc(26), Buffer.from(name)]).subarray(
    0,
    HEAD_BYTES,
  );

describe('what is no list', () => {
  it.each([
    [zip('2026-11-22.csv'), 'It is a zip archive. Unpack it and import the CSV file in it.'],
    [
      zip('[Content_Types].xml'),
      'It is an Excel workbook (.xlsx). Save the sheet as "CSV UTF-8" and import that.',
    ],
    [
      zip('xl/workbook.xml'),
      'It is an Excel workbook (.xlsx). Save the sheet as "CSV UTF-8" and import that.',
    ],
    [
      zip('mimetypeapplication/vnd.oasis.opendocument.spreadsheet'),
      'It is an OpenDocument spreadsheet (.ods). Save the sheet as "CSV UTF-8" and import that.',
    ],
    [Buffer.from('d0cf11e0a1b11ae10000', 'hex'), expect.stringContaining('.xls')],
    [Buffer.from('%PDF-1.7'), expect.stringContaining('a PDF')],
    [Buffer.from('BZh91AY'), expect.stringContaining('bzip2')],
  ])('%#: is named, with what to do', (head, sentence) => {
    expect(notAList(head)).toEqual(sentence);
  });

  it.each(['domain\n', 'Date,Eligible Purge Time,Domain Name\n', '\ufeffdomain\n', '', 'PK.com.au\n'])(
    'and %j may be one',
    (text) => {
      expect(notAList(Buffer.from(text))).toBeNull();
    },
  );
});
