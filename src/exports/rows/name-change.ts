import type { ExportedEvent, ExportedName } from './exported-name.js';

/**
 * `dropped`, `taken`, `rescued`, `listed`: the last of its events; `added`, `changed`: without an event; `removed`: not shown any
 * more, for whatever reason.
 */
export const CHANGES = ['dropped', 'taken', 'rescued', 'listed', 'added', 'changed', 'removed'] as const;
export type Change = (typeof CHANGES)[number];

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

const OF_EVENT: Readonly<Record<string, Change>> = {
  'domain.dropped': 'dropped',
  'domain.taken': 'taken',
  'domain.rescued': 'rescued',
  'domain.listed': 'listed',
};

/** What a name with these events is called in a diff. @param otherwise for one without */
export function changeOf(events: readonly ExportedEvent[], otherwise: Change): Change {
  const last = events.at(-1);
  if (!last) return otherwise;
  const change = OF_EVENT[last.type];
  if (!change) throw new Error(`an event of an unknown type: ${last.type}`);
  return change;
}

export function removalOf(domain: string): NameChange {
  return { domain, change: 'removed', events: [], fields: [], row: null };
}
