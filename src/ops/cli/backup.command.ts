import type { Command } from 'commander';

/** `bowerbird backup FILE`, `bowerbird restore FILE` */
export function registerBackup(program: Command): void {
  program
    .command('backup')
    .description('Write the whole database to a file, from one moment, beside a running service.')
    .argument('<file>', 'the file, which must not be there yet; it is readable for its owner alone')
    .action(async (file: string) => (await import('./actions/backup.action.js')).runBackup(file));
  program
    .command('restore')
    .description(
      'Fill an empty database with a backup of the same version: all of it, or nothing. No service may run on it.',
    )
    .argument('<file>', 'the backup')
    .action(async (file: string) => (await import('./actions/backup.action.js')).runRestore(file));
}
