import { readFile } from 'node:fs/promises';

/**
 * The CPU time that a waiting process has had so far, in ms: to the nanosecond, where the counts of /proc/PID/stat go by clock
 * ticks of 10 ms. Linux only.
 */
export async function cpuMsOfBackend(pid) {
  const text = await readFile(`/proc/${pid}/schedstat`, 'utf8');
  return Number(text.split(' ')[0]) / 1e6;
}
