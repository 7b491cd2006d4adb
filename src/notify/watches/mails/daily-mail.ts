/** 07:00 in the registry's time, before a day's purges. */
const HOUR_UTC = 21;
const DAY_MS = 86_400_000;

/** When the next daily mail goes. */
export function nextDailyMail(now: Date): Date {
  const today = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate(), HOUR_UTC);
  return new Date(today > now.getTime() ? today : today + DAY_MS);
}
