import { execFileSync } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import pg from 'pg';

const TICKS_PER_SECOND = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

/** The CPU time, user's and system's, that the process and its threads have taken so far, in ms. Linux only. */
export async function cpuMsOf(pid) {
  const { own } = await readTimes(pid);
  return own;
}

/** The same of a PostgreSQL server: its first process, those it runs now, and those that it has seen end. */
export async function cpuMsOfServer(postmaster) {
  for (;;) {
    const { own, ended } = await readTimes(postmaster);
    const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
    const all = await Promise.all(pids.map((pid) => readTimes(pid).catch(() => undefined)));
    const running = all.filter((times) => times?.parent === postmaster);
    // A process that ended meanwhile would count twice, or not at all.
    if ((await readTimes(postmaster)).ended === ended)
      return running.reduce((sum, times) => sum + times.own, own + ended);
  }
}

/** The first process of the server, which has to run on this machine. */
export async function findPostmaster(url) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query('SELECT pg_backend_pid() AS pid');
  const { parent } = await readTimes(rows[0].pid);
  await client.end();
  return parent;
}

// The fields of proc(5); the second is the program's name in brackets, which may hold anything.
async function readTimes(pid) {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [userTime, systemTime, endedUserTime, endedSystemTime] = fields.slice(11, 15).map(Number);
  const ms = (ticks) => (ticks * 1000) / TICKS_PER_SECOND;
  return {
    parent: Number(fields[1]),
    own: ms(userTime + systemTime),
    ended: ms(endedUserTime + endedSystemTime),
  };
}
