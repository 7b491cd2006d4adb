/**
 * Loaded into a service by `--import`: SIGWINCH starts V8's profiler, and the next one stops it and writes PROFILE_FOLDER/{pid}.cpuprofile,
 * which Chrome's developer tools show as a flame graph. (Nest ends a process on SIGUSR2.)
 */
import { Session } from 'node:inspector/promises';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const SAMPLE_EVERY_US = 500;
const folder = process.env.PROFILE_FOLDER;

if (folder) {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.setSamplingInterval', { interval: SAMPLE_EVERY_US });
  let isRunning = false;
  process.on('SIGWINCH', async () => {
    isRunning = !isRunning;
    if (isRunning) return void session.post('Profiler.start');
    const { profile } = await session.post('Profiler.stop');
    const path = join(folder, `${process.pid}.cpuprofile`);
    // Whoever waits for it finds it whole.
    await writeFile(`${path}.part`, JSON.stringify(profile));
    await rename(`${path}.part`, path);
  });
}
