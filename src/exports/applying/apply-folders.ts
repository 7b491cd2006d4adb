import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { unpackedLines } from '../rows/copy-text.js';
import { SortedLines } from '../rows/sorted-lines.js';
import { readManifest } from '../store/manifest-file.js';
import { applyDiff } from './apply-diff.js';

/**
 * Writes the snapshot that a diff leads to.
 *
 * @throws {Error} for the operator: the diff does not follow on the snapshot, or something else came out than the diff says
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
