import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { isObject } from '../validation/unknown-values.js';
import { readManifest } from './export-store.js';
import { SortedLines, unpackedLines } from './exported-rows.js';

/**
 * Writes the snapshot that a diff leads to.
 *
 * @throws {Error} for the operator: the diff does not follow on the snapshot, or the checksum of the result is wrong
 */
export async function applyDiffFolder(
  snapshot: string,
  diff: string,
  output: Writable,
): Promise<{ rows: number; sha256: string }> {
  const [base, change] = [await readManifest(snapshot), await readManifest(diff)];
  if (change.base !== base.id)
    throw new Error(`${change.id} begins from ${change.base ?? 'nothing'}, and not from ${base.id}.`);
  const hash = createHash('sha256');
  let rows = 0;
  const counted = async function* (texts: AsyncIterable<string>) {
    for await (const text of texts) {
      hash.update(text);
      rows += text.split('\n').length - 1;
      yield text;
    }
  };
  const lines = applyDiff(
    new SortedLines(linesIn(snapshot, await partsIn(snapshot))),
    new SortedLines(linesIn(diff, await partsIn(diff))),
  );
  await pipeline(Readable.from(counted(lines)), output);
  const sha256 = hash.digest('hex');
  if (sha256 !== change.ndjsonSha256)
    throw new Error(
      `What came out has the SHA-256 ${sha256}, and the diff says ${change.ndjsonSha256}: a file is not what it was.`,
    );
  return { rows, sha256 };
}

// Their names end with the number of the part.
async function partsIn(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => name.endsWith('.ndjson.gz')).sort();
}

async function* linesIn(folder: string, files: readonly string[]): AsyncGenerator<string[], void> {
  for (const file of files) yield* unpackedLines(createReadStream(join(folder, file)));
}

const LINES_AT_ONCE = 1_000;

/** The lines of the snapshot that a diff leads to, some at a time: the same bytes as in its files. */
export async function* applyDiff(base: SortedLines, diff: SortedLines): AsyncGenerator<string> {
  let lines: string[] = [];
  for await (const line of merged(base, diff)) {
    lines.push(`${line}\n`);
    if (lines.length < LINES_AT_ONCE) continue;
    yield lines.join('');
    lines = [];
  }
  yield lines.join('');
}

async function* merged(base: SortedLines, diff: SortedLines): AsyncGenerator<string> {
  for (;;) {
    const line = await base.peek();
    const change = await diff.peek();
    if (!line && !change) return;
    if (line && (!change || line.domain < change.domain)) {
      yield line.text;
      base.pass();
      continue;
    }
    if (line && line.domain === change?.domain) base.pass();
    const row = change && rowIn(change.text);
    if (row) yield row;
    diff.pass();
  }
}

/** The row of a line of a diff, as its bytes are. */
function rowIn(line: string): string | null {
  const change: unknown = JSON.parse(line);
  if (!isObject(change) || !Array.isArray(change.fields) || !('row' in change))
    throw new Error(
      'A line of the diff has no fields and row. Nothing was written: fetch the files of the diff again.',
    );
  return change.row === null ? null : JSON.stringify(change.row);
}
