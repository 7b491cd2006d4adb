/**
 * Loaded into the service by `--import`: every ten seconds it writes one line to the file in EVENT_LOOP_FILE with the memory of the process and
 * how late its event loop was since the last line, and a last one that covers the whole time. A timer of 5 ms is what is measured, so 5 ms
 * are taken off.
 */
import { appendFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

const RESOLUTION_MS = 5;
const EVERY_MS = 10_000;
const file = process.env.EVENT_LOOP_FILE;

if (file) {
  const now = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  now.enable();
  const late = (share) => Math.max(0, now.percentile(share) / 1e6 - RESOLUTION_MS);
  setInterval(() => {
    const { rss, heapUsed, external } = process.memoryUsage();
    const line = { at: Date.now(), rss, heapUsed, external, p50: late(50), p99: late(99), max: late(100) };
    now.reset();
    appendFileSync(file, `${JSON.stringify(line)}\n`);
  }, EVERY_MS).unref();
}
