import type { Config } from '../../../config/config.js';
import { Clock } from '../../../db/clock.js';
import type { Database } from '../../../db/database.js';
import { taskOf } from '../../../exports/making/exporter.js';
import { takeLowPriority } from '../../../exports/making/low-priority.js';
import { makeExports } from '../../../exports/making/make-exports.js';
import { EXIT_INTERRUPTED } from '../exit-codes.js';
import { showProgress } from '../import-progress.js';
import { stderrLog } from '../stderr-log.js';
import { withDatabase } from '../with-database.js';

/** Makes what is asked for now, due or not. */
export async function runExport(kind: 'snapshot' | 'changes'): Promise<void> {
  const interruption = new AbortController();
  const interrupt = () => interruption.abort(new Error('Interrupted; nothing was made.'));
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  try {
    await withDatabase((database, config) => exportNow(kind, database, config, interruption.signal));
  } catch (error) {
    if (!interruption.signal.aborted) throw error;
    process.stderr.write('Interrupted; nothing was made.\n');
    process.exitCode = EXIT_INTERRUPTED;
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  }
}

async function exportNow(
  kind: 'snapshot' | 'changes',
  database: Database,
  config: Config,
  signal: AbortSignal,
): Promise<void> {
  const task = taskOf(kind, config, database, await new Clock(database).now());
  const progress = showProgress(process.stderr);
  await takeLowPriority();
  const made = await makeExports(task, {
    signal,
    onProgress: ({ step, rows, totalRows }) =>
      progress.update({ step, rows, readBytes: rows, totalBytes: totalRows }),
    warn: (message) => stderrLog.warn(message),
  }).finally(() => progress.stop());
  if (!made) throw new Error('Another process is making exports at this moment; try again.');
  if (made.length === 0) process.stdout.write('There is no file yet that changes could follow on.\n');
  for (const { id, rows, files, firstEvent, lastEvent } of made) {
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
    process.stdout.write(
      `${id}  ${rows} rows in ${files.length} files, ${bytes} bytes, events ${firstEvent} to ${lastEvent}\n`,
    );
  }
}
