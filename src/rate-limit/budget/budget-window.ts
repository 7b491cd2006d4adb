import type { Period, Tier } from '../../tiers/tiers.js';

/** One window of one budget: how much it holds, when it ends, and the key its counter lives under. */
export interface BudgetWindow {
  readonly period: Period;
  readonly limit: number;
  readonly endsAt: Date;
  /** The same for every instance and every door, different for the next window. */
  readonly key: string;
}

/** The windows a caller of this tier spends from at this moment, shortest first. Fixed, aligned to the UTC clock. */
export function windowsAt(tier: Tier, callerId: string, now: Date): BudgetWindow[] {
  const windows = [openWindow('minute', tier.recordsPerMinute, callerId, now)];
  if (tier.quota) windows.push(openWindow(tier.quota.period, tier.quota.records, callerId, now));
  return windows;
}

/** Whole seconds until the window ends, at least 1: a caller who waits that long meets a fresh window. */
export function resetInSeconds({ endsAt }: Pick<BudgetWindow, 'endsAt'>, now: Date): number {
  return Math.max(1, Math.ceil((endsAt.getTime() - now.getTime()) / 1000));
}

/** Length in seconds; a month's is its own (28 to 31 days). */
export function lengthInSeconds({ period, endsAt }: Pick<BudgetWindow, 'period' | 'endsAt'>): number {
  const start = startOf(period, new Date(endsAt.getTime() - 1));
  return (endsAt.getTime() - start.getTime()) / 1000;
}

function openWindow(period: Period, limit: number, callerId: string, now: Date): BudgetWindow {
  const start = startOf(period, now);
  return { period, limit, endsAt: endOf(period, start), key: `${callerId}|${period}|${start.toISOString()}` };
}

function startOf(period: Period, at: Date): Date {
  const start = new Date(at);
  start.setUTCSeconds(0, 0);
  if (period === 'minute') return start;
  start.setUTCMinutes(0);
  if (period === 'hour') return start;
  start.setUTCHours(0);
  start.setUTCDate(1);
  return start;
}

function endOf(period: Period, start: Date): Date {
  const end = new Date(start);
  switch (period) {
    case 'minute':
      end.setUTCMinutes(end.getUTCMinutes() + 1);
      return end;
    case 'hour':
      end.setUTCHours(end.getUTCHours() + 1);
      return end;
    case 'month':
      end.setUTCMonth(end.getUTCMonth() + 1);
      return end;
    default:
      return period satisfies never;
  }
}
