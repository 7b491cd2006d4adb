import { readdir } from 'node:fs/promises';
import { constants, setPriority } from 'node:os';

const LOWEST = constants.priority.PRIORITY_LOW;

/** Lets everything else on this machine go before this process. */
export async function takeLowPriority(): Promise<void> {
  setPriority(LOWEST);
  // On Linux that was the calling thread alone, and those that compress were there before.
  const threads = await readdir('/proc/self/task').catch(() => []);
  for (const thread of threads)
    try {
      setPriority(Number(thread), LOWEST);
    } catch {
      // A thread that has ended meanwhile needs none.
    }
}
