import { pipeline, type Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { createGunzip } from 'node:zlib';

/** The lines of a stream of text, as many at a time as its chunks have. */
export async function* linesOf(source: AsyncIterable<Buffer>): AsyncGenerator<string[], void> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  for await (const chunk of source) {
    const lines = (rest + decoder.write(chunk)).split('\n');
    rest = lines.pop() ?? '';
    if (lines.length > 0) yield lines;
  }
  if (rest !== '') throw new Error('a text of lines breaks off in the middle of one');
}

/** The lines of a compressed text. */
export function unpackedLines(packed: Readable): AsyncGenerator<string[], void> {
  // Whoever reads the lines is told of what goes wrong with either.
  return linesOf(pipeline(packed, createGunzip(), () => undefined));
}

const ESCAPES: Readonly<Record<string, string>> = {
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

/** The fields of a line that COPY wrote in its text format. */
export function copyFields(line: string): (string | null)[] {
  const fields: (string | null)[] = line.split('\t');
  if (!line.includes('\\')) return fields;
  return fields.map((field) => {
    if (field === '\\N') return null;
    return field?.replace(/\\(.)/g, (_, letter: string) => ESCAPES[letter] ?? letter) ?? null;
  });
}
