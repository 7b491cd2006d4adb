import 'reflect-metadata';
import type { Database } from '../../../src/db/database.js';
import { HandedClock } from '../clock.js';
import { after, startJobs } from '../jobs.js';

// A process that runs the jobs, with a clock that moves as fast as they finish and is stored in a row. Tests kill it.
const LOOK_SECONDS = 5;
/** What is due so soon waits for its pace only, and is done before time goes on. */
const SOON_MS = 100;
/** A list that could not be taken in is fetched again so soon; its first purge is hours away. */
const FETCH_AGAIN_SECONDS = 60;
const [, , url = '', environment = '{}', until = '', stepSeconds = ''] = process.argv;

const end = new Date(until);
const clock = new HandedClock();
const jobs = await startJobs(url, JSON.parse(environment), clock);
let now = await readClock(jobs.database);
while (now < end) {
  clock.set(now);
  const { begun } = await jobs.engine.step(now);
  await Promise.all(begun);
  const next = await nextMoment();
  // What a killed process holds is due, and free only after its lease.
  now = begun.length === 0 && next <= now ? after(now, LOOK_SECONDS) : next;
  // The world outside reads it as well.
  await jobs.database.query('UPDATE handed_clock SET now = $1 WHERE now < $1', [now]);
}
await jobs.engine.stop();
await jobs.close();
process.stdout.write('played\n');

async function nextMoment(): Promise<Date> {
  const [row] = await jobs.database.query<{ due: Date | null }>(
    'SELECT min(due_at) AS due FROM work WHERE due_at <= $1',
    [new Date(now.getTime() + SOON_MS)],
  );
  if (row?.due) return row.due > now ? row.due : now;
  if (await isFetchFailed()) return after(now, FETCH_AGAIN_SECONDS);
  // The same moments each day, however long was waited at one.
  const stepMs = Number(stepSeconds) * 1000;
  return new Date((Math.floor(now.getTime() / stepMs) + 1) * stepMs);
}

/** Or was killed. */
async function isFetchFailed(): Promise<boolean> {
  const [row] = await jobs.database.query<{ failed: boolean }>(
    `SELECT coalesce(bool_or(outcome = 'failed' OR outcome IS NULL), false) AS failed
       FROM (SELECT DISTINCT ON (address) outcome FROM list_fetch ORDER BY address, id DESC) AS latest`,
  );
  return row?.failed ?? false;
}

async function readClock(database: Database): Promise<Date> {
  const [row] = await database.query<{ now: Date }>('SELECT now FROM handed_clock');
  if (!row) throw new Error('the clock has no row');
  return row.now;
}
