import type { Export } from '../export.js';
import type { ExportWriter, Written } from '../files/export-writer.js';
import { differingFields } from '../rows/columns.js';
import { unpackedLines } from '../rows/copy-text.js';
import type { ExportedEvent, ExportedName } from '../rows/exported-name.js';
import { changeOf, type NameChange, removalOf } from '../rows/name-change.js';
import { type NamedLine, SortedLines } from '../rows/sorted-lines.js';
import type { ExportStore } from '../store/export-store.js';

/** Writes what is different from a base, while the names are read in their order. */
export class DiffWriter {
  /** @param base the lines that the names are compared with */
  constructor(
    private readonly writer: ExportWriter<NameChange>,
    private readonly base: SortedLines,
  ) {}

  /** @param json the row as its line has it: rows are the same when their lines are */
  async add(row: ExportedName, json: string, events: readonly ExportedEvent[]): Promise<void> {
    const before = await this.passUntil(row.domain);
    if (!before) {
      await this.write({
        domain: row.domain,
        change: changeOf(events, 'added'),
        events,
        fields: [],
        row,
      });
      return;
    }
    this.base.pass();
    if (before.text === json && events.length === 0) return;
    const fields = before.text === json ? [] : differingFields(rowOf(before), row);
    await this.write({ domain: row.domain, change: changeOf(events, 'changed'), events, fields, row });
  }

  async close(): Promise<Written> {
    await this.passUntil(null);
    return this.writer.close();
  }

  async abandon(): Promise<void> {
    await Promise.all([this.writer.abandon(), this.base.end()]);
  }

  /** Writes down that names are gone which are in the base only. @returns the name itself, if the base has it */
  private async passUntil(domain: string | null): Promise<NamedLine | null> {
    for (;;) {
      const next = this.base.peek();
      const before = next instanceof Promise ? await next : next;
      if (!before || (domain !== null && before.domain >= domain))
        return before?.domain === domain ? before : null;
      await this.write(removalOf(before.domain));
      this.base.pass();
    }
  }

  private async write(change: NameChange): Promise<void> {
    await this.writer.add(change, JSON.stringify(change));
  }
}

function rowOf({ text }: NamedLine): ExportedName {
  return JSON.parse(text) as ExportedName;
}

/** The lines of a snapshot, part by part. */
export async function* snapshotLines(
  store: ExportStore,
  { id, files }: Export,
): AsyncGenerator<string[], void> {
  for (const { name, format } of files)
    if (format === 'ndjson.gz') yield* unpackedLines(await store.read(id, name));
}
