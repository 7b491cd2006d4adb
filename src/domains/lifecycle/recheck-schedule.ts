/** A name on offer, as the choice of its next question sees it. */
export interface OfferedName {
  /** Null when nobody knows. */
  readonly droppedAt: Date | null;
  readonly wayback: number;
  /** When the answer was given that the offer rests on. */
  readonly checkedAt: Date;
}

/** When a name on offer is asked about again: ../freshness knows. */
export abstract class RecheckSchedule {
  /** To be awaited before the transaction that asks: brings what the choice rests on up to date. */
  abstract prepare(): Promise<void>;
  abstract nextAskAt(name: OfferedName): Date;
}
