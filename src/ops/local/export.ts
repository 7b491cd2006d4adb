import { createWriteStream } from 'node:fs';
import { readFile, rename, rm } from 'node:fs/promises';
import type { Config } from '../../config/config.js';
import { Clock, type Database } from '../../db/database.js';
import { applyDiffAt } from '../../exports/apply-diff.js';
import { taskOf, takeLowPriority } from '../../exports/exporter.js';
import { makeExports } from '../../exports/make-exports.js';
import { EXIT_INTERRUPTED } from '../command.js';
import { interruptible, stderrLog, withDatabase } from './database.js';
import { showProgress } from './progress.js';

const INTERRUPTED = 'Interrupted; nothing was made.';

/** Makes a snapshot or the changes now, due or not. */
export async function runExport(kind: 'snapshot' | 'changes'): Promise<void> {
  await interruptible(async (signal) => {
    try {
      await withDatabase((database, config) => exportNow(kind, database, config, signal));
    } catch (error) {
      if (!signal.aborted) throw error;
      process.stderr.write(`${INTERRUPTED}\n`);
      process.exitCode = EXIT_INTERRUPTED;
    }
  }, INTERRUPTED);
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
  if (made.length === 0) process.stdout.write('There is no file yet for changes to continue.\n');
  for (const { id, rows, files, firstEvent, lastEvent } of made) {
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
    process.stdout.write(
      `${id}  ${rows} rows in ${files.length} files, ${bytes} bytes, events ${firstEvent} to ${lastEvent}\n`,
    );
  }
}

/** Writes the next snapshot from one and the diff after it, each in a folder or at an address of the API. */
export async function applyDiff(
  snapshot: string,
  diff: string,
  file: string,
  keyFile?: string,
): Promise<void> {
  const key = keyFile === undefined ? undefined : (await readFile(keyFile, 'utf8')).trim();
  const unfinished = `${file}.part`;
  try {
    const { id, rows, sha256 } = await applyDiffAt(snapshot, diff, createWriteStream(unfinished), key);
    await rename(unfinished, file);
    process.stdout.write(`${file}  ${id}, ${rows} rows\nSHA-256  ${sha256}, as in the diff\n`);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}
