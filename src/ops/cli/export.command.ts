import type { Command } from 'commander';
import { EXIT_FAILED, EXIT_INTERRUPTED } from './exit-codes.js';

interface ExportFlags {
  readonly changes?: boolean;
}

/** `bowerbird export`, `bowerbird export --changes` */
export function registerExport(program: Command): void {
  program
    .command('export')
    .description('Make a snapshot of the dataset now, and the diff that leads to it, in EXPORT_DIR.')
    .option('--changes', 'only what happened since the last file')
    .addHelpText(
      'after',
      `\nExit code ${EXIT_FAILED}: nothing was made; ${EXIT_INTERRUPTED}: interrupted, nothing was made.`,
    )
    .action(async ({ changes = false }: ExportFlags) =>
      (await import('./actions/export.action.js')).runExport(changes ? 'changes' : 'snapshot'),
    );
}
