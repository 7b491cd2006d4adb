import type { Export } from '../export.js';
import { CHANGE_COLUMNS } from '../rows/columns.js';
import { linesOf } from '../rows/copy-text.js';
import { readCopyRow } from '../rows/exported-name.js';
import { changeOf, type NameChange } from '../rows/name-change.js';
import { beginWriter, exportOf, type Making } from './making.js';

/** Writes the names that something has happened to since an event, each once, with its events and as it is now. */
export async function makeChanges(making: Making, after: number, lastEvent: number): Promise<Export> {
  const { session, madeAt, signal, onRows } = making;
  const writer = await beginWriter(making, 'changes', CHANGE_COLUMNS);
  try {
    for await (const lines of linesOf(session.copyChangedNames({ after, upTo: lastEvent }))) {
      signal?.throwIfAborted();
      for (const line of lines) {
        const { row, events } = readCopyRow(line);
        const change: NameChange = {
          domain: row.domain,
          change: changeOf(events, 'changed'),
          events,
          fields: null,
          row,
        };
        const wait = writer.add(change, JSON.stringify(change));
        if (wait) await wait;
      }
      onRows(lines.length);
    }
    return exportOf('changes', madeAt, { first: after + 1, last: lastEvent }, await writer.close(), {});
  } catch (error) {
    await Promise.allSettled([writer.abandon()]);
    throw error;
  }
}
