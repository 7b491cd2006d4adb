import { isObject } from '../../validation/unknown-values.js';
import type { SortedLines } from '../rows/sorted-lines.js';

/** Lines that are handed on together. */
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
