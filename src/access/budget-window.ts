import type { Period, Tier } from '../config/tiers.js';

/** The counts of one caller at a moment of the database's clock. */
export interface BudgetCounts {
  readonly now: Date;
  readonly minuteUsed: number;
  /** The period of the tier's quota; the minute if it has none. */
  readonly period: Period;
  readonly periodUsed: number;
  /** Reserved for work in progress; counted in every window. */
  readonly reserved: number;
}

/** One window of a budget. */
export interface BudgetWindow {
  readonly period: Period;
  readonly limit: number;
  readonly used: number;
  /** Records that can still be granted. */
  readonly left: number;
  readonly endsAt: Date;
}

/** The longer period of a tier and its limit: its quota, or else the minute. */
export function longerPeriod({ quota, recordsPerMinute }: Tier): { period: Period; records: number } {
  return quota ?? { period: 'minute', records: recordsPerMinute };
}

/** The windows that a caller of this tier spends from, shortest first. Fixed, aligned to the UTC clock. */
export function windowsOf(
  { recordsPerMinute, quota }: Tier,
  counts: BudgetCounts,
): [BudgetWindow, ...BudgetWindow[]] {
  const windowOf = (period: Period, limit: number, used: number): BudgetWindow => {
    const left = Math.max(0, limit - used - counts.reserved);
    return { period, limit, used, left, endsAt: endOf(period, startOf(period, counts.now)) };
  };
  const minute = windowOf('minute', recordsPerMinute, counts.minuteUsed);
  if (!quota) return [minute];
  // A count for another period does not apply to this one.
  const used = quota.period === counts.period ? counts.periodUsed : 0;
  return [minute, windowOf(quota.period, quota.records, used)];
}

/** The spent window that ends last, since a caller who waits only for the minute would be refused again. */
export function spentWindow(tier: Tier, counts: BudgetCounts): BudgetWindow | undefined {
  return windowsOf(tier, counts).findLast(({ limit, used }) => used >= limit);
}

/** The counts at a later moment, if nothing was spent since. An ended window starts at zero. */
export function countsLater(counts: BudgetCounts, now: Date): BudgetCounts {
  const isOver = (period: Period) => startOf(period, now) > startOf(period, counts.now);
  return {
    ...counts,
    now,
    minuteUsed: isOver('minute') ? 0 : counts.minuteUsed,
    periodUsed: isOver(counts.period) ? 0 : counts.periodUsed,
  };
}

/** Whole seconds until the window ends, at least 1. */
export function resetInSeconds({ endsAt }: Pick<BudgetWindow, 'endsAt'>, now: Date): number {
  return Math.max(1, Math.ceil((endsAt.getTime() - now.getTime()) / 1000));
}

/** Length in seconds; a month's is its own (28 to 31 days). */
export function lengthInSeconds({ period, endsAt }: Pick<BudgetWindow, 'period' | 'endsAt'>): number {
  const start = startOf(period, new Date(endsAt.getTime() - 1));
  return (endsAt.getTime() - start.getTime()) / 1000;
}

/** Periods that begin at a multiple of their length on the UTC clock. */
const PERIOD_MS = { minute: 60_000, hour: 3_600_000 } as const;

function startOf(period: Period, at: Date): Date {
  if (period === 'month') return new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), 1));
  return new Date(at.getTime() - (at.getTime() % PERIOD_MS[period]));
}

function endOf(period: Period, start: Date): Date {
  if (period === 'month') return new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1, 1));
  return new Date(start.getTime() + PERIOD_MS[period]);
}
