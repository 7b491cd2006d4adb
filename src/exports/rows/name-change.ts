import type { ExportedEvent, ExportedName } from './exported-name.js';
import { type EventWord, eventWordOf, typesInDiff } from '../../domains/schema/events.js';

/** Of names without an event: new, changed, or not shown any more, for whatever reason. */
type Unnamed = 'added' | 'changed' | 'removed';
/** The last event of the name, or what became of it without one. */
export type Change = EventWord | Unnamed;

/** A line of a diff. The row comes last, so that its bytes can be cut out. */
export interface NameChange {
  readonly domain: string;
  readonly change: Change;
  /** Those between the two snapshots, oldest first; none of a name that is not shown any more. */
  readonly events: readonly ExportedEvent[];
  /** The columns that differ; empty for a name that was not there or is not any more, null where nothing was compared. */
  readonly fields: readonly string[] | null;
  /** The name as it is now; null: it is to be left out. */
  readonly row: ExportedName | null;
}

const NAMED = typesInDiff('named');

/** What a name with these events is called in a diff. @param otherwise for one without */
export function changeOf(events: readonly ExportedEvent[], otherwise: Unnamed): Change {
  const last = events.at(-1);
  if (!last) return otherwise;
  const type = NAMED.find((one) => one === last.type);
  if (!type) throw new Error(`an event of an unknown type: ${last.type}`);
  return eventWordOf(type);
}

export function removalOf(domain: string): NameChange {
  return { domain, change: 'removed', events: [], fields: [], row: null };
}
