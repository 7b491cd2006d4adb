import 'reflect-metadata';
import type { Database } from '../../src/database/database.js';
import { HandedClock } from './clock.js';
import { after, startJobs } from './jobs.js';

// A process that does the jobs and has time pass as fast as they are done; its clock is a row that outlives it. To be killed.
const LOOK_FOR_LEASE_SECONDS = 5;
const [, , url = '', environment = '{}', until = '', stepSeconds = '3600'] = process.argv;

/** The row `handed_clock`, which the world outside reads as well. */
class RowClock extends HandedClock {
  override now(): Promise<Date> {
    return readClock(jobs.database);
  }
}

const end = new Date(until);
const jobs = await startJobs(url, JSON.parse(environment), new RowClock());
for (let now = await readClock(jobs.database); now < end; now = await readClock(jobs.database)) {
  const { isHolder, pieces } = await jobs.runner.startDue(now);
  await Promise.all(pieces);
  if (pieces.length > 0 && (await isMoreDue(now))) continue;
  await jobs.database.query('UPDATE handed_clock SET now = greatest(now, $1)', [
    after(now, isHolder ? Number(stepSeconds) : LOOK_FOR_LEASE_SECONDS),
  ]);
}
await jobs.runner.stop();
await jobs.close();
process.stdout.write('played\n');

async function isMoreDue(now: Date): Promise<boolean> {
  const rows = await jobs.database.query('SELECT FROM job_state WHERE next_due <= $1', [now]);
  return rows.length > 0;
}

async function readClock(database: Database): Promise<Date> {
  const [row] = await database.query<{ now: Date }>('SELECT now FROM handed_clock');
  if (!row) throw new Error('the clock has no row');
  return row.now;
}
