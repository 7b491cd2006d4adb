import type { Command } from 'commander';
import { access, stat } from 'node:fs/promises';
import type { BackedUp } from '../database/backup/backup.js';
import { backUp } from '../database/backup/backup.js';
import { restore } from '../database/backup/restore.js';
import type { Database } from '../database/database.js';
import { withDatabase } from './with-database.js';

/** `bowerbird backup FILE`, `bowerbird restore FILE` */
export function registerBackup(program: Command): void {
  program
    .command('backup')
    .description('Write the whole database to a file, from one moment, beside a running service.')
    .argument('<file>', 'the file, which must not be there yet; it is readable for its owner alone')
    .action((file: string) => withDatabase((database) => writeBackup(database, file)));
  program
    .command('restore')
    .description(
      'Fill an empty database with a backup of the same version: all of it, or nothing. No service may run on it.',
    )
    .argument('<file>', 'the backup')
    .action(async (file: string) => {
      // Before a server is started for it.
      await access(file);
      await withDatabase((database) => readBackup(database, file));
    });
}

async function writeBackup(database: Database, file: string): Promise<void> {
  const isThere = await access(file).then(
    () => true,
    () => false,
  );
  if (isThere) throw new Error(`${file} is there already.`);
  const began = performance.now();
  const tables: BackedUp[] = [];
  await backUp(database, file, (table) => tables.push(table));
  const { size } = await stat(file);
  process.stdout.write(`${summary('backed up', tables, began)}, ${(size / 1e6).toFixed(1)} MB\n`);
}

async function readBackup(database: Database, file: string): Promise<void> {
  const began = performance.now();
  const tables: BackedUp[] = [];
  await restore(database, file, (table) => tables.push(table));
  process.stdout.write(`${summary('restored', tables, began)}\n`);
}

function summary(done: string, tables: readonly BackedUp[], began: number): string {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  return `${done} ${rows} rows of ${tables.length} tables in ${seconds} s`;
}
