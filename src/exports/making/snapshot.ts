import type { Export } from '../export.js';
import { CHANGE_COLUMNS, NAME_COLUMNS } from '../rows/columns.js';
import { linesOf } from '../rows/copy-text.js';
import { readCopyRow } from '../rows/exported-name.js';
import { SortedLines } from '../rows/sorted-lines.js';
import { DiffWriter, snapshotLines } from './diff-writer.js';
import { beginWriter, exportOf, type Making } from './making.js';

/**
 * Writes all names as they are at this moment, and what is different from the base: both from the same lines, so that base and
 * diff give the snapshot.
 *
 * @param base null: there is none, or it is damaged, and there is no diff
 */
export async function makeSnapshot(
  making: Making,
  base: Export | null,
  lastEvent: number,
): Promise<Export[]> {
  const { session, madeAt, signal, onRows } = making;
  const writer = await beginWriter(making, 'snapshot', NAME_COLUMNS);
  const diff = base && (await beginDiff(making, base));
  try {
    const range = base && { after: base.lastEvent, upTo: lastEvent };
    for await (const lines of linesOf(session.copyNames(range))) {
      signal?.throwIfAborted();
      for (const line of lines) {
        const { row, events } = readCopyRow(line);
        const json = JSON.stringify(row);
        const wait = writer.add(row, json);
        if (wait) await wait;
        if (diff) await diff.add(row, json, events);
      }
      onRows(lines.length);
    }
    const snapshot = await writer.close();
    const { ndjsonSha256 } = snapshot;
    const whole = exportOf('snapshot', madeAt, { first: 1, last: lastEvent }, snapshot, { ndjsonSha256 });
    if (!diff) return [whole];
    const events = { first: base.lastEvent + 1, last: lastEvent };
    return [whole, exportOf('diff', madeAt, events, await diff.close(), { base: base.id, ndjsonSha256 })];
  } catch (error) {
    await Promise.allSettled([writer.abandon(), diff?.abandon()]);
    throw error;
  }
}

async function beginDiff(making: Making, base: Export): Promise<DiffWriter> {
  const lines = new SortedLines(snapshotLines(making.store, base));
  return new DiffWriter(await beginWriter(making, 'diff', CHANGE_COLUMNS), lines);
}
