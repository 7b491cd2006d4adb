import { BoundedMap } from '../../validation/caches.js';
import { filterText, isOfWholeCells, type NameFilter } from '../schema/filters/filters.js';
import type { OfferState } from './cube/offer-moves.js';

/** How many counts are remembered: some 400 bytes each. */
export const MAX_REMEMBERED = 5_000;

/** How long an exact count is expected to hold, in milliseconds: somebody turns pages, or tries another order. */
export const EXPECTED_MS = 60_000;

interface Remembered {
  readonly count: number;
  /** When it was counted, by this process's clock. */
  readonly atMs: number;
  /** The state of the offer in the snapshot that it was counted in. */
  readonly state: OfferState;
}

/**
 * What filters let through, as far as it was counted, and at which state of the offer; whether that holds still is decided by the
 * state of another snapshot, wherever that was taken: on the primary, on a replica that is behind it, by another instance. So
 * nobody has to be told of a change.
 */
export class RememberedCounts {
  private readonly counts: BoundedMap<string, Remembered>;
  /** The newest state that was seen. */
  private newest: OfferState | null = null;

  /** @param max how far is counted exactly */
  constructor(
    private readonly max: number,
    room = MAX_REMEMBERED,
  ) {
    this.counts = new BoundedMap(room);
  }

  /** Whether a count is remembered at all. */
  has(filter: NameFilter): boolean {
    return this.find(filter) !== undefined;
  }

  /**
   * Whether a count most likely holds, by all that was seen of the offer. An exact one is taken to hold for a minute: a page that relied on it in
   * vain asks for all names a second time, and the offer of a large dataset moves twice a minute.
   */
  mayKnow(filter: NameFilter, nowMs: number = performance.now()): boolean {
    const known = this.find(filter);
    if (!known || !this.newest || !this.holds(known, this.newest)) return false;
    return known.count > this.max || nowMs - known.atMs < EXPECTED_MS;
  }

  /** The count in a snapshot of that state; of more than `max`, any that is more. Null where it is not known. */
  recall(filter: NameFilter, state: OfferState): number | null {
    this.see(state);
    const known = this.find(filter);
    return known && this.holds(known, state) ? known.count : null;
  }

  /** @param count of all names that pass, or of those that were counted before it was left off, which are more than `max` */
  remember(filter: NameFilter, count: number, state: OfferState, atMs: number = performance.now()): void {
    this.see(state);
    const key = keyOf(filter);
    if (key === null || !state.isCounted) return;
    const known = this.counts.get(key);
    // A replica that is behind is not to undo what the others know.
    if (!known || ageOf(known.state) <= ageOf(state)) this.counts.set(key, { count, state, atMs });
  }

  /** Everything: the numbers of another history of the dataset may be the same. */
  forget(): void {
    this.counts.clear();
    this.newest = null;
  }

  /** Of up to `max` names each counts; of more, as many may have left as were counted beyond. */
  private holds({ count, state }: Remembered, now: OfferState): boolean {
    const left = now.offersLeft - state.offersLeft;
    const joined = now.offersJoined - state.offersJoined;
    if (!now.isCounted || left < 0 || joined < 0) return false;
    return count > this.max ? left < count - this.max : left === 0 && joined === 0;
  }

  private find(filter: NameFilter): Remembered | undefined {
    const key = keyOf(filter);
    return key === null ? undefined : this.counts.get(key);
  }

  private see(state: OfferState): void {
    if (!this.newest || ageOf(this.newest) <= ageOf(state)) this.newest = state;
  }
}

function ageOf({ offersLeft, offersJoined }: OfferState): number {
  return offersLeft + offersJoined;
}

/** Whether moves of offers tell when the count of a filter changes. */
export function isRememberable(filter: NameFilter): boolean {
  // A name that leaves takes with it those that are looked for under its suffix as well. And the moves are counted from cell to
  // cell: a day within its month or a score within its band is not among them, nor is a confirmation.
  const isOfItself = (filter.offeredUnder ?? []).length === 0;
  return isOfItself && isOfWholeCells({ ...filter, q: undefined, glob: undefined, without: undefined });
}

/** The same for the same filter, whichever page of it is asked for and in whichever order; null where it is not remembered. */
function keyOf(filter: NameFilter): string | null {
  if (!isRememberable(filter)) return null;
  const { hyphens = 'allow', numbers = 'allow' } = filter;
  return JSON.stringify(filterText({ ...filter, hyphens, numbers, states: undefined }));
}
