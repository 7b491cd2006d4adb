import { bandOf } from './rate-cells.js';
import type { RateTable } from './rate-table.js';
import { daysUntilAsked } from './urgency.js';

const DAY_MS = 86_400_000;

/** What the choice of the next question rests on. */
export interface OfferedName {
  /** Null when nobody knows; the name is then taken to be new, which is asked of the soonest. */
  readonly droppedAt: Date | null;
  readonly wayback: number;
  /** When the answer was given that the offer rests on. */
  readonly checkedAt: Date;
}

/** The moment at which another question about the name is worth one of the installation's few turns. */
export function nextAskAt(name: OfferedName, rates: RateTable, threshold: number): Date {
  const days = daysUntilAsked(rates, bandOf(name.wayback), ageInDays(name, name.checkedAt), threshold);
  return new Date(name.checkedAt.getTime() + days * DAY_MS);
}

/** How old the name is at that time, since its drop. */
export function ageInDays({ droppedAt, checkedAt }: OfferedName, at: Date): number {
  return (at.getTime() - (droppedAt ?? checkedAt).getTime()) / DAY_MS;
}
