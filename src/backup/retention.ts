import type { Retention } from '../config/parsers.js';

export interface Dated {
  readonly takenAt: Date;
}

const DAY_MS = 86_400_000;
const WEEK_MS = 7 * DAY_MS;

/**
 * The backups that are kept, the newest first. Days without a backup count for nothing, so that an installation that
 * makes none any more loses none.
 */
export function keptBackups<Backup extends Dated>(
  backups: readonly Backup[],
  { days, weeks, months }: Retention,
): Backup[] {
  const sorted = newestFirst(backups);
  const kept = new Set([
    ...newestOfEach(sorted, days, ({ takenAt }) => Math.floor(takenAt.getTime() / DAY_MS)),
    ...newestOfEach(sorted, weeks, ({ takenAt }) => Math.floor(takenAt.getTime() / WEEK_MS)),
    ...newestOfEach(sorted, months, ({ takenAt }) => takenAt.getUTCFullYear() * 12 + takenAt.getUTCMonth()),
  ]);
  return sorted.filter((backup) => kept.has(backup));
}

/** Those of the last days, from which any moment since can be restored. */
export function dailyBackups<Backup extends Dated>(backups: readonly Backup[], days: number): Backup[] {
  return newestOfEach(newestFirst(backups), days, ({ takenAt }) => Math.floor(takenAt.getTime() / DAY_MS));
}

function newestFirst<Backup extends Dated>(backups: readonly Backup[]): Backup[] {
  return [...backups].sort((one, other) => other.takenAt.getTime() - one.takenAt.getTime());
}

function newestOfEach<Backup>(
  newestFirst: readonly Backup[],
  most: number,
  periodOf: (backup: Backup) => number,
): Backup[] {
  const periods = new Map<number, Backup>();
  for (const backup of newestFirst) {
    const period = periodOf(backup);
    if (!periods.has(period)) periods.set(period, backup);
  }
  return [...periods.values()].slice(0, most);
}
