const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** The last moment at which a snapshot was to be made. @param time of day, HH:MM:SS in UTC */
export function lastSnapshotMoment(time: string, now: Date): Date {
  const today = Date.parse(`${now.toISOString().slice(0, 10)}T${time}Z`);
  return new Date(today <= now.getTime() ? today : today - DAY_MS);
}

export function nextSnapshotMoment(time: string, now: Date): Date {
  return new Date(lastSnapshotMoment(time, now).getTime() + DAY_MS);
}

export function lastFullHour(now: Date): Date {
  return new Date(Math.floor(now.getTime() / HOUR_MS) * HOUR_MS);
}

export function nextFullHour(now: Date): Date {
  return new Date(lastFullHour(now).getTime() + HOUR_MS);
}

/** Whether what is to be made at a moment is not there. @param madeAt of the last one; null: there is none */
export function isMissing(moment: Date, madeAt: Date | null): boolean {
  return madeAt === null || madeAt < moment;
}
