import type { Export } from '../export.js';
import { CHANGE_COLUMNS } from '../rows/columns.js';
import { linesOf } from '../rows/copy-text.js';
import { readCopyRow, withheldIn } from '../rows/exported-name.js';
import { changeOf, type NameChange, removalOf } from '../rows/name-change.js';
import { beginWriter, exportOf, type Making } from './making.js';

/** Writes the names that something has happened to since an event, each once, with its events and as it is now; without a row when it is withheld now. */
export async function makeChanges(making: Making, after: number, lastEvent: number): Promise<Export> {
  const { session, madeAt, signal, onRows } = making;
  const writer = await beginWriter(making, 'changes', CHANGE_COLUMNS);
  try {
    for await (const lines of linesOf(session.copyChangedNames({ after, upTo: lastEvent }))) {
      signal?.throwIfAborted();
      for (const line of lines) {
        const change = changeIn(line);
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

function changeIn(line: string): NameChange {
  const withheld = withheldIn(line);
  if (withheld !== null) return removalOf(withheld);
  const { row, events } = readCopyRow(line);
  return { domain: row.domain, change: changeOf(events, 'changed'), events, fields: null, row };
}
