import { Injectable } from '@nestjs/common';

const DAY_MS = 86_400_000;
/** Names are taken the sooner the younger they are: the older a name, the longer an answer about it holds. */
const AGE_SHARE = 0.25;
const MIN_WAIT_MS = DAY_MS;
const MAX_WAIT_MS = 30 * DAY_MS;

/** A name on offer, as the choice of its next question sees it. */
export interface OfferedName {
  /** Null when nobody knows. */
  readonly droppedAt: Date | null;
  readonly wayback: number;
  /** When the answer was given that the offer rests on. */
  readonly checkedAt: Date;
}

/** When a name on offer is asked about again. Whoever knows the rates better provides a schedule in the place of this one. */
@Injectable()
export class RecheckSchedule {
  nextAskAt({ droppedAt, checkedAt }: OfferedName): Date {
    const ageMs = checkedAt.getTime() - (droppedAt ?? checkedAt).getTime();
    const waitMs = Math.min(MAX_WAIT_MS, Math.max(MIN_WAIT_MS, ageMs * AGE_SHARE));
    return new Date(checkedAt.getTime() + waitMs);
  }
}
