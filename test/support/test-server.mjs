import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Stops the test server in `folder`, if there is one, and removes everything. Its data are worth nothing. */
export async function removeTestServer(folder) {
  const pid = await readFile(join(folder, 'postgres', 'data', 'postmaster.pid'), 'utf8').then(
    parseInt,
    () => 0,
  );
  // PostgreSQL's "immediate shutdown"; it would also end by itself, but only up to a minute after its folder is gone.
  if (pid > 0 && (await isOurs(pid, folder))) process.kill(pid, 'SIGQUIT');
  await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
}

/** After a crash the number may belong to another process by now. */
async function isOurs(pid, folder) {
  const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  return command.includes(folder);
}
