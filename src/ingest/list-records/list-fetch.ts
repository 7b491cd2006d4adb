import type { ListKind } from '../../config/product.js';

/**
 * What came of a fetch: the list was imported; it was the one imported before; it is not to be trusted, and was not imported; or
 * there was none.
 */
export const LIST_OUTCOMES = ['imported', 'unchanged', 'alarm', 'failed'] as const;
export type ListOutcome = (typeof LIST_OUTCOMES)[number];

/** One fetch of an official drop list, as it is on record. What it did not come to is null. */
export interface ListFetch {
  readonly id: number;
  readonly address: string;
  readonly kind: ListKind;
  readonly startedAt: Date;
  /** Null while it is under way, and of one whose process was killed until the next fetch notices. */
  readonly finishedAt: Date | null;
  readonly httpStatus: number | null;
  readonly etag: string | null;
  readonly lastModified: string | null;
  /** Bytes of the list as text, unpacked. */
  readonly bytes: number | null;
  /** The first row, in lower case and without spaces around its cells. */
  readonly header: string | null;
  /** Rows below the header. */
  readonly rows: number | null;
  /** SHA-256 of the list as text, as hexadecimal digits. */
  readonly sha256: string | null;
  /** The same of its rows alone, whatever their order. */
  readonly rowsSha256: string | null;
  /** Rows that break a rule. */
  readonly rejected: number | null;
  /** Rows whose purge lay ahead. */
  readonly ahead: number | null;
  readonly outcome: ListOutcome | null;
  /** Why, of an alarm and a failure. */
  readonly detail: string | null;
}

/** How an address is doing. */
export interface ListAddressState {
  readonly address: string;
  /** Its newest fetch; null: it was never asked. */
  readonly latest: ListFetch | null;
  /** Failures since the last fetch that was none. */
  readonly failuresInRow: number;
  readonly lastImported: ListFetch | null;
}
