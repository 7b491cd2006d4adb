/**
 * When a name of auDA's official drop list is purged at the latest. The list gives the moment from which the name may be
 * purged; purges run once a day, at 13:00 AEST for deleted names and at 13:30 for expired ones. A moment before 13:00
 * belongs to that day's run, 13:00:00 and later to the next. A file does not say which of the two lists it is, so the
 * later run counts: a name is never taken for free too early. AEST is UTC+10 without daylight saving.
 *
 * @param date YYYY-MM-DD, UTC
 * @param time HH:MM:SS, UTC
 */
export function purgeTimeOf(date: string, time: string): Date {
  const eligible = Date.parse(`${date}T${time}Z`);
  const cutOff = Date.parse(`${date}T${CUT_OFF}Z`);
  const run = Date.parse(`${date}T${LATEST_RUN}Z`);
  return new Date(eligible < cutOff ? run : run + DAY_MS);
}

// 13:00 and 13:30 AEST.
const CUT_OFF = '03:00:00';
const LATEST_RUN = '03:30:00';
const DAY_MS = 86_400_000;
